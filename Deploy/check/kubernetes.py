"""What no schema says of a kustomization's result: kubernetes.py FILE, the result of `kubectl kustomize`.

Kinds that kubernetes-validate does not know are held against our own schema; selectors, ports, secrets and queues must
name what is there; pods must be as closed as can be, and end later than a worker drains; each port has a Service and a
policy; a rollout can finish, and a version's Jobs have its name.
"""
import ipaddress
import json
import pathlib
import re
import sys

import jsonschema
import yaml

CHECK = pathlib.Path("Deploy/check")
EXTRAS = {"ScaledObject", "TriggerAuthentication", "PodMonitor", "PrometheusRule"}
objects = [item for item in yaml.safe_load_all(pathlib.Path(sys.argv[1]).read_text()) if item]
problems = []


def of(kind):
    return [item for item in objects if item["kind"] == kind]


def name(item):
    return f"{item['kind']}/{item['metadata']['name']}"


def matches(selector, labels):
    """A selector of labels, the whole or its matchLabels alone; an empty one takes every pod."""
    expressions = selector.get("matchExpressions", [])
    assert all(expression["operator"] == "In" for expression in expressions)
    alike = selector.get("matchLabels", {}) if {"matchLabels", "matchExpressions"} & selector.keys() else selector
    return alike.items() <= labels.items() and all(labels.get(e["key"]) in e["values"] for e in expressions)


secrets = {
    item["metadata"]["name"]: set(item["stringData"])
    for item in yaml.safe_load_all(pathlib.Path("Deploy/kubernetes/secrets.example.yaml").read_text())
}
queues = {queue["name"] for queue in json.loads(pathlib.Path("Deploy/rabbitmq/definitions.json").read_text())["queues"]}
templates = [(item, item["spec"]["template"]) for item in of("Deployment") + of("Job")]
templates += [(item, item["spec"]["jobTemplate"]["spec"]["template"]) for item in of("CronJob")]
pods = [template["metadata"]["labels"] for _, template in templates]

validator = jsonschema.Draft202012Validator(json.loads((CHECK / "kubernetes-extras.schema.json").read_text()))
for item in objects:
    if item["kind"] in EXTRAS:
        problems += [f"{name(item)}: {jsonschema.exceptions.best_match([error]).message}" for error in validator.iter_errors(item)]
    if item["metadata"].get("namespace") != "fanfare":
        problems.append(f"{name(item)} is in no namespace")
for item in of("PodDisruptionBudget") + of("PodMonitor"):
    if not any(matches(item["spec"]["selector"]["matchLabels"], labels) for labels in pods):
        problems.append(f"{name(item)} selects no pod")
    if item["kind"] == "PodMonitor":
        for endpoint in item["spec"]["podMetricsEndpoints"]:
            credentials = endpoint.get("authorization", {}).get("credentials")
            if credentials and credentials["key"] not in secrets.get(credentials["name"], ()):
                problems.append(f"{name(item)}: {credentials} is not in secrets.example.yaml")
            if endpoint.get("scheme") == "https" and "serverName" not in endpoint.get("tlsConfig", {}):
                problems.append(f"{name(item)}: a pod has no certificate for its address: name whose it is")
# What is not named is closed, both ways, and what a pod listens on for others is named.
if not any(item["spec"]["podSelector"] == {} and set(item["spec"]["policyTypes"]) == {"Ingress", "Egress"}
           and "ingress" not in item["spec"] for item in of("NetworkPolicy")):
    problems.append("no NetworkPolicy closes what is not named")
for item, template in templates:
    labels = template["metadata"]["labels"]
    policies = [policy["spec"] for policy in of("NetworkPolicy") if matches(policy["spec"]["podSelector"], labels)]
    allowed = {port["port"]: "from" not in rule for policy in policies for rule in policy.get("ingress", []) for port in rule["ports"]}
    for container in template["spec"]["containers"]:
        for port in container.get("ports", []):
            if port["name"] not in allowed:
                problems.append(f"{name(item)}: no NetworkPolicy lets anybody to {port['name']}")
            elif allowed[port["name"]] and port["name"] != "edge":
                problems.append(f"{name(item)}: everybody comes to {port['name']}")
            if not any(matches(service["spec"]["selector"], labels) and port["name"] in {p["targetPort"] for p in service["spec"]["ports"]}
                       for service in of("Service")):
                problems.append(f"{name(item)}: no Service has {port['name']}")
        # Beyond the pod nothing but metrics is in the clear.
        variables = {variable["name"]: variable["value"] for variable in container.get("env", [])}
        if container.get("args") == ["server"] and not {"FANFARE_SERVER_CERTIFICATE_FILE", "FANFARE_SERVER_TOKENS_FILE"} <= variables.keys():
            problems.append(f"{name(item)}: has no certificate, or asks for no token")
PRIVATE = [ipaddress.ip_network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")]
PUBLIC = {443, 2197}
for item in of("NetworkPolicy"):
    for rule in item["spec"].get("egress", []):
        ports = {port["port"] for port in rule.get("ports", [])}
        if not ports or not rule.get("to"):
            problems.append(f"{name(item)}: a way out without a port, or to everybody")
        for block in [to["ipBlock"] for to in rule.get("to", []) if "ipBlock" in to]:
            network = ipaddress.ip_network(block["cidr"])
            kept = [ipaddress.ip_network(other) for other in block.get("except", [])]
            inside = any(network.version == private.version and network.subnet_of(private) for private in PRIVATE)
            reached = [private for private in PRIVATE if private.version == network.version and private.overlaps(network)
                       and not any(private.subnet_of(other) for other in kept if other.version == private.version)]
            if not ports <= PUBLIC and not inside:
                problems.append(f"{name(item)}: {sorted(ports)} are open to {network}, which is not private")
            if ports & PUBLIC and reached:
                problems.append(f"{name(item)}: {sorted(ports)} reach the private {reached[0]}")
for item in of("Service"):
    if not any(matches(item["spec"]["selector"], labels) for labels in pods):
        problems.append(f"{name(item)} selects no pod")
for item in of("Deployment"):
    where, spec = name(item), item["spec"]
    labels = spec["template"]["metadata"]["labels"]
    if spec.get("replicas", 2) < 2:
        problems.append(f"{where}: a restart of the only one is a pause")
    if not any(matches(budget["spec"]["selector"], labels) for budget in of("PodDisruptionBudget")):
        problems.append(f"{where}: no PodDisruptionBudget")
    if of("PodMonitor") and not any(matches(monitor["spec"]["selector"], labels) for monitor in of("PodMonitor")):
        problems.append(f"{where}: nobody scrapes it")
    for constraint in spec["template"]["spec"].get("topologySpreadConstraints", []):
        # Without these a rollout can wait for ever for a node that the old pods, or a drain, keep from it.
        if constraint.get("matchLabelKeys") != ["pod-template-hash"] or constraint.get("nodeTaintsPolicy") != "Honor":
            problems.append(f"{where}: a spread that counts old pods, or nodes that take none, can stop a rollout")
images = {container["image"] for _, template in templates
          for container in template["spec"].get("initContainers", []) + template["spec"]["containers"] if "fanfare" in container["image"]}
if len(images) != 1:
    problems.append(f"several versions at once: {sorted(images)}")
tag = max(images).partition(":")[2]
for item in of("Job"):
    if tag and not item["metadata"]["name"].endswith(f"-{tag}"):
        problems.append(f"{name(item)}: a Job cannot be changed, and has not the name of its version, {tag}")
for item in of("ScaledObject"):
    target = item["spec"]["scaleTargetRef"]["name"]
    found = [other for other in of("Deployment") if other["metadata"]["name"] == target]
    if not found or "replicas" in found[0]["spec"]:
        problems.append(f"{name(item)}: {target} must exist and leave its replicas to KEDA")
    for trigger in item["spec"]["triggers"]:
        queue = trigger["metadata"].get("queueName")
        if queue and queue not in queues:
            problems.append(f"{name(item)}: there is no queue {queue}")
        reference = trigger.get("authenticationRef", {}).get("name")
        if reference and reference not in {other["metadata"]["name"] for other in of("TriggerAuthentication")}:
            problems.append(f"{name(item)}: there is no TriggerAuthentication {reference}")
for item, template in templates:
    spec = template["spec"]
    where = name(item)
    closed = spec["securityContext"]
    if not closed.get("runAsNonRoot") or closed.get("seccompProfile") != {"type": "RuntimeDefault"}:
        problems.append(f"{where}: the pod runs as root or without seccomp")
    if spec.get("automountServiceAccountToken") is not False:
        problems.append(f"{where}: has a token for the Kubernetes API")
    for volume in spec.get("volumes", []):
        secret = volume.get("secret", {}).get("secretName")
        if secret and secret not in secrets:
            problems.append(f"{where}: {secret} is not in secrets.example.yaml")
    for container in spec.get("initContainers", []) + spec["containers"]:
        context = container["securityContext"]
        if (context.get("allowPrivilegeEscalation") is not False or not context.get("readOnlyRootFilesystem")
                or context.get("capabilities") != {"drop": ["ALL"]}):
            problems.append(f"{where}: the container is not closed")
        if "cpu" in container["resources"].get("limits", {}):
            problems.append(f"{where}: a limit on processors stalls event loops")
        ports = {port["name"] for port in container.get("ports", [])}
        probes = [container[probe] for probe in ("startupProbe", "livenessProbe", "readinessProbe") if probe in container]
        if item["kind"] == "Deployment" and container in spec["containers"] and len(probes) != 3:
            problems.append(f"{where}: has {len(probes)} of three probes")
        for probe in probes:
            if probe["httpGet"]["port"] not in ports:
                problems.append(f"{where}: a probe asks the unknown port {probe['httpGet']['port']}")
        mounted = {mount["mountPath"]: mount["name"] for mount in container.get("volumeMounts", [])}
        config = [data for source in container.get("envFrom", []) for data in of("ConfigMap")
                  if data["metadata"]["name"] == source["configMapRef"]["name"]]
        values = {key: value for data in config for key, value in data["data"].items()}
        values |= {variable["name"]: variable["value"] for variable in container.get("env", [])}
        for key, value in values.items():
            if not re.match("^(FANFARE|BACKUP|PG)[A-Z_]+$", key):
                problems.append(f"{where}: {key} is no setting")
            if not value.startswith("/"):
                continue
            folder, _, file = value.rpartition("/")
            volume = next((v for v in spec["volumes"] if v["name"] == mounted.get(folder)), None)
            if volume is None or "secret" in volume and file not in secrets.get(volume["secret"]["secretName"], ()):
                problems.append(f"{where}: {key} names {value}, which nobody mounts")
    if item["metadata"]["name"] == "fanfare-worker" and spec["terminationGracePeriodSeconds"] < 35:
        problems.append(f"{where}: worker.drain and the hand-over take up to 30 s")
print("\n".join(problems))
sys.exit(1 if problems else 0)
