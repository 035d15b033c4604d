#!/bin/sh
# Checks hook files and runs their cases. Takes everything from the environment: PROGRAM, FILES, CASES, TEST, SARIF.
# Ends with 1 when the check finds an error, or a case does not hold.
set -u
program=${PROGRAM:-tenterhook}
status=0

# One name a line, so that names may have blanks in them.
set --
while IFS= read -r file; do
  [ -n "$file" ] && set -- "$@" "$file"
done <<EOF
${FILES:-}
EOF
"$program" check "$@" || status=1

[ "${TEST:-found}" = false ] && exit "$status"

set --
while IFS= read -r file; do
  [ -n "$file" ] && set -- "$@" "$file"
done <<EOF
${CASES:-}
EOF
said=$("$program" test "$@" 2>&1)
code=$?
printf '%s\n' "$said"
case "$code:$said:${TEST:-found}" in
  0:*) ;;
  *'no cases were found'*:found) exit "$status" ;;
  *) status=1 ;;
esac
if [ -n "${SARIF:-}" ]; then
  "$program" test "$@" --format sarif > "$SARIF" || true
fi
exit "$status"
