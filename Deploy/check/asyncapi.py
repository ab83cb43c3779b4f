"""Holds jobs and events against the AsyncAPI document, without another file: asyncapi.py DOCUMENT FILE….

A FILE that ends with .json is a job; another has an event in each line, as the examples write them down.
"""
import json, sys

import jsonschema


def references(value):
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "$ref":
                yield member
            yield from references(member)


with open(sys.argv[1]) as file:
    document = json.load(file)
outside = [reference for reference in references(document) if not reference.startswith("#/")]
assert not outside, f"these lead out of the document: {outside}"


def judge(message, value, place):
    payload = f"#/components/messages/{message}/payload"
    if "schemaFormat" in document["components"]["messages"][message]["payload"]:
        payload += "/schema"
    validator = jsonschema.Draft202012Validator(document | {"$ref": payload})
    errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
    assert not errors, f"{place}: {errors}"


kinds = set()
for path in sys.argv[2:]:
    with open(path) as file:
        if path.endswith(".json"):
            judge("job", json.load(file), path)
            continue
        for number, line in enumerate(file, 1):
            event = json.loads(line)
            event = event.get("event", event)
            judge(event["type"], event, f"{path}:{number}")
            kinds.add(event["type"])
print("events:", *sorted(kinds))
