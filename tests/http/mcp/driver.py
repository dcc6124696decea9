"""Drives an MCP server with the real client. Standard input: {"server", "mode", "calls"}; standard output: one JSON object.

"server" is {"command", "args", "env"} or {"url", "token"}; a call is [name, arguments]. A call "cancel:NAME" is given up
after a second. "elicit" is what the person says to the forms, in turn: "yes", "no", "decline", "cancel", "empty", "garbage",
"fail", or "late", which is a yes that comes after "late" seconds; without it the client has no forms.
"""

import asyncio
import json
import sys

import mcp
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def plain(result):
    return {
        "error": bool(result.is_error),
        "structured": result.structured_content,
        "text": "".join(getattr(block, "text", "") for block in result.content),
    }


def person(order, told):
    """Answers the forms as it was told to, and notes what they say."""
    said = list(order["elicit"])

    async def answer(context, form):
        told["forms"].append(form.model_dump(by_alias=True, exclude_none=True, mode="json"))
        word = said.pop(0) if said else "cancel"
        if word == "fail":
            raise RuntimeError("no window")
        if word == "late":
            await asyncio.sleep(order["late"])
            word = "yes"
        content = {"yes": {"answer": "yes"}, "no": {"answer": "no"}, "empty": {}, "garbage": {"answer": "sure"}}
        action = word if word in ("decline", "cancel") else "accept"
        return mcp.types.ElicitResult(action=action, content=content.get(word))

    return answer


async def one(client, name, arguments, progress):
    async def heard(done, total, message):
        progress.append(message)

    if name.startswith("cancel:"):
        try:
            await asyncio.wait_for(client.call_tool(name.removeprefix("cancel:"), arguments), 1)
        except (asyncio.TimeoutError, TimeoutError):
            return {"cancelled": True}
        return {"cancelled": False}
    try:
        return plain(await client.call_tool(name, arguments, progress_callback=heard))
    except Exception as error:  # what the client says of it is what is tested
        return {"refused": str(error)}


async def drive(order):
    server = order["server"]
    if "url" in server:
        headers = {"Authorization": "Bearer " + server["token"]} if server.get("token") else {}
        http = create_mcp_http_client(headers=headers)
        transport = streamable_http_client(server["url"], http_client=http)
    else:
        transport = mcp.StdioServerParameters(**server)
    told = {"results": [], "progress": [], "forms": []}
    asked = person(order, told) if "elicit" in order else None
    async with mcp.Client(transport, mode=order["mode"], elicitation_callback=asked) as client:
        told["protocol"] = str(client.protocol_version)
        told["server"] = client.server_info.name if client.server_info else None
        tools = await client.list_tools()
        told["tools"] = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools.tools]
        for name, arguments in order["calls"]:
            told["results"].append(await one(client, name, arguments, told["progress"]))
    return told


try:
    told = asyncio.run(drive(json.load(sys.stdin)))
except BaseException as error:
    told = {"failed": repr(error)}
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
        told["failed"] = repr(error)
print(json.dumps(told))
