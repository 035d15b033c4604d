#!/bin/sh
# Reasonix, TurnEnd: keeps the agent at work while its last words promise more. After three times it gives way.
if grep -Eiq '"lastAssistantText":"[^"]*todo'; then
  echo '@@INJECT: You wrote TODO. Do it, or say why it has to wait.'
  echo '@@WARN: the turn goes on, because something is left to do'
  exit 2
fi
