#!/bin/sh
# Says no in the native form; reads the call with jq.
command=$(jq -r .tool.input.command) || exit 1
case "$command" in
  *'npm install -g'*|*'npm i -g'*)
    echo '{"decision": "deny", "reason": "your system"}'
    ;;
esac
