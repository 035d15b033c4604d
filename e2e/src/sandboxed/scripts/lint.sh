#!/usr/bin/env bash
# Reads what was written as its interpreter would, and tells the model where that fails.
set -uo pipefail
file=$(jq -r '.tool_input.file_path // ""')
case "$file" in
*.py) checked=$(python3 -m py_compile "$file" 2>&1) ;;
*.js) checked=$(node --check "$file" 2>&1) ;;
*.sh) checked=$(sh -n "$file" 2>&1) ;;
*) exit 0 ;;
esac || {
    echo "syntax: ${checked}" | head -n 3 >&2
    exit 2
}
