#!/bin/sh
# ignis, UserPromptSubmit: writes out the short forms in a prompt. What it prints is the prompt that everybody else gets.
prompt=$(sed -n 's/.*"prompt":"\([^"\\]*\)".*/\1/p')
long=$(printf '%s' "$prompt" | sed 's/pls /please /; s/ asap/ as soon as you can/')
[ "$long" = "$prompt" ] && exit 0
printf '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","updatedInput":"%s"}}\n' "$long"
