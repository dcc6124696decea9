"""The OpenAI Agents SDK: a shell tool whose commands go through the guard."""

from agents import Agent, ShellCallOutcome, ShellCommandOutput, ShellCommandRequest, ShellResult, ShellTool

from guarda import execute


async def executor(request: ShellCommandRequest) -> ShellResult:
    """Runs the commands of a call one after the other, up to the first that is not done."""
    outputs = []
    for command in request.data.action.commands:
        done = execute(command)
        code = 126 if done.exit_code is None else done.exit_code
        outcome = ShellCallOutcome(type="exit", exit_code=code)
        outputs.append(ShellCommandOutput(stdout=done.stdout, stderr=done.stderr, outcome=outcome, command=command))
        if done.exit_code is None:
            break
    return ShellResult(output=outputs)


agent = Agent(name="helper", instructions="Help with files.", tools=[ShellTool(executor=executor)])
