// LangChain: a tool whose commands go through the guard.
import { tool } from "@langchain/core/tools"
import { z } from "zod"

import { execute, text } from "./guarda.ts"

export const runCommand = tool(async ({ command, reason }) => text(await execute(command, { reason })), {
  name: "run_command",
  description: "Runs a shell command on the user's computer, if the user's guard allows it. A refusal is final.",
  schema: z.object({ command: z.string(), reason: z.string().optional() }),
})
