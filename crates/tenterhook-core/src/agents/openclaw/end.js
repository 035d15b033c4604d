const LOADED = Symbol.for("tenterhook.openclaw.loaded")
const UNHEARD =
  "Tenterhook ended this run: `openclaw agent exec` runs no hook, so no call of a tool would be judged. Use `openclaw agent --local`, or run `tenterhook uninstall openclaw`.\n"

/** Ends `openclaw agent exec`: it reads this file, and runs no handler that is registered here. */
function endIfUnheard(api) {
  if (api.registrationMode === "full") globalThis[LOADED] = true
  const isExec = process.argv.some((word, at, words) => word === "agent" && words[at + 1] === "exec")
  if (globalThis[LOADED] || !isExec) return
  process.stderr.write(UNHEARD)
  process.exit(1)
}

/** Shows a text to the user: standard error is the terminal, or the log of the gateway. */
function show(text) {
  process.stderr.write(`${text}\n`)
}

function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}

/** The parameters to run with, all of them: OpenClaw adds what it is given to those that the model sent. */
function replacing(before, after) {
  if (after === null || typeof after !== "object" || Array.isArray(after)) throw new Error(GONE)
  const gone = Object.keys(before).filter((key) => !(key in after))
  return { ...Object.fromEntries(gone.map((key) => [key, undefined])), ...after }
}

/** The name of the tool. In code mode, the one that is called `exec` runs JavaScript. */
function toolName(event) {
  return event.toolKind === "code_mode_exec" ? event.toolKind : event.toolName
}

function register(api) {
  endIfUnheard(api)
  /** The workspace of each session: a call of a tool does not bring it. */
  const workspaces = new Map()
  /** What became of the prompts of each run: the prompt, and the reply or the fault. */
  const prompts = new Map()
  /** The texts that this file sends in place of the user. */
  const sent = []
  const quietly = (asked) => asked.catch(() => ({}))
  const about = (ctx) => ({
    session_id: ctx?.sessionId ?? "",
    cwd: workspaces.get(ctx?.sessionId) ?? ctx?.workspaceDir ?? process.cwd(),
  })
  const askAndShow = async (ctx, event, seconds, payload) => {
    const reply = await ask(event, seconds, { ...about(ctx), ...payload })
    if (typeof reply.message === "string") show(reply.message)
    return reply
  }
  /** Judges a prompt once a run. The reply, and why it is denied, if it is. */
  const judgePrompt = async (prompt, ctx) => {
    // OpenClaw puts context before a prompt.
    const ends = (text) => prompt === text || (text !== "" && prompt.endsWith(text))
    const known = ctx?.runId && prompts.get(ctx.runId)
    if (known && ends(known.prompt)) return known
    const judged = { prompt, reply: {} }
    const own = sent.findIndex(ends)
    try {
      if (own >= 0) sent.splice(own, 1)
      else judged.reply = await askAndShow(ctx, "UserPromptSubmit", 60, { prompt })
      heed(judged.reply)
    } catch (error) {
      judged.denied = messageOf(error)
    }
    prompts.set(ctx?.runId, judged)
    return judged
  }

  api.on(
    "before_prompt_build",
    async (event, ctx) => {
      const texts = []
      if (!workspaces.has(ctx?.sessionId)) {
        workspaces.set(ctx?.sessionId, ctx?.workspaceDir)
        const source = event.messages?.length > 0 ? "resume" : "startup"
        const reply = await quietly(askAndShow(ctx, "SessionStart", 60, { source }))
        if (typeof reply.context === "string") texts.push(reply.context)
      }
      const { reply } = await judgePrompt(String(event.prompt ?? ""), ctx)
      if (typeof reply.context === "string") texts.push(reply.context)
      if (texts.length > 0) return { prependContext: texts.join("\n") }
    },
    { timeoutMs: 125_000 },
  )
  api.on(
    "before_agent_run",
    async (event, ctx) => {
      const { denied } = await judgePrompt(String(event.prompt ?? ""), ctx)
      if (denied !== undefined) return { outcome: "block", reason: denied, message: denied }
    },
    { timeoutMs: 65_000, priority: Number.NEGATIVE_INFINITY },
  )
  // Every handler receives the call as the model made it, and the parameters of the last one are run: that is this one.
  api.on(
    "before_tool_call",
    async (event, ctx) => {
      const input = event.params ?? {}
      try {
        const reply = await askAndShow(ctx, "PreToolUse", 600, {
          tool_name: toolName(event),
          tool_input: input,
          tool_use_id: event.toolCallId,
        })
        const params = replacing(input, reply.args ?? input)
        if (reply.decision !== "ask") {
          heed(reply)
          return { params }
        }
        const description = String(reply.reason ?? "A hook wants you to decide.")
        const title = `Tenterhook: ${event.toolName}`
        return {
          params,
          requireApproval: {
            title,
            description,
            severity: "warning",
            allowedDecisions: ["allow-once", "deny"],
            // OpenClaw tells the model only that it cannot ask.
            onResolution: (decision) => decision === "cancelled" && show(`${title}: ${description}`),
          },
        }
      } catch (error) {
        return { block: true, blockReason: messageOf(error) }
      }
    },
    { timeoutMs: 600_000, priority: Number.NEGATIVE_INFINITY },
  )
  api.registerAgentToolResultMiddleware(
    async (event, ctx) => {
      const result = event.result ?? {}
      // A call that did not run has no result.
      if (result.details?.deniedReason !== undefined) return
      const content = result.content ?? []
      const text = content.filter((part) => part.type === "text").map((part) => part.text)
      const reply = await quietly(
        askAndShow(ctx, event.isError ? "PostToolUseFailure" : "PostToolUse", 600, {
          ...(event.cwd ? { cwd: event.cwd } : {}),
          tool_name: event.toolName,
          tool_input: event.args ?? {},
          tool_use_id: event.toolCallId,
          ...(event.isError ? { error: text.join("\n") } : { tool_response: content }),
        }),
      )
      const texts = []
      if (reply.decision === "deny") texts.push(reply.reason ?? "A hook objects to this.")
      if (typeof reply.context === "string") texts.push(reply.context)
      const replaced = typeof reply.output === "string"
      if (replaced) texts.unshift(reply.output)
      if (texts.length === 0) return
      const added = texts.map((text) => ({ type: "text", text: String(text) }))
      return { result: { ...result, content: replaced ? added : [...content, ...added] } }
    },
    { runtimes: ["openclaw"] },
  )
  api.on(
    "before_agent_finalize",
    async (event, ctx) => {
      const reply = await quietly(askAndShow(ctx, "Stop", 600, { stop_hook_active: event.stopHookActive === true }))
      if (reply.decision !== "deny") return
      const text = String(reply.reason ?? "A hook wants this to go on.")
      sent.push(text)
      return { action: "revise", reason: text }
    },
    { timeoutMs: 600_000 },
  )
  api.on("agent_end", (event, ctx) => {
    prompts.delete(ctx?.runId)
  })
  api.on("session_end", async (event, ctx) => {
    await quietly(ask("SessionEnd", 10, { ...about(ctx), reason: event.reason ?? "unknown" }))
    workspaces.delete(ctx?.sessionId)
  })
}

export default {
  id: "tenterhook",
  name: "Tenterhook",
  description: "Asks Tenterhook before and after what OpenClaw does.",
  register,
}
