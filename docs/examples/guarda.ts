// Commands through guarda-costas, for agents in TypeScript: the guard judges a command, asks the user if necessary, runs it
// in its sandbox, and returns its output. Needs the program `guarda` and a running `guarda serve`.
import { spawn } from "node:child_process"

/** The result of a command. Without an exit status, it was not run. */
export type Done = { exitCode: number | null; stdout: string; stderr: string }

/** The result as text for a model. */
export function text(done: Done): string {
  return done.exitCode === null ? done.stderr : `exit status ${done.exitCode}\n${done.stdout}${done.stderr}`
}

/** Asks the guard to run a command and waits for its end. After any failure, nothing was done. */
export function execute(command: string, more: { cwd?: string; reason?: string } = {}, patience = 330_000): Promise<Done> {
  return new Promise((resolve) => {
    const no = (why: string) => resolve({ exitCode: null, stdout: "", stderr: `guarda: not done: ${why}` })
    const guard = spawn("guarda", ["act", "-", "--json"], { timeout: patience, killSignal: "SIGKILL" })
    let said = ""
    let trouble = ""
    guard.stdout.on("data", (part) => (said += part))
    guard.stderr.on("data", (part) => (trouble += part))
    guard.on("error", (error) => no(String(error)))
    guard.on("close", () => {
      try {
        const reply = JSON.parse(said)
        if (reply.outcome === "done") {
          const { exit_code: exitCode, stdout, stderr } = reply.output
          return resolve({ exitCode, stdout, stderr })
        }
        const why = (reply.findings ?? []).slice(0, 3).map((finding: { why: string }) => finding.why)
        no([reply.message, reply.reason, ...why].filter(Boolean).join("; "))
      } catch (error) {
        no(trouble.trim() || String(error))
      }
    })
    guard.stdin.on("error", () => {})
    const { cwd, reason: reasoning } = more
    guard.stdin.end(JSON.stringify({ action: "RUN_COMMAND", target: command, cwd, reasoning }))
  })
}
