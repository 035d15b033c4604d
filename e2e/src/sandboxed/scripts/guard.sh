#!/bin/sh
# What is not undone is not run.
jq -r '.tool_input.command' | sed 's/[[:space:]]\{1,\}/ /g' |
    awk '/rm -rf? (\/|~|\.\.)/ { print "not without a person: " $0 > "/dev/stderr"; exit 2 }'
