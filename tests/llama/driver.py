"""Lets llama.cpp write by a grammar: its own parser and sampler, and a tiny model with random weights made here.

Standard input: {"grammars": {name: text}, "seeds": n}; standard output: {name: [text or null, ...]}, null where the text was
cut off. A grammar that cannot be loaded is a string that begins with "error".
"""

import json
import os
import sys
import tempfile

import gguf
import numpy
import xllamacpp

WIDTH, LAYERS, HEADS, FORWARD = 64, 2, 4, 128


def table():
    """How GPT-2 writes bytes as characters."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + place) for place, byte in enumerate(rest)}


def make(path):
    to = gguf.GGUFWriter(path, "granite")
    to.add_context_length(2048)
    to.add_embedding_length(WIDTH)
    to.add_block_count(LAYERS)
    to.add_feed_forward_length(FORWARD)
    to.add_head_count(HEADS)
    to.add_head_count_kv(HEADS)
    to.add_layer_norm_rms_eps(1e-5)
    to.add_rope_dimension_count(WIDTH // HEADS)
    to.add_embedding_scale(1.0)
    to.add_residual_scale(1.0)
    to.add_attention_scale(0.25)
    to.add_logit_scale(1.0)
    byte = table()
    tokens = [byte[number] for number in range(256)] + ["<|end_of_text|>", byte[97] + byte[99]]
    to.add_vocab_size(len(tokens))
    to.add_tokenizer_model("gpt2")
    to.add_tokenizer_pre("default")
    to.add_token_list(tokens)
    to.add_token_types([gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL, gguf.TokenType.NORMAL])
    # llama.cpp refuses a list without merges.
    to.add_token_merges([f"{byte[97]} {byte[99]}"])
    to.add_bos_token_id(256)
    to.add_eos_token_id(256)
    to.add_add_bos_token(False)
    chance = numpy.random.default_rng(7)

    def random(name, *shape):
        to.add_tensor(name, (chance.standard_normal(shape) * 0.08).astype(numpy.float32))

    def ones(name):
        to.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    random("token_embd.weight", len(tokens), WIDTH)
    ones("output_norm.weight")
    random("output.weight", len(tokens), WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        ones(block + "attn_norm.weight")
        ones(block + "ffn_norm.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            random(f"{block}{name}.weight", WIDTH, WIDTH)
        random(block + "ffn_gate.weight", FORWARD, WIDTH)
        random(block + "ffn_up.weight", FORWARD, WIDTH)
        random(block + "ffn_down.weight", WIDTH, FORWARD)
    to.write_header_to_file()
    to.write_kv_data_to_file()
    to.write_tensors_to_file()
    to.close()


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
