#!/bin/bash
# Nobody edits on the protected branch.
branch=$(git -C "$CLAUDE_PROJECT_DIR" rev-parse --abbrev-ref HEAD) || exit 0
if [[ $branch == main || $branch == release/* ]]; then
  jq -n --arg b "$branch" '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: ("make a branch: " + $b + " is protected")}}'
fi
