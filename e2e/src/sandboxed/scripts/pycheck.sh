#!/bin/sh
# The same for Python, with its words left as they are.
file=$(jq -r .tool_input.file_path)
python3 -m py_compile "$file" || exit 2
