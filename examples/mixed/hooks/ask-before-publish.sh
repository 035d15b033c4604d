#!/bin/sh
# Gen, PreToolUse: its matcher has selected `npm publish` already, so there is nothing left to look at.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"What is published cannot be taken back."}}'
