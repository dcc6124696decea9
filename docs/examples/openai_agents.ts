// The OpenAI Agents SDK: a tool whose commands go through the guard.
import { Agent, tool } from "@openai/agents"
import { z } from "zod"

import { execute, text } from "./guarda.ts"

export const runCommand = tool({
  name: "run_command",
  description: "Runs a shell command on the user's computer, if the user's guard allows it. A refusal is final.",
  parameters: z.object({ command: z.string(), reason: z.string().nullable() }),
  execute: async ({ command, reason }) => text(await execute(command, { reason: reason ?? undefined })),
})

export const agent = new Agent({ name: "helper", instructions: "Help with files.", tools: [runCommand] })
