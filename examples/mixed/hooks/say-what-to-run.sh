#!/bin/sh
# Claude Code, PostToolUse: an object with `additionalContext` tells the model something.
echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"A file changed: run make test before you finish."}}'
