"""LlamaIndex: a tool whose commands go through the guard."""

from llama_index.core.tools import FunctionTool

from guarda import execute


def run_command(command: str, reason: str = "") -> str:
    """Runs a shell command on the user's computer, if the user's guard allows it. A refusal is final."""
    return execute(command, reason=reason or None).text()


run_command_tool = FunctionTool.from_defaults(fn=run_command)
