// The registry: commands with their outcomes, and a person's overrides.

import { lines } from "./history.js";
import { code, counted, element, facts, figure, grid, labelled, language, panel, path, reasons, risk, trouble, when as clock, wide, zone } from "./parts.js";

const find = (id) => document.getElementById(id);
const WORDS = ["always_allow", "always_ask", "never", "reset"];

/** The policy for a command. A person's override outranks the learned policy. */
const inForce = (row) => row.said ?? row.learned;

function policy(row, word) {
  const id = inForce(row);
  return element("span", { className: `tag ${id}` }, word(`policy-${id}`));
}

function well(row) {
  if (!row.runs) return "–";
  const share = Math.floor((100 * row.successes) / row.runs) / 100;
  return new Intl.NumberFormat(language(), { style: "percent" }).format(share);
}

function when(time, word) {
  if (!time) return word("not-run");
  return clock(time);
}

function tiles(totals, word) {
  const shown = ["commands", "runs", "successes", "auto_approve", "always_allow", "always_ask", "never", "high_risk"];
  return shown.flatMap((id) => [element("div", {},
    element("dt", {}, counted(`total-${id}`, totals[id], word)),
    element("dd", {}, totals[id].toLocaleString(language())))]);
}

/** The table of commands. Each row has a button that opens the command. `none` is the word for no commands. */
function list(rows, word, open, none) {
  if (!rows.length) return element("p", { className: "empty" }, word(none));
  const cells = (row) => {
    const name = element("button", { type: "button", className: "link", "data-hash": row.hash, on: { click: () => open(row.hash) } }, code(row.command));
    return [
      [[name, element("div", { className: "rule" }, path(row.folder))], "row"],
      policy(row, word),
      row.runs.toLocaleString(language()),
      well(row),
      figure(row.risk),
      when(row.last, word),
    ];
  };
  const heads = [[word("command")], [word("in-force")], [word("ran"), "number"], [word("went-well"), "number"],
    [word("risk"), "number"], [`${word("last-run")} (${zone()})`]];
  return grid(word("registry"), heads, rows.map(cells));
}

/** The form in which a person sets an override. */
function form(row, word, say) {
  const choice = (id) => {
    const allowed = id !== "always_allow" || (row.not_allowed === null && row.same);
    const input = element("input", { type: "radio", name: "word", value: id, id: `word-${id}`, disabled: !allowed, checked: row.said === id });
    const what = element("label", { htmlFor: input.id },
      element("strong", {}, word(id === "reset" ? "word-reset" : `policy-${id}`)), " ", element("span", {}, word(`word-${id}-what`)));
    return element("div", { className: "choice" }, input, what);
  };
  const why = element("input", { id: "word-reason", type: "text", maxLength: 1000, autocomplete: "off" });
  const note = element("p", { role: "status", className: "note" }, "");
  const made = element("form", { className: "say" },
    element("fieldset", {}, element("legend", {}, word("from-now-on")), WORDS.map(choice),
      row.not_allowed ? element("p", {}, labelled(word("not-allowed"), row.not_allowed)) : null,
      !row.not_allowed && !row.same ? element("p", {}, word("not-same")) : null),
    element("div", { className: "field" }, element("label", { htmlFor: why.id }, word("word-reason")), why),
    element("button", { type: "submit" }, word("keep")),
    note);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = made.querySelector("input[name=word]:checked");
    if (!chosen) { note.textContent = word("choose-one"); return; }
    try {
      await say(chosen.value, why.value);
    } catch (error) {
      note.replaceChildren(trouble(error));
    }
  });
  return made;
}

function one(row, history, word, say, close) {
  return element("article", { className: "card registry" },
    element("div", { className: "row head" },
      element("h3", {}, word("one-command")),
      element("button", { type: "button", className: "plain", on: { click: close } }, word("close"))),
    element("pre", { tabIndex: 0 }, code(row.command)),
    element("div", { className: "panels" },
      panel(word("in-force"), policy(row, word), facts([
        [word("said-by"), row.said_by],
        [word("said-why"), row.said_reason],
        [word("learned"), word(`policy-${row.learned}`)],
        [word("learned-why"), row.policy_reason],
        [word("held-back"), row.held_back]])),
      panel(word("runs-so-far"), facts([
        [word("ran"), row.runs.toLocaleString(language())],
        [word("went-well"), well(row)],
        [word("went-wrong"), row.failures ? String(row.failures) : null],
        [word("mean-time"), row.runs ? `${Math.round(row.mean_ms)} ms` : null],
        [`${word("last-run")} (${zone()})`, when(row.last, word)],
        [word("folder"), path(row.folder)]])),
      panel(word("rules-now"), row.findings.length ? reasons(row, word) : null, risk(row.risk, word))),
    form(row, word, say),
    panel(word("history"), wide(word("history"), lines(history, word))));
}

/** Shows the registry. `call` sends requests to the guard. */
export function registry(call, word) {
  let chosen = null;
  const close = () => {
    const hash = chosen;
    chosen = null;
    find("one").replaceChildren();
    document.querySelector(`button[data-hash="${hash}"]`)?.focus();
  };
  const open = async (hash, held = true) => {
    const row = await call(`registry/${hash}?language=${language()}`);
    const query = new URLSearchParams({ text: row.command });
    const told = await call(`history?${query}`);
    chosen = hash;
    const say = async (choice, reason) => {
      await call(`registry/${hash}/word`, { word: choice, reason: reason || null, said: row.said, seen: row.said_at });
      await refresh();
      if (choice !== "reset") await open(hash);
      else close();
    };
    find("one").replaceChildren(one(row, told.lines.slice(0, 20), word, say, close));
    if (held) find("one").focus();
  };
  const refresh = async (event) => {
    event?.preventDefault();
    const query = new URLSearchParams({ which: find("which").value, text: find("command-text").value });
    const told = await call(`registry?${query}`);
    find("totals").replaceChildren(...tiles(told.totals, word));
    const none = told.totals.commands ? "no-commands" : "no-commands-yet";
    find("rows").replaceChildren(list(told.rows, word, (hash) => open(hash).catch(fail), none));
  };
  const fail = (error) => find("rows").replaceChildren(element("p", { role: "alert" }, trouble(error)));
  return {
    show: (event) => refresh(event).catch((error) => { event?.preventDefault(); fail(error); }),
    forget: () => { chosen = null; find("one").replaceChildren(); },
  };
}
