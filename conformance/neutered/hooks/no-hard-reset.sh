#!/bin/sh
# Says no in the native form; reads the call with jq.
command=$(jq -r .tool.input.command) || exit 1
case "$command" in
  *'reset --hard'*)
    echo '{"decision": "deny", "reason": "loses work"}'
    ;;
esac
