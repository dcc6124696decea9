"""A model on loopback that knows one thing: it takes one step after the other, and then says that it is done.

model.py STEPS: STEPS is a list, as JSON, of {"run": LINE}, which calls the client's shell tool, and {"write": PATH,
"content": TEXT}, which calls its tool for writing files, or its shell where it has none. Prints its port, and then each result of the tool that a client sends back, as a line of JSON. Speaks the
protocols of Anthropic (messages), OpenAI (responses, chat completions) and Gemini.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STEPS = json.loads(sys.argv[1])
WRITERS = ("write", "write_file")
SHELLS = ("bash", "run_shell_command", "exec_command", "shell_command", "shell", "local_shell")


def tools_of(body):
    """Every tool of a request, by name, with the schema of its input."""
    found = {}
    for tool in body.get("tools") or []:
        for one in tool.get("functionDeclarations") or [tool.get("function") or tool]:
            schema = one.get("input_schema") or one.get("parameters") or one.get("parametersJsonSchema") or {}
            found[one.get("name", "")] = schema
    return found


def call_of(body):
    """The number of the next step, the tool of this client, and its input; or nothing."""
    done = len(results_of(body))
    if done >= len(STEPS):
        return None
    step, tools = STEPS[done], tools_of(body)
    if "write" in step:
        for name, schema in tools.items():
            if name.lower() in WRITERS:
                path = next((one for one in ("file_path", "filePath", "path") if one in schema.get("properties", {})), "path")
                return name, {path: step["write"], "content": step["content"]}, done
        line = f"mkdir -p \"$(dirname {step['write']})\" && cat > {step['write']} <<'EOF'\n{step['content']}EOF"
    else:
        line = step["run"]
    for wanted in SHELLS:
        for name, schema in tools.items():
            if name.lower() == wanted:
                return name, input_of(schema.get("properties") or {}, line), done
    return None


def input_of(fields, line):
    given = {}
    for name in ("command", "cmd"):
        if name in fields or (name == "command" and "cmd" not in fields):
            many = (fields.get(name) or {}).get("type") in ("array", "ARRAY")
            given[name] = ["bash", "-c", line] if many else line
            break
    if "description" in fields:
        given["description"] = "does what was asked"
    return given


def results_of(body):
    """What the tools gave back so far, as text."""
    found = []
    for message in body.get("messages") or []:
        if message.get("role") == "tool":
            found.append(message.get("content"))
        if isinstance(message.get("content"), list):
            found += [part.get("content") for part in message["content"] if part.get("type") == "tool_result"]
    for item in body["input"] if isinstance(body.get("input"), list) else []:
        if item.get("type", "").endswith("_call_output"):
            found.append(item.get("output"))
    for content in body.get("contents") or []:
        found += [part["functionResponse"] for part in content.get("parts") or [] if "functionResponse" in part]
    return [one if isinstance(one, str) else json.dumps(one) for one in found]


def anthropic(call):
    if call:
        block = {"type": "tool_use", "id": f"toolu_{call[2]}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None},
           "usage": usage}
    yield {"type": "message_stop"}


def responses(call):
    if call:
        item = {"type": "function_call", "id": f"fc_{call[2]}", "call_id": f"call_{call[2]}", "name": call[0],
                "arguments": json.dumps(call[1]), "status": "completed"}
    else:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "done", "annotations": []}]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
             "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}


def chat(call):
    delta = {"role": "assistant", "content": None if call else "done"}
    if call:
        delta["tool_calls"] = [{"index": 0, "id": f"call_{call[2]}", "type": "function",
                                "function": {"name": call[0], "arguments": json.dumps(call[1])}}]
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}
    yield base | {"choices": [end], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def gemini(call):
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
           "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told = [0]

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.whole({"object": "list", "data": [{"id": "m", "object": "model"}], "models": []})

    def do_HEAD(self):
        self.do_GET()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if "count_tokens" in self.path or "countTokens" in self.path:
            return self.whole({"input_tokens": 1, "totalTokens": 1})
        # Some clients send the whole conversation each time, some also ask about other things meanwhile.
        for result in results_of(body)[self.told[0]:]:
            self.told[0] += 1
            print(json.dumps(result), flush=True)
        call = call_of(body)
        if "/messages" in self.path:
            return self.stream(anthropic(call), True) if body.get("stream") else self.whole(folded_message(call))
        if "/responses" in self.path:
            return self.stream(responses(call), True)
        if "/chat/completions" in self.path:
            return self.stream(chat(call), False, b"data: [DONE]\n\n") if body.get("stream") else self.whole(folded_chat(call))
        if "streamGenerateContent" in self.path:
            return self.stream(gemini(call), False)
        return self.whole(next(gemini(call)))

    def stream(self, events, named, tail=b""):
        text = b"".join((f"event: {event['type']}\n" if named else "").encode()
                        + f"data: {json.dumps(event)}\n\n".encode() for event in events) + tail
        self.send(text, "text/event-stream")

    def whole(self, value):
        self.send(json.dumps(value).encode(), "application/json")

    def send(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def folded_message(call):
    content = [{"type": "tool_use", "id": f"toolu_{call[2]}", "name": call[0], "input": call[1]}] if call else \
        [{"type": "text", "text": "done"}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": "tool_use" if call else "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}


def folded_chat(call):
    first = next(chat(call))["choices"][0]["delta"]
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "message": first, "finish_reason": "tool_calls" if call else "stop"}]}


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
