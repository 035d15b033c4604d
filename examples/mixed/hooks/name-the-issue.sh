#!/bin/sh
# CodeWhale, message_submit: says which issue a message is about. It is handed what the hooks before it made of the prompt.
text=$(sed -n 's/.*"text":"\([^"\\]*\)".*/\1/p')
case "$text" in
  '' | *'#'*) exit 0 ;;
esac
printf '{"text":"%s (issue #12)"}\n' "$text"
