// The changes of a run or of an undo: one line for each path, with the difference below it.

import { code, element, labelled, path, together } from "./parts.js";

/** The sign of a change, for sighted users. Screen readers read its word. */
const SIGNS = { deleted: "−", replaced: "±", changed: "~", renamed: "→", created: "+", attributes: "*" };
/** The element and the sign for each kind of line in a difference. */
const LINES = { added: ["ins", "+ "], removed: ["del", "− "], same: ["span", "  "], place: ["span", ""] };

/** The difference between two texts. */
function difference(lines) {
  const told = lines.flatMap((line) => {
    const [name, sign] = LINES[line.sign] ?? LINES.same;
    return [element(name, { className: line.sign }, sign + line.text), "\n"];
  });
  return element("pre", { tabIndex: 0, className: "diff" }, code(told));
}

/** The changes of a staged run: one line for each path, with the difference below it. */
export function changes(effects, word) {
  const items = effects.changes.map((change) => element("li", { className: change.mark },
    element("span", { className: "sign", "aria-hidden": "true" }, SIGNS[change.mark] ?? "·"),
    element("span", { className: "quiet" }, labelled(word(`mark-${change.mark}`), "")),
    path(change.path),
    change.detail ? element("span", { className: "detail" }, together(` ${change.detail}`)) : null,
    change.diff.length ? difference(change.diff) : null));
  return items.length ? element("ul", { className: "changes" }, items) : null;
}

/** Further notes on a run: what it left behind, and what it tried to reach. */
export function notes(effects) {
  return effects.notes.map((note) => element("p", { className: "note" }, note));
}
