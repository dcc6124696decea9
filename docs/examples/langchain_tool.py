"""LangChain: a tool whose commands go through the guard."""

from langchain_core.tools import tool

from guarda import execute


@tool
def run_command(command: str, reason: str = "") -> str:
    """Runs a shell command on the user's computer, if the user's guard allows it. A refusal is final."""
    return execute(command, reason=reason or None).text()
