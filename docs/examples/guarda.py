"""Commands through guarda-costas, for agents in Python: the guard judges a command, asks the user if necessary, runs it in
its sandbox, and returns its output. Needs the program `guarda` and a running `guarda serve`."""

import json
import subprocess
from dataclasses import dataclass


@dataclass
class Done:
    """The result of a command. Without an exit status, it was not run."""

    exit_code: int | None
    stdout: str
    stderr: str

    def text(self) -> str:
        """The result as text for a model."""
        if self.exit_code is None:
            return self.stderr
        return f"exit status {self.exit_code}\n{self.stdout}{self.stderr}"


def execute(command: str, cwd: str | None = None, session: str | None = None, reason: str | None = None,
            patience: float = 330) -> Done:
    """Asks the guard to run a command and waits for its end. After any failure, nothing was done."""
    request = {"action": "RUN_COMMAND", "target": command, "cwd": cwd, "session": session, "reasoning": reason}
    request = {name: value for name, value in request.items() if value is not None}
    try:
        told = subprocess.run(["guarda", "act", "-", "--json"], input=json.dumps(request), capture_output=True, text=True,
                              timeout=patience)
        reply = json.loads(told.stdout) if told.stdout.strip() else {"message": told.stderr.strip()}
        if reply.get("outcome") == "done":
            output = reply["output"]
            return Done(output["exit_code"], output["stdout"], output["stderr"])
        why = [reply.get("message") or "", reply.get("reason") or ""]
        why += [finding["why"] for finding in reply.get("findings", [])[:3]]
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as error:
        why = [str(error)]
    return Done(None, "", "guarda: not done: " + "; ".join(part for part in why if part))
