// Decisions from the record, and charts of their totals.

import { code, element, grid, hour, labelled, when, zone } from "./parts.js";
import { button } from "./undo.js";

/** The colour of a fate, which several share. */
const LOOKS = {
  done_unasked: "unasked", done_approved: "done", blocked: "blocked", failed: "failed", not_held_back: "wait", waiting: "wait",
  denied: "no", denied_unasked: "no", expired: "no", withdrawn: "no", left_to_client: "unasked",
};
const look = (fate) => LOOKS[fate] ?? "wait";

/** Who decided, and through which channel. A question that nobody could be asked has nobody's answer. */
function decider(row, word) {
  if (!row.answered_by || ["waiting", "denied_unasked", "withdrawn"].includes(row.fate)) return "";
  return [word(`by-${row.answered_by}`), row.channel ? `(${word(`way-${row.channel}`)})` : null].filter(Boolean).join(" ");
}

/**
 * The lines of the record as a table, newest first, by day. `undo` undoes the action of a line, if it can be undone.
 * `none` is the word for no lines.
 */
export function lines(rows, word, undo, none = "no-lines") {
  if (!rows.length) return element("p", { className: "empty" }, word(none));
  const cells = (row) => {
    const small = [
      row.password ? word("with-password") : null,
      row.error && row.error !== "failed" && row.fate === "failed" ? word(`error-${row.error}`) : null,
      row.exit_code ? word("end-exit", { code: row.exit_code }) : null,
      row.reason,
    ];
    return [
      when(row.time),
      [[code(row.command), element("div", { className: "rule" }, row.audit_id)], "row"],
      [row.fate ? element("span", { className: `tag ${look(row.fate)}` }, word(`fate-${row.fate}`)) : null,
        element("div", { className: "rule" }, small.filter(Boolean).join(" · ")),
        row.undo && undo ? button(row.command, word, () => undo(row.undo)) : null],
      [element("div", {}, decider(row, word)), row.why ? element("div", { className: "rule" }, row.why) : null],
    ];
  };
  const heads = [[`${word("time")} (${zone()})`], [word("command")], [word("end")], [word("who")]];
  return grid(word("history"), heads, rows.map(cells));
}

/** The day so far: one mark for each decision, placed by its time. The table below has the same data in words. */
export function timeline(rows, word) {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const next = new Date(midnight);
  next.setDate(next.getDate() + 1);
  // An event of the record itself decides nothing.
  const today = rows.filter((row) => row.fate && new Date(row.time) >= midnight);
  if (!today.length) return element("p", { className: "empty" }, word("day-empty"));
  const counts = {};
  const marks = today.map((row) => {
    counts[row.fate] = (counts[row.fate] ?? 0) + 1;
    const made = element("span", { className: `mark ${look(row.fate)}`, title: row.command });
    made.style.left = `${(100 * (new Date(row.time) - midnight)) / (next - midnight)}%`;
    return made;
  });
  // Each colour once: fates that share it stand beside each other.
  const told = Object.entries(Object.groupBy(Object.entries(counts), ([fate]) => look(fate)))
    .map(([how, fates]) => [how, fates.map(([fate, count]) => labelled(word(`fate-${fate}`), count)).join(" · ")]);
  const hours = [0, 6, 12, 18].map((number) => {
    const at = new Date(midnight);
    at.setHours(number);
    return element("span", {}, hour(at));
  });
  const band = element("div", { className: "band", role: "img" }, marks);
  band.setAttribute("aria-label", labelled(word("day"), told.map(([, text]) => text).join(", ")));
  return element("div", { className: "day" },
    band,
    element("div", { className: "hours", "aria-hidden": "true" }, hours),
    element("p", { className: "legend" }, told.map(([how, text]) => element("span", { className: `key ${how}` }, text))));
}

/** One total as a bar chart, longest bar first. The numbers are beside the bars. */
function plot(caption, counts, name) {
  const rows = Object.entries(counts).sort((a, b) => b[1] - a[1]).slice(0, 12);
  if (!rows.length) return null;
  const most = rows[0][1];
  const body = rows.map(([id, count]) => {
    const bar = element("meter", { min: 0, max: most, value: count });
    bar.setAttribute("aria-label", labelled(name(id), count));
    return element("tr", {}, element("th", { scope: "row" }, name(id)), element("td", {}, bar), element("td", {}, String(count)));
  });
  return element("table", { className: "plot" }, element("caption", {}, caption), element("tbody", {}, body));
}

/** The totals of the record as charts. */
export function plots(sums, word) {
  return [
    plot(word("by-fate"), sums.fates, (id) => word(`fate-${id}`)),
    plot(word("by-rule"), sums.rules, (id) => id),
    plot(word("by-kind"), sums.kinds, (id) => word(`action-${id}`) || id),
  ].filter(Boolean);
}
