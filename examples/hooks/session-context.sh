#!/bin/sh
# SessionStart: tells the model what it cannot know. On this event, plain text on stdout is context for the model.
echo "Today is $(date '+%A, %Y-%m-%d'). The tests run with: make test"
