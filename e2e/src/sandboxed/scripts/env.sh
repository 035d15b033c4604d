#!/bin/bash
if [ -n "$CLAUDE_ENV_FILE" ]; then
  echo 'export NODE_ENV=development' >> "$CLAUDE_ENV_FILE"
  echo "export BUILD_ROOT=out" >> "$CLAUDE_ENV_FILE"
fi
exit 0
