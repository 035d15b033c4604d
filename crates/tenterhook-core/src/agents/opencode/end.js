
export default { id: "tenterhook", server }
