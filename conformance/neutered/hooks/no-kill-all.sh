#!/bin/sh
# Says no with an object; reads the call with jq.
command=$(jq -r .tool_input.command)
case "$command" in
  *'kill -9 -1'*|*'killall'*)
    printf '%s\n' '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "one process"}}'
    ;;
esac
