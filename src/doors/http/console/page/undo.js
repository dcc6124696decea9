// What can be undone: a list of deeds with a button each. An undo is judged and asked like every other deed.

import { code, element, english } from "./parts.js";

const find = (id) => document.getElementById(id);
const language = () => document.documentElement.lang;

/** A time as the clock on the wall shows it. */
function when(time) {
  return element("time", { dateTime: time }, new Date(time).toLocaleString(language()));
}

/** A size as people say it. */
function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const form = { style: "unit", unit: units[step], unitDisplay: "short", maximumFractionDigits: step ? 1 : 0 };
  return new Intl.NumberFormat(language(), form).format(bytes / 1000 ** step);
}

/** The button that undoes a deed. */
export function button(what, word, act) {
  const made = element("button", { type: "button", className: "plain", on: { click: act } }, word("undo-it"));
  made.setAttribute("aria-label", `${word("undo-it")}: ${what}`);
  return made;
}

function row(deed, word, act) {
  const more = deed.count - deed.paths.length;
  const paths = deed.paths.map((path) => element("div", {}, code(path)));
  if (more > 0) paths.push(element("div", {}, word("more", { count: more })));
  const what = deed.what ?? deed.id;
  return element("tr", {},
    element("td", {}, when(deed.at)),
    element("th", { scope: "row" }, code(what), element("div", { className: "rule" }, paths)),
    element("td", {}, deed.until ? when(deed.until) : word("undo-while-running")),
    element("td", { className: "number" }, size(deed.bytes)),
    element("td", {}, button(what, word, () => act(deed.id))));
}

function list(deeds, word, act) {
  if (!deeds.length) return element("p", { className: "empty" }, word("undo-none"));
  const head = ["time", "undo-deed", "undo-until", "undo-size", "undo-it"].map((id) =>
    element("th", { scope: "col", className: id === "undo-size" ? "number" : "" }, word(id)));
  return element("table", {},
    element("caption", { className: "quiet" }, word("undo")),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, deeds.map((deed) => row(deed, word, act))));
}

/** Shows what can be undone, and undoes. `call` asks the guard. */
export function undoing(call, word) {
  const refresh = async () => {
    const told = await call("undo");
    find("sum").textContent = told.deeds.length ? word("undo-sum", { count: told.deeds.length + told.more, size: size(told.bytes) }) : "";
    find("held").replaceChildren(list(told.deeds, word, (id) => act(id, find("undone"), refresh)));
  };
  /** Undoes a deed; what comes of it is said at `note`, then `after` is done. */
  const act = async (id, note, after) => {
    note.textContent = word("undo-under-way");
    try {
      const told = await call(`actions/${encodeURIComponent(id)}/undo`, { language: language() });
      note.textContent = told.message;
    } catch (error) {
      note.replaceChildren(english(error.message));
    }
    await after();
  };
  return { show: refresh, act };
}
