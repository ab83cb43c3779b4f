# Scripts, YAML, JSON and pages by themselves. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # scripts and yaml_files are check.sh's

check "shell scripts" shellcheck --external-sources "${scripts[@]}" .ci/run
check "YAML style" yamllint --strict -c Deploy/check/yamllint.yaml "${yaml_files[@]}"
check "schema of the job" check-jsonschema --check-metaschema Deploy/schema/job.schema.json
check "example jobs against it" check-jsonschema --schemafile Deploy/schema/job.schema.json Deploy/examples/jobs/*.json
check "AsyncAPI in one document, example jobs against it" \
    python Deploy/check/asyncapi.py Deploy/schema/asyncapi.json Deploy/examples/jobs/*.json
check "links between pages" python Deploy/check/pages.py
