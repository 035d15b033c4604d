#!/bin/sh
# Says no in the native form; reads the call with jq.
command=$(jq -r .tool.input.command) || exit 1
case "$command" in
  *'DROP TABLE'*|*'drop table'*)
    echo '{"decision": "deny", "reason": "table"}'
    ;;
esac
