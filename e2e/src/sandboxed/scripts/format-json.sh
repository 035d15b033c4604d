#!/bin/sh
# Writes a JSON file that was just changed in one shape.
file=$(jq -r '.tool_input.file_path // empty')
case $file in
*.json) ;;
*) exit 0 ;;
esac
pretty=$(mktemp)
trap 'rm -f "$pretty"' EXIT
python3 -m json.tool --indent 2 "$file" >"$pretty" && cat "$pretty" >"$file"
