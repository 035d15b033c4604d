#!/usr/bin/env python3
"""An MCP server with one tool, `judge`: it denies reading what looks like a secret."""
import json
import re
import sys

SECRET = re.compile(r"(^|/)(\.env|id_rsa|.*\.pem)$")
TOOL = {
    "name": "judge",
    "description": "Whether a file may be read.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


def judge(path):
    if SECRET.search(path):
        return {"decision": "deny", "reason": f"{path} holds secrets; ask the user for the value that you need."}
    return {}


def result(method, params):
    if method == "initialize":
        own = {"name": "policy", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": own}
    if method == "tools/list":
        return {"tools": [TOOL]}
    answer = judge(params["arguments"]["path"])
    return {"content": [{"type": "text", "text": json.dumps(answer)}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:  # Notifications have none and want no answer.
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": result(request["method"], request.get("params"))}
        print(json.dumps(reply), flush=True)
