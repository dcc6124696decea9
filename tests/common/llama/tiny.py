"""A tiny model of random weights, for llama.cpp: its form is that of Granite, and it knows nothing."""

import gguf
import numpy

WIDTH, LAYERS, HEADS, FORWARD = 64, 2, 4, 128


def table():
    """How GPT-2 writes bytes as characters."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + place) for place, byte in enumerate(rest)}


def make(path, ends=False):
    """Writes the model. `ends`: it likes quotes, so that its texts come to an end soon."""
    to = gguf.GGUFWriter(path, "granite")
    to.add_context_length(16384)
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
        weights = (chance.standard_normal(shape) * 0.08).astype(numpy.float32)
        # One number of every state is always large; by it quotes are always likely, and blanks never.
        if ends and name == "token_embd.weight":
            weights[:, 0] = 4
        if ends and name == "output.weight":
            weights[:, 0] = 0
            weights[ord('"'), 0] = 4
            weights[[9, 10, 32], 0] = -4
        to.add_tensor(name, weights)

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
