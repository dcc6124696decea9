"""Tries the examples of docs/examples with the real kits. examples.py KIT: prints what the tool gives back for each line of
standard input, as a line of JSON."""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "docs" / "examples"))
kit = sys.argv[1]

if kit == "plain":
    from guarda import execute

    def call(command):
        return execute(command).text()
elif kit == "langchain":
    from langchain_tool import run_command

    def call(command):
        return run_command.invoke({"command": command})
elif kit == "llamaindex":
    from llamaindex_tool import run_command_tool

    def call(command):
        return str(run_command_tool.call(command=command))
else:
    from agents import RunContextWrapper, ShellActionRequest, ShellCallData, ShellCommandRequest
    from openai_agents_shell import agent

    def call(command):
        # A second command, which must not be reached after one that is not done.
        action = ShellActionRequest(commands=[command, "echo second"])
        request = ShellCommandRequest(RunContextWrapper(None), ShellCallData(call_id="c", action=action))
        result = asyncio.run(agent.tools[0].executor(request))
        return "\n".join(f"{one.exit_code} {one.stdout}{one.stderr}" for one in result.output)

for line in sys.stdin:
    print(json.dumps(call(line.rstrip("\n"))), flush=True)
