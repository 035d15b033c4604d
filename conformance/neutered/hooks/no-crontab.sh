#!/bin/sh
# Says no with an exit code; reads the call with jq.
command=$(jq -r .tool_input.command)
case "$command" in
  *'crontab -'[re]*)
    echo "jobs" >&2
    exit 2
    ;;
esac
