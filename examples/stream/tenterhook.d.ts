// Types of the lines of `tenterhook fire --stream`, protocol version 1. Keys and kinds of lines may be added within a version.

export type Decision = "allow" | "ask" | "defer" | "deny";

/** A failure or a deviation, and the remedy. */
export interface Fault {
  code: string;
  hook: string | null;
  message: string;
}

/** The decision that a hook in shadow would have made. */
export interface Shadow {
  decision: Decision | "stop" | "silent";
  reason: string | null;
  rewrote: boolean;
  context: string | null;
  faults: Fault[];
}

/** One hook that ran. */
export interface Step {
  hook: string;
  source: string;
  line: number;
  executor: string;
  ended: string;
  duration_ms: number;
  verdict: Decision | null;
  shadow?: Shadow;
}

/** The joint decision of all hooks about one event. Apply `blocked` and `stop` first, then `decision`, then the rest. */
export interface Outcome {
  id?: unknown;
  blocked: boolean;
  decision: Decision | null;
  reason: string | null;
  updated_input: Record<string, unknown> | null;
  updated_prompt: string | null;
  updated_output: unknown;
  additional_context: string | null;
  system_messages: string[];
  stop: { reason: string | null } | null;
  updated_permissions: unknown[];
  watch_paths: string[] | null;
  initial_user_message: string | null;
  retry: boolean | null;
  env: Record<string, unknown>;
  extra: Record<string, unknown>;
  faults: Fault[];
  steps: Step[];
}

/** A tool call before it runs, in the form of Claude Code. */
export interface PreToolUse {
  id?: unknown;
  session_id: string;
  hook_event_name: "PreToolUse";
  cwd?: string;
  tool_name: string;
  tool_input: Record<string, unknown>;
  tool_use_id?: string;
}

/** A request of a host, beside its events. `cancel` is the `id` of an open event. */
export type Request = { id?: unknown } & (
  | { hello: true }
  | { cancel: unknown }
  | { reload: true }
  | { status: true | "follow" }
);

export interface HelloReply {
  id: unknown;
  hello: { version: string; protocol: number; dialect: string; requests: string[]; max_open: number };
}

/** If the event was open, its outcome follows. */
export interface CancelReply {
  id: unknown;
  cancel: { id: unknown; open: boolean };
}

/** With an `error`, the previous hooks stay in effect. */
export interface ReloadReply {
  id: unknown;
  reload: { hooks: number; built_in: number; error: string | null; faults: Fault[] };
}

/** Without an `id` if it is sent because the message changed. */
export interface StatusReply {
  id?: unknown;
  status: { hooks: number; built_in: number; open: unknown[]; background: { event: string; hook: string }[]; message: string | null };
}

/** A background hook that ended after its event. */
export interface Finished {
  finished: { event: string; wakes: boolean; outcome: Outcome };
}

export type Line = Outcome | HelloReply | CancelReply | ReloadReply | StatusReply | Finished;
