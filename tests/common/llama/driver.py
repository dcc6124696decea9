"""Lets llama.cpp write by a grammar: its own parser and sampler, and a tiny model with random weights made here.

Standard input: {"grammars": {name: text}, "seeds": n}; standard output: {name: [text or null, ...]}, null where the text was
cut off. A grammar that cannot be loaded is a string that begins with "error".
"""

import json
import os
import sys
import tempfile

import xllamacpp

from tiny import make


def write(server, grammar, seed):
    # The quote is made likelier, so that texts come to an end.
    order = {"prompt": "a", "grammar": grammar, "n_predict": 600, "seed": seed, "temperature": 1.0, "logit_bias": [[34, 3.0]]}
    try:
        told = server.handle_completions(order)
    except Exception as error:
        return f"error: {error}"
    told = json.loads(told) if isinstance(told, (str, bytes)) else told
    if "choices" not in told:
        return f"error: {json.dumps(told)}"
    [choice] = told["choices"]
    return choice["text"] if choice["finish_reason"] == "stop" else None


order = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    model = os.path.join(folder, "tiny.gguf")
    make(model)
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.n_ctx = 2048
    settings.warmup = False
    settings.cpuparams.n_threads = 2
    server = xllamacpp.Server(settings)
    told = {name: [write(server, text, seed) for seed in range(order["seeds"])] for name, text in order["grammars"].items()}
print(json.dumps(told), flush=True)
# The library's threads are not waited for.
os._exit(0)
