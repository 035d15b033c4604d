#!/bin/sh
# A script that was written can be started.
file=$(jq -r .tool_input.file_path)
head -n 1 "$file" | grep -q '^#!' && chmod +x "$file"
