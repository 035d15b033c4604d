#!/usr/bin/env node
// Asks Tenterhook before each tool call: one line out, one line back, under the same id.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const hooks = spawn(process.argv[2] ?? "tenterhook", ["fire", "--stream"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = new Map();

createInterface({ input: hooks.stdout }).on("line", (line) => {
  const outcome = JSON.parse(line);
  waiting.get(outcome.id)?.(outcome); // lines without our id are news of background hooks
  waiting.delete(outcome.id);
});
hooks.on("close", () => {
  // What was not answered was not allowed.
  for (const answer of waiting.values()) answer({ decision: "deny", reason: "tenterhook has gone" });
});

function ask(id, tool_name, tool_input) {
  const event = { id, session_id: "demo", hook_event_name: "PreToolUse", tool_name, tool_input };
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    hooks.stdin.write(JSON.stringify({ ...event, tool_use_id: `t${id}` }) + "\n");
  });
}

const commands = ["ls", "rm -rf build", "cat .env"];
const outcomes = await Promise.all(commands.map((command, id) => ask(id, "Bash", { command })));
outcomes.forEach(({ decision, reason }, id) =>
  console.log(`${commands[id]}: ${decision ?? "proceed"} ${reason ?? ""}`.trimEnd()),
);
hooks.stdin.end();
