#!/bin/sh
# Keeps what is there before the agent goes on.
cd "$CLAUDE_PROJECT_DIR" || exit 0
snapshot=$(git stash create "before the agent") || exit 1
[ -n "$snapshot" ] && git update-ref refs/agent/before "$snapshot"
echo "kept"
