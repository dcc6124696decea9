#!/usr/bin/env python3
"""Denies `git push` to the main branch, and asks if the branch is known only at run time."""

import json
import sys

event = json.load(sys.stdin)


def answer(decision, reason=None):
    json.dump({"decision": decision, "reason": reason}, sys.stdout)
    sys.exit()


# `runs` lists every program that would run, wherever it occurs in the line; null is a word that is known only at run time.
for words in event["runs"]:
    if not words or words[0] is None or words[0].rsplit("/", 1)[-1] != "git" or "push" not in words:
        continue
    after = words[words.index("push") + 1 :]
    if None in after:
        answer("ask", "the branch is known only when it runs")
    if any(word.rsplit(":", 1)[-1].rsplit("/", 1)[-1] in ("main", "master") for word in after):
        answer("deny", "nothing is pushed to the main branch; push another one and open a pull request")
answer("pass")
