// The console: shows open questions, takes answers, tries rules, and shows the state of every part.

import { card } from "./cards.js";
import { lines, plots, timeline } from "./history.js";
import { code, counted, element, group, labelled, listed, marked, panel, path, reasons, risk, tree, trouble, when } from "./parts.js";
import { network } from "./network.js";
import { registry } from "./registry.js";
import { undoing } from "./undo.js";

const LANGUAGES = ["pt-BR", "en", "fr"];
const find = (id) => document.getElementById(id);
const cards = new Map();
let words = {};

/** The text for an id, with its placeholders filled in. An id is no text for a person. */
function word(id, values = {}) {
  return Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), words[id] ?? "");
}

/** The secret that opens the console to this tab. sessionStorage belongs to this address with its port; a cookie would
    go to every port of this machine. */
const SECRET = "console";

/** Sends a request to the guard with the secret. Without a valid one, the console is closed. */
async function send(path, request = {}) {
  const headers = { "accept-language": document.documentElement.lang, ...request.headers };
  const secret = sessionStorage.getItem(SECRET);
  if (secret) headers["x-guarda-console"] = secret;
  const response = await fetch(`/console/api/${path}`, { ...request, headers, cache: "no-store", credentials: "omit" });
  if (response.status === 401) {
    // A link that was opened meanwhile has brought another secret.
    if (secret === sessionStorage.getItem(SECRET)) show("out");
    throw new Error(""); // The page already says so.
  }
  return response;
}

/** Sends a request to the guard; with a body, it is a POST. Errors carry the problem's detail. */
async function call(path, body) {
  const json = { "content-type": "application/json" };
  const response = await send(path, body === undefined ? {} : { method: "POST", headers: json, body: JSON.stringify(body) });
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) {
    const said = { status: response.status, language: response.headers.get("content-language") };
    throw Object.assign(new Error(answer.detail ?? answer.title), said);
  }
  return answer;
}

function say(text) {
  find("connection").textContent = text;
}

const commands = registry(call, word);
const undo = undoing(call, word);
const talks = network(call, word);

/** The part of the page that the address names, as in `#/history`. */
function named() {
  return location.hash.replace(/^#\/?/, "");
}

/** Shows one part of the page. */
function show(name) {
  const views = ["questions", "history", "network", "undo", "registry", "try", "status", "out"];
  const chosen = views.includes(name) ? name : "questions";
  for (const view of views) find(`view-${view}`).hidden = view !== chosen;
  // A closed console has no parts to go to, and cannot be closed again.
  for (const place of ["nav", "leave"]) find(place).hidden = chosen === "out";
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.hash === `#/${chosen}`;
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (current) link.scrollIntoView({ block: "nearest", inline: "center" });
  }
  if (chosen === "history") history().catch((error) => say(error.message));
  if (chosen === "network") talks.show().catch((error) => say(error.message));
  if (chosen === "undo") undo.show().catch((error) => say(error.message));
  if (chosen === "registry") commands.show();
  if (chosen === "status") Promise.all([status(), folders(), grants(), sessions()]).catch((error) => say(error.message));
}

/** Sends an answer, and updates the open questions. */
async function answer(id, body) {
  try {
    await call(`questions/${id}/answer`, body);
  } finally {
    await refresh();
  }
}

/** Makes the list match the guard's open questions. */
async function refresh() {
  const spoken = document.documentElement.lang;
  const { questions } = await call(`questions?language=${spoken}`);
  // The language changed during the request. Another call will show the list in the new language.
  if (spoken !== document.documentElement.lang) return;
  const list = find("list");
  // Questions that one answer settles together are one card, at the place of the oldest.
  const folded = new Set();
  const heads = questions.filter(({ id, alike }) => {
    if (folded.has(id)) return false;
    for (const other of alike) folded.add(other);
    return true;
  });
  const open = new Set(heads.map((question) => question.id));
  for (const [id, { made }] of cards) {
    if (open.has(id)) continue;
    const held = made.contains(document.activeElement);
    made.remove();
    cards.delete(id);
    if (held) find("main").focus();
  }
  for (const question of heads) {
    let known = cards.get(question.id);
    if (!known) {
      known = card(question, word, answer);
      cards.set(question.id, known);
      list.append(known.made);
    }
    known.update(question, questions.filter(({ id }) => question.alike.includes(id)));
  }
  find("none").hidden = questions.length > 0;
  const count = questions.length ? `(${questions.length}) ` : "";
  document.title = `${count}guarda-costas`;
  find("count").textContent = questions.length || "";
  find("count").hidden = questions.length === 0;
  say("");
}

async function status() {
  const told = await call(`status?language=${document.documentElement.lang}`);
  find("version").textContent = word("version", { version: told.version, profile: told.profile });
  // What a person may want to mend comes first. All parts are below, folded on a narrow page.
  find("trouble").replaceChildren(told.degraded.length
    ? element("ul", { className: "trouble" }, told.degraded.map((sentence) => element("li", {}, sentence)))
    : element("p", { className: "well" }, word("all-well")));
  const groups = [
    ["safety", [["speech", told.speech], ["record", told.record], ["registry", told.registry], ["sessions", told.sessions]], "part"],
    ["answers", Object.entries(told.answers), "answer"],
    ["deeds", Object.entries(told.deeds), "part"],
  ];
  const parts = find("parts");
  const open = new Map([...parts.children].map((group) => [group.id, group.open]));
  parts.replaceChildren(...groups.map(([id, rows, kind]) => {
    const made = group(word(id), rows, word, kind);
    made.id = `parts-${id}`;
    made.open = open.get(made.id) ?? !matchMedia("(max-width: 52rem)").matches;
    return made;
  }));
}

/** The trusted folders, each with a button that ends the trust. */
async function folders() {
  const told = await call("trust");
  const row = ({ folder, since, session, stands }) => {
    const forget = element("button", { type: "button", className: "plain" }, word("folders-forget"));
    forget.setAttribute("aria-label", labelled(word("folders-forget"), folder));
    forget.addEventListener("click", () => trust(folder, false));
    return element("li", {},
      element("div", {}, path(folder), " · ", when(since), session ? ` · ${word("folders-session", { session })}` : ""),
      stands ? null : element("div", { className: "rule" }, word("folders-gone")),
      forget);
  };
  find("folders").replaceChildren(...(told.folders.length ? told.folders.map(row) : [element("li", {}, word("folders-none"))]));
}

async function trust(folder, trusted) {
  try {
    await call("trust", { folder, trusted });
    find("trust-note").replaceChildren();
    if (trusted) find("trust-folder").value = "";
  } catch (error) {
    find("trust-note").replaceChildren(trouble(error));
  }
  await folders();
}

/** What was said beforehand but for folders, each with a button that ends it. */
async function grants() {
  const told = await call("grants");
  const row = ({ id, kind, what, span, session, folder, until, uses, stands }) => {
    const end = element("button", { type: "button", className: "plain" }, word("grants-end"));
    end.setAttribute("aria-label", labelled(word("grants-end"), what));
    end.addEventListener("click", async () => {
      try {
        await call("grants/revoke", { ids: [id] });
        find("grants-note").replaceChildren();
      } catch (error) {
        find("grants-note").replaceChildren(trouble(error));
      }
      await grants();
    });
    return element("li", {},
      element("pre", { className: "command" }, code(what)),
      element("div", {}, [
        word(`grants-${kind}-${span}`, { session, folder }),
        until ? word("grants-until", { time: when(until).textContent }) : null,
        until ? word("grants-uses", { count: uses }) : null].filter(Boolean).join(", ")),
      stands ? null : element("div", { className: "rule" }, word("grants-gone")),
      ["ask", "never"].includes(kind) ? null : end);
  };
  const rows = told.grants.filter(({ kind }) => kind !== "folder").map(row);
  find("grants").replaceChildren(...(rows.length ? rows : [element("li", {}, word("folders-none"))]));
}

/** The sessions with marks, each with a button that clears them. */
async function sessions() {
  const told = await call("sessions");
  const marked = told.sessions.filter((session) => session.corruption || session.secret);
  const row = (session) => {
    const clear = element("button", { type: "button", className: "plain" }, word("clear"));
    clear.setAttribute("aria-label", labelled(word("clear"), session.id));
    clear.addEventListener("click", async () => {
      try { await call(`sessions/${encodeURIComponent(session.id)}/clear`, {}); } catch (error) { say(error.message); }
      await sessions();
    });
    const seen = [session.corruption && word("corruption"), session.secret && word("secret")].filter(Boolean).join(", ");
    const why = listed([...new Set([session.corruption, session.secret].filter(Boolean).map((mark) => mark.text))]);
    return element("li", {},
      element("div", {}, code(session.id), " · ", seen),
      element("div", { className: "rule" }, why),
      clear);
  };
  find("sessions").replaceChildren(...(marked.length ? marked.map(row) : [element("li", {}, word("no-marks"))]));
}

async function history(event) {
  event?.preventDefault();
  const query = new URLSearchParams({ text: find("text").value });
  if (find("end").value) query.set("fate", find("end").value);
  const [told, sums] = await Promise.all([call(`history?${query}`), call("figures")]);
  find("day").replaceChildren(timeline(told.lines, word));
  const none = find("text").value || find("end").value ? "no-lines" : "no-lines-yet";
  find("lines").replaceChildren(lines(told.lines, word, (id) => undo.act(id, find("sound"), history), none));
  const charts = plots(sums, word);
  find("figures").replaceChildren(...charts);
  find("figures-head").hidden = !charts.length;
}

async function verify() {
  const told = await call("verify");
  const fault = told.faults[0];
  find("sound").textContent = told.sound
    ? word("sound", { lines: counted("lines", told.lines, word), files: counted("files", told.files, word) })
    : word("unsound", { file: fault.file, line: fault.line ?? "–", why: fault.why });
}

async function judge(event) {
  event.preventDefault();
  const place = find("judgement");
  const command = find("command").value;
  try {
    const told = await call("judge", { action: "RUN_COMMAND", target: command, language: document.documentElement.lang });
    place.replaceChildren(element("article", { className: `card ${told.status}` },
      element("h3", { className: `tag ${told.status}` }, word(`status-${told.status}`)),
      marked(command, told.findings),
      element("div", { className: "panels" },
        panel(word("reasons"), reasons(told, word), risk(told.risk, word)),
        told.tree.length ? panel(word("runs"), tree(told.tree)) : null,
        told.sandbox_lines.length ? panel(word("sandbox"), told.sandbox_lines.map((line) => element("p", {}, line))) : null)));
  } catch (error) {
    place.replaceChildren(element("p", {}, trouble(error)));
  }
}

/** Changes the language, and shows the whole page in it. */
async function speak(language) {
  words = await (await fetch(`/console/words/${language}.json`)).json();
  document.documentElement.lang = language;
  for (const place of document.querySelectorAll("[data-word]")) place.textContent = word(place.dataset.word);
  for (const place of document.querySelectorAll("[data-word-label]")) place.setAttribute("aria-label", word(place.dataset.wordLabel));
  for (const { made } of cards.values()) made.remove();
  cards.clear();
  for (const place of ["judgement", "undone", "sound"]) find(place).replaceChildren();
  commands.forget();
}

/** Reads the stream of changes to its end. */
async function read(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    if (lines.includes("event: changed")) refresh().catch((error) => say(error.message));
  }
}

let listening = false;

/** Listens for changes, and says so while the guard cannot be reached, until the console is closed. */
async function listen() {
  if (listening) return;
  listening = true;
  while (find("view-out").hidden) {
    try {
      const live = await send("live");
      if (live.ok) await read(live.body);
    } catch { /* the guard is away */ }
    if (!find("view-out").hidden) break;
    say(word("lost"));
    await new Promise((done) => setTimeout(done, 3000));
  }
  listening = false;
}

/** Exchanges the code of a link for the secret, and removes it from the address. */
async function enter() {
  const code = /^#enter=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!code) return;
  window.history.replaceState(null, "", location.pathname);
  // A link that no longer works leaves the console of this tab as it is.
  const { secret } = await call("enter", { code });
  sessionStorage.setItem(SECRET, secret);
  show(named());
  listen();
}

async function start() {
  let kept = null;
  try { kept = localStorage.getItem("language"); } catch { /* storage may be switched off */ }
  const wanted = [kept, ...navigator.languages].filter(Boolean);
  const found = wanted.flatMap((tag) => LANGUAGES.filter((it) => it.slice(0, 2) === tag.slice(0, 2)))[0] ?? "pt-BR";
  const choice = find("language");
  choice.value = found;
  await speak(found);
  choice.addEventListener("change", async () => {
    try { localStorage.setItem("language", choice.value); } catch { /* as above */ }
    await speak(choice.value);
    await refresh();
    show(named());
  });
  find("filter").addEventListener("submit", (event) => history(event).catch((error) => say(error.message)));
  find("choose").addEventListener("submit", (event) => commands.show(event));
  find("verify").addEventListener("click", () => verify().catch((error) => { find("sound").textContent = error.message; }));
  find("judge").addEventListener("submit", judge);
  find("trust").addEventListener("submit", (event) => {
    event.preventDefault();
    trust(find("trust-folder").value, true);
  });
  find("leave").addEventListener("click", async () => {
    await call("leave", {});
    sessionStorage.removeItem(SECRET);
    show("out");
  });
  // A message about one part is not kept for the next. If the guard is away, that is said again.
  addEventListener("hashchange", async () => {
    say("");
    await enter().catch((error) => say(error.message));
    show(named());
    find("main").focus();
  });
  setInterval(() => { for (const { tick } of cards.values()) tick(Date.now()); }, 250);
  await enter().catch((error) => say(error.message));
  show(named());
  await listen();
}

start().catch((error) => say(error.message));
