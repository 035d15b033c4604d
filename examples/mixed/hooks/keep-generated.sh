#!/bin/sh
# Reasonix, PreToolUse: exit code 2 blocks, and stderr says why. Its tools have the key `path`.
if grep -Eq '"path":"[^"]*\.gen\.'; then
  echo 'This file is generated: change its source and run make.' >&2
  exit 2
fi
