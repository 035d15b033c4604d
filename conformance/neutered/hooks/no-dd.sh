#!/bin/sh
# Says no in the native form; reads the call with jq.
command=$(jq -r .tool.input.command) || exit 1
case "$command" in
  *'dd if='*)
    echo '{"decision": "deny", "reason": "disk"}'
    ;;
esac
