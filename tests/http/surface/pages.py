"""Pages that try to use the guard: from another origin, and under a name that was made to lead to it (DNS rebinding).
They know both tokens, which no page does: what keeps them out is where they come from."""

import http.server
import os
import threading

from playwright.sync_api import sync_playwright

ADDRESS = os.environ["ADDRESS"]
PORT = ADDRESS.rsplit(":", 1)[1]
TOKEN = os.environ["TOKEN"]
APPROVE = os.environ["APPROVE"]
ANSWER = f"/v1/questions/{os.environ['QUESTION']}/answer"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--host-resolver-rules=MAP evil.example 127.0.0.1",
    "--disable-features=BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessRespectPreflightResults,LocalNetworkAccessChecks",
]

# Every way in which a page can send something; `to` is the guard's origin, or nothing where it is the page's own.
SCRIPT = """async ([to, token, approve, answer]) => {
  const deed = '{"action": "RUN_COMMAND", "target": "touch from-a-page"}';
  const said = [];
  const send = async (path, options) => {
    try {
      const answer = await fetch(to + path, options);
      said.push([path, answer.type, answer.status]);
    } catch (error) { said.push([path, "refused", 0]); }
  };
  const json = {"content-type": "application/json"};
  const bearer = {authorization: "Bearer " + token, ...json};
  await send("/v1/actions", {method: "POST", body: deed, headers: bearer});
  await send("/v1/actions", {method: "POST", body: deed, headers: json});
  await send("/v1/actions", {method: "POST", body: deed, mode: "no-cors", headers: {"content-type": "text/plain"}});
  await send("/v1/actions", {method: "POST", body: deed, mode: "no-cors", credentials: "include"});
  await send(answer, {method: "POST", body: '{"answer": "yes"}', headers: {authorization: "Bearer " + approve, ...json}});
  await send(answer, {method: "POST", body: '{"answer": "yes"}', mode: "no-cors", headers: {"content-type": "text/plain"}});
  await send("/v1/questions", {headers: {authorization: "Bearer " + approve}});
  await send("/v1/status", {mode: "no-cors"});
  await send("/v1/health", {});
  await send("/console/", {});
  await send("/mcp", {method: "POST", body: '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', headers: bearer});
  navigator.sendBeacon(to + "/v1/actions", new Blob([deed], {type: "text/plain"}));
  await new Promise((done) => { const image = new Image(); image.onload = image.onerror = done; image.src = to + "/v1/status"; });
  const form = document.createElement("form");
  Object.assign(form, {method: "POST", action: to + "/v1/actions", enctype: "text/plain", target: "sink"});
  const field = document.createElement("input");
  Object.assign(field, {name: '{"action": "RUN_COMMAND", "target": "touch from-a-page", "x": "', value: '"}'});
  const sink = document.createElement("iframe");
  sink.name = "sink";
  form.append(field);
  document.body.append(sink, form);
  const loaded = new Promise((done) => { sink.onload = done; setTimeout(done, 5000); });
  form.submit();
  await loaded;
  await new Promise((done) => {
    const socket = new WebSocket((to || location.origin).replace("http", "ws") + "/v1/actions");
    socket.onopen = () => { said.push(["websocket", "opened", 200]); done(); };
    socket.onerror = done;
  });
  return said;
}"""


class Foreign(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>a page</title><body>")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
threading.Thread(target=server.serve_forever, daemon=True).start()

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)

    # Another origin, on this machine and under a foreign name: nothing can be read, and nothing is done.
    for host in ("localhost", "evil.example"):
        page = browser.new_context().new_page()
        page.goto(f"http://{host}:{server.server_port}/")
        said = page.evaluate(SCRIPT, [f"http://{ADDRESS}", TOKEN, APPROVE, ANSWER])
        assert len(said) >= 11, said
        for path, kind, status in said:
            assert kind in ("refused", "opaque") and status == 0, (host, path, kind, status)

    # A name that led to the page's own server at first and leads to the guard now: for the browser it is one origin.
    page = browser.new_context().new_page()
    rebound = f"http://evil.example:{PORT}"
    first = lambda route: route.fulfill(content_type="text/html", body="<title>a page</title><body>")
    page.route(f"{rebound}/", first)
    page.goto(f"{rebound}/")
    page.unroute(f"{rebound}/", first)
    said = page.evaluate(SCRIPT, ["", TOKEN, APPROVE, ANSWER])
    assert len(said) >= 11, said
    for path, kind, status in said:
        assert status == 421, (path, kind, status)
    browser.close()
server.shutdown()
