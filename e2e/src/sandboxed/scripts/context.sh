#!/bin/sh
# Begins a session with what the project and the person say.
cat "$CLAUDE_PROJECT_DIR/CLAUDE.md"
cat "$HOME/.config/team/context.md"
