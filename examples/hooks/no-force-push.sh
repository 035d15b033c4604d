#!/bin/sh
# PreToolUse, native protocol: denies a push that rewrites history. The rule `if = "Bash(git push *)"` selects it, and that
# rule sees through `sudo`, `bash -c '...'` and `cd x && ...`; all that is left to do here is to look for the flag.
event=$(cat)
case $event in
*--force* | *' -f'*)
  echo "A force push rewrites what others have pulled. Push without it, or ask the user." >&2
  exit 2
  ;;
esac
