#!/bin/bash
jq -c '{text: .message}' | curl -sS -X POST -H 'Content-Type: application/json' --data-binary @- "http://127.0.0.1:{port}/hook" >/dev/null
