// The console: shows what waits, takes answers, tries rules, tells how everything is doing.

import { lines, plots } from "./history.js";
import { element, facts, marked, reasons, table } from "./parts.js";

const LANGUAGES = ["pt-BR", "en", "fr"];
const find = (id) => document.getElementById(id);
const cards = new Map();
let words = {};

/** The words for an id, with its marks filled in. */
function word(id, values = {}) {
  return Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), words[id] ?? id);
}

/** Asks the guard; a body makes it a POST. Errors carry the problem's detail. */
async function call(path, body) {
  const request = body === undefined
    ? {}
    : { method: "POST", headers: { "content-type": "application/json", "x-guarda-console": "1" }, body: JSON.stringify(body) };
  const response = await fetch(`/console/api/${path}`, { ...request, cache: "no-store" });
  if (response.status === 401) {
    show("out");
    throw new Error(""); // The page says it already.
  }
  const answer = response.status === 204 ? null : await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail ?? answer.title), { status: response.status });
  return answer;
}

function say(text) {
  find("connection").textContent = text;
}

/** Shows one part of the page. */
function show(name) {
  const views = ["questions", "history", "try", "status", "out"];
  const chosen = views.includes(name) ? name : "questions";
  for (const view of views) find(`view-${view}`).hidden = view !== chosen;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${chosen}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (chosen === "history") history().catch((error) => say(error.message));
  if (chosen === "status") Promise.all([status(), sessions()]).catch((error) => say(error.message));
}

/** The card of a question. It stays the same element as long as the question stands, so that nothing typed is lost. */
function card(question) {
  const reason = element("input", { id: `reason-${question.id}`, type: "text", maxLength: 4000, autocomplete: "off" });
  const yes = element("button", { type: "button", className: "yes", disabled: true }, word("approve"));
  const no = element("button", { type: "button", className: "no" }, word("deny"));
  // What is written here is no yes: it is judged, and comes back as a question of its own.
  const wish = element("textarea", {
    id: `change-${question.id}`, rows: 3, spellcheck: false, autocapitalize: "off", autocomplete: "off", maxLength: 4096,
  });
  wish.value = question.draft ?? "";
  const send = element("button", { type: "button", className: "plain" }, word("modify"));
  const change = element("details", {},
    element("summary", {}, word("change")),
    element("label", { htmlFor: wish.id }, word("change-what")),
    wish, send);
  const bar = element("progress", { max: 1, value: 1 });
  bar.setAttribute("aria-label", word("time-left"));
  const left = element("span", {}, "");
  const note = element("p", { role: "status" }, "");
  const text = element("pre", { tabIndex: 0 }, element("code", {}, question.object));
  const made = element("li", { className: `card ${question.status}`, tabIndex: -1 },
    element("h3", {}, question.effect),
    element("p", {}, element("span", { className: `tag ${question.status}` }, word(`status-${question.status}`)), " · ", question.action),
    text,
    facts([[word("folder"), question.cwd], [word("session"), question.session]]),
    reasons(question.findings.filter((finding) => finding.status !== "approved"), word),
    question.reasoning
      ? element("div", { className: "model" }, element("strong", {}, `${word("model-says")}: `), question.reasoning)
      : null,
    bar, left,
    element("div", { className: "row" },
      yes,
      element("div", { className: "field" }, element("label", { htmlFor: reason.id }, word("reason")), reason),
      no),
    question.draft === null ? null : change,
    note);
  const answer = async (body) => {
    yes.disabled = no.disabled = send.disabled = true;
    try {
      await call(`questions/${question.id}/answer`, body);
    } catch (error) {
      note.textContent = error.message;
      no.disabled = send.disabled = false;
    }
    await refresh();
  };
  yes.addEventListener("click", () => answer({ answer: "yes" }));
  no.addEventListener("click", () => answer({ answer: "no", ...(reason.value ? { reason: reason.value } : {}) }));
  send.addEventListener("click", () => answer({ answer: "modify", command: wish.value }));
  // Yes counts once the whole text has been seen, and not in the moment in which the question came up.
  let armed = false;
  let seen = false;
  const look = () => {
    seen ||= text.scrollTop + text.clientHeight >= text.scrollHeight - 4;
    yes.disabled = !(armed && seen);
    if (armed && !seen) note.textContent = word("read-all");
    else if (note.textContent === word("read-all")) note.textContent = "";
  };
  text.addEventListener("scroll", look);
  setTimeout(() => { armed = true; look(); }, 600);
  const tick = (now) => {
    if (!question.expires) { left.textContent = word("waits"); return; }
    const [from, to] = [Date.parse(question.asked), Date.parse(question.expires)];
    const rest = Math.max(0, to - now);
    bar.value = rest / Math.max(1, to - from);
    left.textContent = word("seconds", { count: Math.ceil(rest / 1000) });
  };
  return { made, tick, update: (fresh) => { question.expires = fresh.expires; } };
}

/** Brings the list to what the guard says is open. */
async function refresh() {
  const { questions } = await call("questions");
  const list = find("list");
  const open = new Set(questions.map((question) => question.id));
  for (const [id, { made }] of cards) {
    if (open.has(id)) continue;
    const held = made.contains(document.activeElement);
    made.remove();
    cards.delete(id);
    if (held) find("main").focus();
  }
  for (const question of questions) {
    const known = cards.get(question.id);
    if (known) known.update(question);
    else {
      const fresh = card(question);
      cards.set(question.id, fresh);
      list.append(fresh.made);
    }
  }
  find("none").hidden = questions.length > 0;
  const count = questions.length ? `(${questions.length}) ` : "";
  document.title = `${count}guarda-costas`;
  say("");
}

async function status() {
  const told = await call("status");
  const parts = find("parts");
  parts.replaceChildren(
    element("p", {}, word("version", { version: told.version, profile: told.profile })),
    element("ul", {}, told.degraded.map((sentence) => element("li", {}, sentence))),
    table(word("safety"), [["speech", told.speech], ["record", told.record], ["sessions", told.sessions]], word),
    table(word("answers"), Object.entries(told.answers), word),
    table(word("deeds"), Object.entries(told.deeds), word));
}

/** The sessions that have seen something, each with a button that takes its marks away. */
async function sessions() {
  const told = await call("sessions");
  const marked = told.sessions.filter((session) => session.corruption || session.secret);
  const row = (session) => {
    const clear = element("button", { type: "button", className: "plain" }, word("clear"));
    clear.setAttribute("aria-label", `${word("clear")}: ${session.id}`);
    clear.addEventListener("click", async () => {
      try { await call(`sessions/${encodeURIComponent(session.id)}/clear`, {}); } catch (error) { say(error.message); }
      await sessions();
    });
    const seen = [session.corruption && word("corruption"), session.secret && word("secret")].filter(Boolean).join(", ");
    const why = [session.corruption, session.secret].filter(Boolean).map((mark) => mark.why).join("; ");
    return element("li", {}, element("code", {}, session.id), ` ${seen} `, element("small", {}, why), " ", clear);
  };
  find("sessions").replaceChildren(...(marked.length ? marked.map(row) : [element("li", {}, word("no-marks"))]));
}

async function history(event) {
  event?.preventDefault();
  const query = new URLSearchParams({ text: find("text").value, status: find("end").value });
  const [told, sums] = await Promise.all([call(`history?${query}`), call("figures")]);
  find("lines").replaceChildren(lines(told.lines, word));
  find("figures").replaceChildren(...plots(sums, word));
}

async function verify() {
  const told = await call("verify");
  const fault = told.faults[0];
  find("sound").textContent = told.sound
    ? word("sound", { lines: told.lines, files: told.files })
    : word("unsound", { file: fault.file, line: fault.line ?? "–", why: fault.why });
}

async function judge(event) {
  event.preventDefault();
  const place = find("judgement");
  const command = find("command").value;
  try {
    const told = await call("judge", { action: "RUN_COMMAND", target: command });
    const runs = told.runs.map((run) => element("li", {}, element("code", {}, run.join(" "))));
    place.replaceChildren(element("article", { className: `card ${told.status}` },
      element("h3", { className: `tag ${told.status}` }, word(`status-${told.status}`)),
      facts([[word("risk"), told.risk.toFixed(2)]]),
      marked(command, told.findings),
      reasons(told.findings, word),
      runs.length ? element("h4", {}, word("runs")) : null,
      element("ol", { className: "tree" }, runs)));
  } catch (error) {
    place.replaceChildren(element("p", {}, error.message));
  }
}

/** Takes another language; what stands on the page is said anew. */
async function speak(language) {
  words = await (await fetch(`/console/words/${language}.json`)).json();
  document.documentElement.lang = language;
  for (const place of document.querySelectorAll("[data-word]")) place.textContent = word(place.dataset.word);
  for (const place of document.querySelectorAll("[data-word-label]")) place.setAttribute("aria-label", word(place.dataset.wordLabel));
  for (const { made } of cards.values()) made.remove();
  cards.clear();
  find("judgement").replaceChildren();
}

/** Listens for changes; says so when the guard is not there. */
function listen() {
  const live = new EventSource("/console/api/live");
  live.addEventListener("changed", () => refresh().catch((error) => say(error.message)));
  live.addEventListener("error", () => {
    say(word("lost"));
    // The browser tries again by itself, but not after a refusal: then the console may have been closed.
    if (live.readyState === EventSource.CLOSED) {
      setTimeout(() => call("questions").then(listen, (error) => say(error.message)), 3000);
    }
  });
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
    show(location.hash.slice(1));
  });
  find("filter").addEventListener("submit", (event) => history(event).catch((error) => say(error.message)));
  find("verify").addEventListener("click", () => verify().catch((error) => { find("sound").textContent = error.message; }));
  find("judge").addEventListener("submit", judge);
  find("leave").addEventListener("click", async () => { await call("leave", {}); show("out"); });
  addEventListener("hashchange", () => { show(location.hash.slice(1)); find("main").focus(); });
  setInterval(() => { for (const { tick } of cards.values()) tick(Date.now()); }, 250);
  show(location.hash.slice(1));
  await refresh();
  listen();
}

start().catch((error) => say(error.message));
