#!/bin/sh
# Says no with an exit code; reads the call with jq.
command=$(jq -r .tool_input.command)
case "$command" in
  *'terraform destroy'*)
    echo "infrastructure" >&2
    exit 2
    ;;
esac
