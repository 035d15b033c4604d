export const description = "Asks Tenterhook before and after what Amp does"

export default function (amp) {
  /** What the next prompt of a thread brings to the model, from hooks that answered before. */
  const contexts = new Map()
  const quietly = (asked) => asked.catch(() => ({}))
  /** The workspace; without one, the directory in which Amp was started. A plugin runs in its own folder. */
  const directory = () => {
    try {
      return amp.helpers.filePathFromURI(amp.system.workspaceRoot)
    } catch {
      return process.env.PWD ?? process.cwd()
    }
  }
  /** Without a window, standard error is the only place for a text to the user. */
  const show = async (ctx, text) => {
    try {
      await ctx.ui.notify(text)
    } catch {
      process.stderr.write(`${text}\n`)
    }
  }
  const askAndShow = async (ctx, event, seconds, payload, thread) => {
    const about = { session_id: thread?.id ?? "", cwd: directory() }
    const reply = await ask(event, seconds, { ...about, ...payload })
    if (typeof reply.message === "string") await show(ctx, reply.message)
    return reply
  }
  /** Keeps the context of a reply for the next prompt of a thread. */
  const keep = (thread, reply) => {
    if (typeof reply.context !== "string") return
    contexts.set(thread?.id, [...(contexts.get(thread?.id) ?? []), reply.context])
  }
  // A call of `Bash` names its line `cmd`, one of `shell_command` names it `command`.
  const toNeutral = ({ tool, input }) => {
    const { cmd, ...rest } = input ?? {}
    return tool === "Bash" && cmd !== undefined ? { ...rest, command: cmd } : (input ?? {})
  }
  const toOwn = (tool, args) => {
    const { command, ...rest } = args
    return tool === "Bash" && command !== undefined ? { ...rest, cmd: command } : args
  }
  const about = (event) => ({
    tool_name: event.tool,
    tool_input: toNeutral(event),
    tool_use_id: event.toolUseID,
  })

  amp.on("session.start", async (event, ctx) => {
    keep(event.thread, await quietly(askAndShow(ctx, "SessionStart", 60, {}, event.thread)))
  })
  amp.on("agent.start", async (event, ctx) => {
    // An error would not stop the prompt.
    try {
      const reply = await askAndShow(ctx, "UserPromptSubmit", 60, { prompt: event.message }, event.thread)
      heed(reply)
      keep(event.thread, reply)
    } catch (error) {
      await show(ctx, error instanceof Error ? error.message : String(error))
      await ctx.thread.cancel()
      return {}
    }
    const texts = contexts.get(event.thread?.id) ?? []
    contexts.delete(event.thread?.id)
    return texts.length > 0 ? { message: { content: texts.join("\n"), display: false } } : {}
  })
  amp.on("tool.call", async (event, ctx) => {
    try {
      const reply = await askAndShow(ctx, "PreToolUse", 600, about(event), event.thread)
      heed(reply)
      if (reply.args === undefined) return { action: "allow" }
      if (reply.args === null || typeof reply.args !== "object") throw new Error(GONE)
      return { action: "modify", input: toOwn(event.tool, reply.args) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { action: "reject-and-continue", message }
    }
  })
  amp.on("tool.result", async (event, ctx) => {
    const name = event.status === "error" ? "PostToolUseFailure" : "PostToolUse"
    const result = event.status === "error" ? { error: event.error ?? "" } : { tool_response: event.output }
    const reply = await quietly(askAndShow(ctx, name, 600, { ...about(event), ...result }, event.thread))
    const texts = []
    if (reply.decision === "deny") texts.push(reply.reason ?? "A hook objects to this.")
    if (typeof reply.context === "string") texts.push(reply.context)
    if (typeof reply.output !== "string" && texts.length === 0) return undefined
    if (event.status === "error") return { status: "error", error: [event.error ?? "", ...texts].join("\n") }
    const text = typeof event.output === "string" ? event.output : JSON.stringify(event.output ?? "")
    return { status: event.status, output: [reply.output ?? text, ...texts].join("\n") }
  })
  amp.on("agent.end", async (event, ctx) => {
    if (event.status !== "done") return undefined
    const reply = await quietly(askAndShow(ctx, "Stop", 600, {}, event.thread))
    keep(event.thread, reply)
    if (reply.decision !== "deny") return undefined
    return { action: "continue", userMessage: String(reply.reason ?? "A hook wants this to go on.") }
  })
}
