#!/bin/sh
# CodeWhale, tool_call_before: exit code 2 refuses the call, and stderr says why.
if grep -Eq '"command":"[^"]*rm +-[a-z]*r'; then
  echo 'Delete files by name, not whole directories.' >&2
  exit 2
fi
