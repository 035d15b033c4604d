/** Adds a text to a result of a tool; those of MCP tools have another form. */
function add(output, text) {
  if (Array.isArray(output.content)) output.content.push({ type: "text", text })
  else output.output = output.output ? `${output.output}\n${text}` : text
}

function partId() {
  return `prt_${Date.now().toString(16)}${Math.random().toString(16).slice(2).padEnd(14, "0")}`
}

async function server(input) {
  const cwd = input?.directory ?? process.cwd()
  /** What a session is told at its start, once it is known. */
  const starts = new Map()
  const quietly = (asked) => asked.catch(() => ({}))
  return {
    "tool.execute.before": async (call, output) => {
      const reply = await ask("PreToolUse", 600, {
        session_id: call.sessionID,
        cwd,
        tool_name: call.tool,
        tool_input: output.args ?? {},
        tool_use_id: call.callID,
      })
      heed(reply)
      if (reply.args !== undefined) {
        if (reply.args === null || typeof reply.args !== "object") throw new Error(GONE)
        if (output.args && typeof output.args === "object") become(output.args, reply.args)
        else output.args = reply.args
      }
    },
    "tool.execute.after": async (call, output) => {
      const reply = await quietly(
        ask("PostToolUse", 600, {
          session_id: call.sessionID,
          cwd,
          tool_name: call.tool,
          tool_input: call.args ?? {},
          tool_use_id: call.callID,
          tool_response: output.content ?? output.output,
        }),
      )
      if (typeof reply.output === "string") {
        if (Array.isArray(output.content)) output.content = [{ type: "text", text: reply.output }]
        else output.output = reply.output
        if (output.metadata && "output" in output.metadata) output.metadata.output = reply.output
      }
      if (reply.decision === "deny") add(output, reply.reason ?? "A hook objects to this.")
      if (typeof reply.context === "string") add(output, reply.context)
    },
    "chat.message": async (call, output) => {
      const texts = (output.parts ?? []).filter((it) => it.type === "text" && !it.synthetic)
      const prompt = texts.map((it) => it.text).join("\n")
      const reply = await ask("UserPromptSubmit", 60, { session_id: call.sessionID, cwd, prompt })
      heed(reply)
      if (typeof reply.prompt === "string") {
        texts.forEach((it, at) => (it.text = at === 0 ? reply.prompt : ""))
      }
      if (typeof reply.context === "string") {
        output.parts.push({
          id: partId(),
          sessionID: call.sessionID,
          messageID: output.message?.id ?? call.messageID,
          type: "text",
          text: reply.context,
          synthetic: true,
        })
      }
    },
    "shell.env": async (call, output) => {
      const reply = await quietly(ask("shell_env", 30, { session_id: call.sessionID ?? "", cwd: call.cwd ?? cwd }))
      if (reply.env && typeof reply.env === "object") Object.assign(output.env, reply.env)
    },
    "experimental.chat.system.transform": async (call, output) => {
      const reply = await starts.get(call.sessionID)
      if (typeof reply?.context === "string") output.system.push(reply.context)
    },
    event: async ({ event }) => {
      const session = event?.properties?.info?.id ?? event?.properties?.sessionID
      if (event?.type === "session.created" && !event.properties?.info?.parentID) {
        starts.set(session, quietly(ask("SessionStart", 60, { session_id: session, cwd, source: "startup" })))
      }
      if (event?.type === "session.deleted") starts.delete(session)
      if (event?.type === "session.idle") await quietly(ask("session.idle", 60, { session_id: session, cwd }))
    },
  }
}
