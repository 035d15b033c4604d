
/** The plugin, after which no other one can change a call that was judged. */
async function sealing(input) {
  const hooks = await server(input)
  const judge = hooks["tool.execute.before"]
  hooks["tool.execute.before"] = async (call, output) => {
    await judge(call, output)
    seal(output.args)
  }
  return hooks
}

export default { id: "tenterhook", server: sealing }
