// Decisions from the record, and charts of their totals.

import { code, element, grid, hour, labelled, when, zone } from "./parts.js";
import { button } from "./undo.js";

/** The outcome's name. An action that completed without finding its target counts as an error. */
function end(row) {
  return row.status === "completed" && row.error ? "error" : row.status;
}

/**
 * The outcome of a line, for a first glance. A line without a status is a staged run whose changes are not judged yet.
 */
function fate(row) {
  if (row.verdict === "blocked") return "blocked";
  return { completed: "completed", denied: "denied", error: "error" }[end(row)] ?? "open";
}

/** The outcome in words. */
function told(row, word) {
  if (row.verdict === "blocked") return word("end-denied");
  return word(row.status ? `end-${end(row)}` : "end-held");
}

/**
 * The lines of the record as a table, newest first, by day. `undo` undoes the action of a line, if it can be undone.
 * `none` is the word for no lines.
 */
export function lines(rows, word, undo, none = "no-lines") {
  if (!rows.length) return element("p", { className: "empty" }, word(none));
  const cells = (row) => {
    // The rules decided only that the run may begin. Until it has ended, nobody has decided about its changes.
    const said = row.answered_by && row.status ? word(`by-${row.answered_by}`) : "";
    const who = [said, row.channel ? `(${word(`way-${row.channel}`)})` : null].filter(Boolean).join(" ");
    const small = [row.error ? word(`error-${row.error}`) : null, row.exit_code ? word("end-exit", { code: row.exit_code }) : null, row.reason];
    return [
      when(row.time),
      [[code(row.command), element("div", { className: "rule" }, row.audit_id)], "row"],
      [element("span", { className: `tag ${row.verdict}` }, word(`was-${row.verdict}`)), element("div", { className: "rule" }, code(row.rule ?? ""))],
      [element("span", { className: `tag ${end(row) ?? "held"}` }, told(row, word)),
        element("div", { className: "rule" }, small.filter(Boolean).join(" · ")),
        row.undo && undo ? button(row.command, word, () => undo(row.undo)) : null],
      who,
    ];
  };
  const heads = [[`${word("time")} (${zone()})`], [word("command")], [word("judgement")], [word("end")], [word("who")]];
  return grid(word("history"), heads, rows.map(cells));
}

/** The day so far: one mark for each decision, placed by its time. The table below has the same data in words. */
export function timeline(rows, word) {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const next = new Date(midnight);
  next.setDate(next.getDate() + 1);
  const today = rows.filter((row) => new Date(row.time) >= midnight);
  if (!today.length) return element("p", { className: "empty" }, word("day-empty"));
  const counts = {};
  const marks = today.map((row) => {
    const how = fate(row);
    counts[how] = (counts[how] ?? 0) + 1;
    const made = element("span", { className: `mark ${how}`, title: row.command });
    made.style.left = `${(100 * (new Date(row.time) - midnight)) / (next - midnight)}%`;
    return made;
  });
  const told = Object.entries(counts).map(([fate, count]) => [look(fate), labelled(word(`fate-${fate}`), count)]);
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
    plot(word("by-verdict"), sums.verdicts, (id) => word(`was-${id}`)),
    plot(word("by-end"), sums.ends, (id) => word(`end-${id}`)),
    plot(word("by-rule"), sums.rules, (id) => id),
    plot(word("by-kind"), sums.kinds, (id) => id),
  ].filter(Boolean);
}
