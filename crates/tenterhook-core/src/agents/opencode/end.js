
/** The plugin, after which no other one can change a call that was judged. */
async function sealing(input) {
  const hooks = await server(input)
  const judge = hooks["tool.execute.before"]
  hooks["tool.execute.before"] = async (call, output) => {
    const judged = { ...output, args: structuredClone(output.args) }
    const before = JSON.stringify(output.args)
    await judge(call, judged)
    if (JSON.stringify(output.args) !== before) throw new Error(CHANGED)
    if (output.args && typeof output.args === "object") become(output.args, judged.args)
    else output.args = judged.args
    seal(output.args)
  }
  return hooks
}

export default { id: "tenterhook", server: sealing }
