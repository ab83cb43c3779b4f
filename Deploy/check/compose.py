"""Everything that compose.yaml names on this side exists, and every key it sets is one of ours."""
import pathlib
import sys

import yaml

deploy = pathlib.Path("Deploy")
compose = yaml.safe_load((deploy / "compose.yaml").read_text())
problems = []
services = compose["services"]
for name, service in services.items():
    for mount in service.get("volumes", []):
        source = mount.split(":")[0]
        if source.startswith("."):
            if not (deploy / source).exists():
                problems.append(f"{name} mounts {source}, which does not exist")
        elif source not in compose["volumes"]:
            problems.append(f"{name} mounts the unknown volume {source}")
    for secret in service.get("secrets", []):
        if secret not in compose["secrets"]:
            problems.append(f"{name} has the unknown secret {secret}")
    for other in service.get("depends_on", {}):
        if other not in services:
            problems.append(f"{name} depends on {other}, which is no service")
    for port in service.get("ports", []):
        if not port.startswith("127.0.0.1:"):
            problems.append(f"{name} publishes {port} beyond loopback")
example = (deploy / "compose/env.example").read_text()
wanted = {secret["environment"] for secret in compose["secrets"].values() if "environment" in secret}
for variable in wanted:
    if f"\n{variable}=" not in "\n" + example:
        problems.append(f"compose/env.example lacks {variable}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
