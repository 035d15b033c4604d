#!/bin/sh
# PreToolUse: denies `rm -r`, and makes the commonest mistake of hooks on purpose: it prints a log line before its JSON.
# The agent that this protocol belongs to would not see the denial. Tenterhook does, and says what is wrong.
event=$(cat)
echo "checking the command"
case $event in
*' -r'* | *' -fr'* | *' --recursive'*)
  echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
    "permissionDecisionReason": "Delete files by name, not whole directories."}}'
  ;;
esac
