// Actions that can be undone, with a button for each. An undo is judged and asked about like any other action.

import { changes } from "./changes.js";
import { code, element, grid, labelled, language, path, size, trouble, when, zone } from "./parts.js";

const find = (id) => document.getElementById(id);

/** The button that undoes an action. */
export function button(what, word, act) {
  const made = element("button", { type: "button", className: "plain", on: { click: act } }, word("undo-it"));
  made.setAttribute("aria-label", labelled(word("undo-it"), what));
  return made;
}

/** The changes that an undo would make, with the differences. Loaded when it is opened. */
function shown(deed, word, read) {
  const place = element("div", {});
  const made = element("details", {}, element("summary", {}, word("undo-show")), place);
  made.setAttribute("name", "undo");
  made.addEventListener("toggle", async () => {
    if (!made.open || place.hasChildNodes()) return;
    try {
      const told = await read(deed.id);
      place.replaceChildren(changes(told, word) ?? word("undo-none"));
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  });
  return made;
}

function row(deed, word, act, read) {
  const more = deed.count - deed.paths.length;
  const paths = deed.paths.map((name) => element("div", {}, path(name)));
  if (more > 0) paths.push(element("div", {}, word("more", { count: more })));
  const what = deed.what ?? deed.id;
  return [
    when(deed.at, "short"),
    [[code(what), element("div", { className: "rule" }, paths), deed.count ? shown(deed, word, read) : null], "row"],
    deed.until ? when(deed.until, "short") : word("undo-while-running"),
    size(deed.bytes),
    button(what, word, () => act(deed.id)),
  ];
}

function list(deeds, word, act, read) {
  if (!deeds.length) return element("p", { className: "empty" }, word("undo-none"));
  const heads = [[`${word("time")} (${zone()})`], [word("undo-deed")], [word("undo-until")], [word("undo-size"), "number"], [word("undo-it"), "act"]];
  return grid(word("undo"), heads, deeds.map((deed) => row(deed, word, act, read)));
}

/** Ways back to before: everything of a session or since its last message, and everything since a time. */
function back(deeds, word, act) {
  const sessions = new Map();
  for (const deed of deeds.filter((one) => one.session && !one.undo)) {
    const { count, turn } = sessions.get(deed.session) ?? { count: 0, turn: null };
    sessions.set(deed.session, { count: count + 1, turn: turn ?? deed.turn });
  }
  const all = (text, what, target) => {
    const made = element("button", { type: "button", className: "plain", on: { click: () => act(target) } }, text);
    made.setAttribute("aria-label", labelled(text, what));
    return made;
  };
  const rows = [...sessions].map(([session, { count, turn }]) => element("li", {},
    element("div", {}, code(session), " · ", word(count === 1 ? "undo-one" : "undo-count", { count })),
    element("div", { className: "buttons" },
      turn ? all(word("undo-turn"), session, `turn of ${session}`) : null,
      all(word("undo-session"), session, `session of ${session}`))));
  const time = element("input", { id: "undo-time", type: "time" });
  const since = element("button", { type: "button", className: "plain", disabled: true }, word("undo-since-it"));
  time.addEventListener("input", () => { since.disabled = !time.value; });
  since.addEventListener("click", () => act(`since ${time.value} of *`));
  return element("details", { className: "back" },
    element("summary", {}, word("undo-back")),
    element("ul", {}, rows),
    element("div", { className: "field" }, element("label", { htmlFor: time.id }, word("undo-since")), time, since));
}

/** Shows what can be undone. `call` sends requests to the guard. */
export function undoing(call, word) {
  const read = (id) => call(`undo/${encodeURIComponent(id)}?language=${language()}`);
  const refresh = async () => {
    const told = await call("undo");
    find("sum").textContent = told.deeds.length ? word("undo-sum", { count: told.deeds.length + told.more, size: size(told.bytes) }) : "";
    const undo = (id) => act(id, find("undone"), refresh);
    find("back").replaceChildren(...(told.deeds.length ? [back(told.deeds, word, undo)] : []));
    find("held").replaceChildren(list(told.deeds, word, undo, read));
  };
  /**
   * Undoes an action, shows the result in `note`, and then calls `after`, which makes the list again. The pressed button
   * is then gone; a keyboard that was there goes on at the result.
   */
  const act = async (id, note, after) => {
    const pressed = document.activeElement;
    note.textContent = word("undo-under-way");
    try {
      const told = await call(`actions/${encodeURIComponent(id)}/undo`, { language: language() });
      note.textContent = told.message;
    } catch (error) {
      note.replaceChildren(trouble(error));
    }
    // The list may also have been made again meanwhile, which leaves the keyboard nowhere.
    const held = [pressed, document.body].includes(document.activeElement);
    await after();
    if (held && !pressed.isConnected) note.focus();
  };
  return { show: refresh, act };
}
