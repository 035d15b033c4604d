#!/bin/sh
file=$(jq -r .tool_input.file_path)
sed -i 's/[ \t]*$//' "$file"
