// Made by `guarda hook install opencode`; `guarda hook remove opencode` deletes it.
// The guard is asked before every tool. Whatever is not a clear yes throws, and the tool does not run.
import { spawn } from "node:child_process"

const program = "PROGRAM"
const words = "WORDS"
const patience = "PATIENCE"

function ask(event) {
  return new Promise((resolve, reject) => {
    const no = (why) => reject(new Error(`guarda: denied: ${why}`))
    const hook = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] })
    const timer = setTimeout(() => {
      hook.kill("SIGKILL")
      no("no decision in time")
    }, patience)
    let said = ""
    let trouble = ""
    hook.stdout.on("data", (part) => (said += part))
    hook.stderr.on("data", (part) => (trouble += part))
    hook.on("error", (error) => {
      clearTimeout(timer)
      no(String(error))
    })
    hook.on("close", (code) => {
      clearTimeout(timer)
      if (code !== 0) return no(trouble.trim() || `the hook ended with ${code}`)
      try {
        resolve(JSON.parse(said))
      } catch (error) {
        no("its answer is no JSON")
      }
    })
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(event))
  })
}

// What the person knows the conversation by; it is only shown, and nobody waits for it.
async function titled(client, id) {
  const late = new Promise((resolve) => setTimeout(resolve, 500).unref())
  try {
    const found = await Promise.race([client.session.get({ path: { id } }), late])
    const title = found?.data?.title
    return typeof title === "string" ? title : undefined
  } catch {
    return undefined
  }
}

export const Guarda = async ({ client, directory }) => ({
  "tool.execute.before": async (input, output) => {
    const { tool, sessionID, callID } = input
    const title = await titled(client, sessionID)
    const event = { tool, sessionID, title, callID, cwd: directory, args: output.args ?? {}, can_rewrite: true }
    const answer = await ask(event)
    if (answer.decision === "run" && typeof answer.command === "string" && typeof output.args?.command === "string") {
      // The guard runs it: this is what the shell calls it by.
      output.args.command = answer.command
      // It may wait for a person; the guard ends what runs too long.
      output.args.timeout ??= 600000
      return
    }
    if (answer.decision !== "allow" && answer.decision !== "pass") {
      throw new Error(answer.reason || "guarda: denied")
    }
  },
})
