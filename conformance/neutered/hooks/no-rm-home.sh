#!/bin/sh
# Says no with an exit code; reads the call with jq.
command=$(jq -r .tool.input.command)
case "$command" in
  *'rm -r ~'*)
    echo "home" >&2
    exit 2
    ;;
esac
