#!/bin/sh
# PostToolUse: looks at what was written and gives the model a note. It denies nothing: the edit has happened.
event=$(cat)
case $event in
*' \n'* | *'\t\n'*)
  echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse",
    "additionalContext": "The change leaves blanks at the end of a line. Remove them."}}'
  ;;
esac
