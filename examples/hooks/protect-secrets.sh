#!/bin/sh
# PreToolUse: keeps files with secrets out of reach. Exit code 2 denies; stderr is the reason that the model reads.
event=$(cat)
case $event in
*/.env\"* | */.env.local* | *' .env'* | *'/.ssh/'* | *'_rsa'*)
  echo "This file holds secrets. Ask the user for the value that you need." >&2
  exit 2
  ;;
esac
