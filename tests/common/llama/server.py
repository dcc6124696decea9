"""llama.cpp's own HTTP server before a tiny model of random weights, on a free port of this machine, until standard input ends.

The first line of standard output is its address.
"""

import os
import sys
import tempfile

import xllamacpp

from tiny import make

with tempfile.TemporaryDirectory() as folder:
    model = os.path.join(folder, "tiny.gguf")
    make(model, ends=True)
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.n_ctx = 16384
    settings.warmup = False
    settings.cpuparams.n_threads = 2
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()
# The library's threads are not waited for.
os._exit(0)
