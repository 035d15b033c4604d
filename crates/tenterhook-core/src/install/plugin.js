// Written by `tenterhook install @AGENT@`: asks Tenterhook before and after what @TITLE@ does. Decides nothing itself.
//
// It throws to deny, changes arguments in place, and denies where no answer comes. It depends on nothing, so that it
// cannot fail to load: there @TITLE@ would go on unguarded.
import { spawn } from "node:child_process"

const PROGRAM = @PROGRAM@
const GONE =
  "Tenterhook did not answer, so this is not done. Tell the user to install tenterhook again, or to run `tenterhook uninstall @AGENT@`."
const LONGEST_REPLY = 16 * 1024 * 1024

/** Asks about an event: the reply as an object, empty where there is no opinion. Throws where no answer comes. */
function ask(event, seconds, payload) {
  return new Promise((resolve, reject) => {
    const none = (why) => reject(new Error(`${GONE} (${why})`))
    const within = seconds > 60 ? seconds - 10 : seconds - 5
    const args = ["hook", "--agent", "@AGENT@", "--event", event, "--within", `${within}s`]
    let body
    let child
    try {
      body = JSON.stringify({ agent: "@AGENT@", hook_event_name: event, ...payload })
      child = spawn(PROGRAM, args, { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      return none(String(error))
    }
    const chunks = []
    let size = 0
    const end = (why) => {
      child.kill("SIGKILL")
      none(why)
    }
    const timer = setTimeout(() => end(`it took longer than ${seconds} seconds`), seconds * 1000)
    child.on("error", (error) => (clearTimeout(timer), none(error.message)))
    child.stdin.on("error", () => {})
    child.stdout.on("error", () => {})
    child.stdout.on("data", (chunk) => {
      size += chunk.length
      if (size > LONGEST_REPLY) end("its reply is too long")
      else chunks.push(chunk)
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) return none(signal ?? `exit code ${code}`)
      const text = Buffer.concat(chunks).toString("utf8").trim()
      try {
        const reply = text === "" ? {} : JSON.parse(text)
        if (reply === null || typeof reply !== "object" || Array.isArray(reply)) return none("its reply is no object")
        resolve(reply)
      } catch {
        none("its reply is no JSON")
      }
    })
    child.stdin.end(body)
  })
}

/** Denies where the reply says so, or says what this file does not know. */
function heed(reply) {
  const denied = reply.decision !== undefined && reply.decision !== "allow"
  if (denied) throw new Error(reply.reason ? String(reply.reason) : "A hook denied this.")
}

/** Makes one object the other, in place: @TITLE@ goes on with the one that it handed out. */
function become(target, source) {
  for (const key of Object.keys(target)) delete target[key]
  // An assignment would take a key `__proto__` for the prototype, whose values no hook was shown.
  Object.defineProperties(target, Object.getOwnPropertyDescriptors(source))
}

