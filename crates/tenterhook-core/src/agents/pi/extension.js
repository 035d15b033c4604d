/** Adds texts to the result of a tool. */
function withTexts(event, texts) {
  const added = texts.map((text) => ({ type: "text", text }))
  const result = { content: [...(event.content ?? []), ...added] }
  if (event.structuredContent !== undefined) result.structuredContent = event.structuredContent
  return result
}

/** Shows a text to the user. Without a window, standard error is the only place for it. */
function show(ctx, text, kind) {
  if (ctx.hasUI) ctx.ui.notify(text, kind)
  else process.stderr.write(`${text}\n`)
}

export default function (pi) {
  /** What the next prompt brings to the model, from hooks that answered before. */
  const contexts = []
  /** The texts that this file sends in place of the user. */
  const sent = []
  const quietly = (asked) => asked.catch(() => ({}))
  const about = (ctx) => ({
    session_id: ctx.sessionManager?.getSessionId?.() ?? "",
    transcript_path: ctx.sessionManager?.getSessionFile?.(),
    cwd: ctx.cwd ?? process.cwd(),
  })
  /** Asks, shows what a hook wants the user to know, and keeps context for the next prompt. */
  const askAndKeep = async (ctx, event, seconds, payload) => {
    const reply = await ask(event, seconds, { ...about(ctx), ...payload })
    if (typeof reply.message === "string") show(ctx, reply.message, "info")
    if (typeof reply.context === "string") contexts.push(reply.context)
    return reply
  }
  let started

  pi.on("session_start", (event, ctx) => {
    started = quietly(askAndKeep(ctx, "SessionStart", 60, { source: event.reason ?? "startup" }))
  })
  pi.on("input", async (event, ctx) => {
    const own = event.source === "extension" ? sent.indexOf(event.text) : -1
    if (own >= 0) {
      sent.splice(own, 1)
      return
    }
    // A throw would not stop the prompt.
    try {
      const reply = await askAndKeep(ctx, "UserPromptSubmit", 60, { prompt: event.text })
      heed(reply)
      if (typeof reply.prompt === "string") return { action: "transform", text: reply.prompt, images: event.images }
    } catch (error) {
      show(ctx, error instanceof Error ? error.message : String(error), "error")
      return { action: "handled" }
    }
  })
  pi.on("before_agent_start", async () => {
    await started
    const texts = contexts.splice(0)
    if (texts.length > 0) {
      return { message: { customType: "tenterhook", content: texts.join("\n"), display: false } }
    }
  })
  pi.on("tool_call", async (event, ctx) => {
    const judged = JSON.stringify(event.input)
    const reply = await ask("PreToolUse", 600, {
      ...about(ctx),
      tool_name: event.toolName,
      tool_input: event.input ?? {},
      tool_use_id: event.toolCallId,
    })
    if (typeof reply.message === "string") show(ctx, reply.message, "info")
    heed(reply)
    if (JSON.stringify(event.input) !== judged) throw new Error(CHANGED)
    if (reply.args !== undefined) {
      if (reply.args === null || typeof reply.args !== "object") throw new Error(GONE)
      become(event.input, reply.args)
    }
    seal(event.input)
  })
  pi.on("tool_result", async (event, ctx) => {
    const name = event.isError ? "PostToolUseFailure" : "PostToolUse"
    const content = event.content ?? []
    const text = content.filter((part) => part.type === "text").map((part) => part.text)
    const reply = await quietly(
      ask(name, 600, {
        ...about(ctx),
        tool_name: event.toolName,
        tool_input: event.input ?? {},
        tool_use_id: event.toolCallId,
        ...(event.isError ? { error: text.join("\n") } : { tool_response: content }),
      }),
    )
    if (typeof reply.message === "string") show(ctx, reply.message, "info")
    const texts = []
    if (reply.decision === "deny") texts.push(reply.reason ?? "A hook objects to this.")
    if (typeof reply.context === "string") texts.push(reply.context)
    if (typeof reply.output === "string") return withTexts({}, [reply.output, ...texts])
    if (texts.length > 0) return withTexts(event, texts)
  })
  pi.on("agent_end", async (event, ctx) => {
    const last = event.messages?.at(-1)
    if (last?.stopReason === "aborted" || last?.stopReason === "error") return
    const reply = await quietly(askAndKeep(ctx, "Stop", 600, {}))
    if (reply.decision !== "deny") return
    const text = String(reply.reason ?? "A hook wants this to go on.")
    sent.push(text)
    pi.sendUserMessage(text, { deliverAs: "followUp" })
  })
  pi.on("session_shutdown", async (event, ctx) => {
    await quietly(ask("SessionEnd", 10, { ...about(ctx), reason: event.reason ?? "quit" }))
  })
}
