// Tries the examples of docs/examples with the real kits. examples.mjs KIT FOLDER: prints what the tool gives back for each
// line of standard input, as a line of JSON. FOLDER has the examples beside the kits' node_modules.
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

const [kit, folder] = process.argv.slice(2)
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href)
const calls = {
  plain: async () => {
    const { execute, text } = await load("guarda.ts")
    return async (command) => text(await execute(command))
  },
  "openai-agents": async () => {
    const { runCommand } = await load("openai_agents.ts")
    return (command) => runCommand.invoke({}, JSON.stringify({ command, reason: null }))
  },
  langchain: async () => {
    const { runCommand } = await load("langchain.ts")
    return (command) => runCommand.invoke({ command })
  },
  llamaindex: async () => {
    const { runCommand } = await load("llamaindex.ts")
    return (command) => runCommand.call({ command })
  },
}
const call = await calls[kit]()
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await call(line)))
}
process.exit(0)
