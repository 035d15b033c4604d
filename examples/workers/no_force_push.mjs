// A worker that denies force pushes: one line of JSON per event in, one line out. Logs go to standard error.
import { createInterface } from "node:readline";

// What a command hook would print, or nothing where there is no objection.
function judge(event) {
  const words = (event.tool?.input?.command ?? "").split(/\s+/);
  if (words.includes("push") && words.some((word) => word === "-f" || word === "--force")) {
    return { decision: "deny", reason: "push without --force, or ask a person to do it" };
  }
  return null;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, event } = JSON.parse(line);
  let reply;
  try {
    reply = { id, answer: judge(event) };
  } catch (error) {
    // One event that cannot be judged must not end the worker.
    reply = { id, error: String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
