#!/bin/sh
# Says no with an object; reads the call with jq.
command=$(jq -r .tool_input.command)
case "$command" in
  *'shutdown'*|*'reboot'*)
    printf '%s\n' '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "machine"}}'
    ;;
esac
