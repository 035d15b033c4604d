#!/usr/bin/env node
// Asks Tenterhook before each tool call: one line out, one line back, under the same id. Without Tenterhook nothing may run.
// @ts-check
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** @typedef {import("./tenterhook.d.ts").Outcome} Outcome */
/** @typedef {{ answer: "proceed" | "ask" | "deny", input: Record<string, unknown>, reason: string }} Judgement */

const GONE = "tenterhook is not running: nothing may proceed";
/** In milliseconds: longer than what the hooks of one event may take. */
const LIMIT = 1000 * Number(process.argv[3] ?? 120);
const hooks = spawn(process.argv[2] ?? "tenterhook", ["fire", "--stream"], {
  stdio: ["pipe", "pipe", "inherit"],
});
/** @type {Map<unknown, (outcome: Outcome | null) => void>} */
const waiting = new Map();
let gone = false;

function end() {
  gone = true; // what is not answered is not allowed
  for (const settle of waiting.values()) settle(null);
  waiting.clear();
}
hooks.on("error", end).on("close", end);
hooks.stdout.on("close", end);
hooks.stdin.on("error", () => hooks.kill()); // it reads nothing more

createInterface({ input: hooks.stdout }).on("line", (line) => {
  try {
    const outcome = JSON.parse(line);
    // An outcome without an id denies a line that could not be read, and does not say which.
    const unread = outcome.id == null && "blocked" in outcome;
    for (const id of unread ? [...waiting.keys()] : [outcome.id]) {
      waiting.get(id)?.(unread ? null : outcome); // lines that are no outcome are news of background hooks
      waiting.delete(id);
    }
  } catch {
    hooks.kill(); // it ended within a line
  }
});

/** @returns {Promise<Judgement>} `input` is what the tool must get. */
async function ask(/** @type {number} */ id, /** @type {string} */ tool, /** @type {Record<string, unknown>} */ input) {
  const event = { id, session_id: "demo", hook_event_name: "PreToolUse", tool_name: tool, tool_input: input };
  const outcome = await new Promise((/** @type {(outcome: Outcome | null) => void} */ settle) => {
    if (gone) return settle(null);
    const timer = setTimeout(() => hooks.kill("SIGKILL"), LIMIT); // it does not answer
    waiting.set(id, (outcome) => (clearTimeout(timer), settle(outcome)));
    hooks.stdin.write(JSON.stringify({ ...event, tool_use_id: `t${id}` }) + "\n");
  });
  if (outcome === null) return { answer: "deny", input, reason: GONE };
  const denies = outcome.blocked || outcome.stop !== null;
  const proceeds = outcome.decision === null || outcome.decision === "allow";
  const answer = denies ? "deny" : proceeds ? "proceed" : "ask";
  return { answer, input: outcome.updated_input ?? input, reason: outcome.reason ?? "" };
}

const commands = ["ls", "rm -rf build", "cat .env", "npm install"];
const judged = await Promise.all(commands.map((command, id) => ask(id, "Bash", { command })));
judged.forEach(({ answer, input, reason }, at) => {
  const runAs = input.command === commands[at] ? "" : `as ${input.command} `;
  console.log(`${commands[at]}: ${answer} ${runAs}${reason}`.trimEnd());
});
hooks.stdin.end();
