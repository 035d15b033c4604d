const CHANGED = "The call changed while Tenterhook judged it, so it is not done."

/** Makes a call unchangeable, so that what loads later cannot change what was judged: its attempt throws, which denies. */
function seal(value) {
  if (value === null || typeof value !== "object") return
  Object.freeze(value)
  for (const key of Object.keys(value)) seal(value[key])
}

