// What was decided, from the record, with its sums as plots.

import { code, element } from "./parts.js";
import { button } from "./undo.js";

/** The lines of the record as a table, newest first; `undo` undoes what one of them tells of, where it can be. */
export function lines(rows, word, undo) {
  if (!rows.length) return element("p", {}, word("no-lines"));
  const body = rows.map((row) => {
    const who = [row.answered_by, row.channel].filter(Boolean).join(": ");
    return element("tr", {},
      element("td", {}, element("time", { dateTime: row.time }, new Date(row.time).toLocaleString(document.documentElement.lang))),
      element("td", {}, code(row.command), element("div", { className: "rule" }, row.audit_id)),
      element("td", {}, element("span", { className: `tag ${row.verdict}` }, word(`status-${row.verdict}`)), element("div", { className: "rule", lang: "en" }, row.rule ?? "")),
      element("td", {},
        element("span", { className: `tag ${row.status}` }, row.status ? word(`end-${row.status}`) : row.event),
        element("div", { className: "rule" }, [row.error, row.exit_code === null ? null : `exit ${row.exit_code}`, row.reason].filter(Boolean).join(" · ")),
        row.undo && undo ? button(row.command, word, () => undo(row.undo)) : null),
      element("td", {}, who));
  });
  const head = ["time", "command", "judgement", "end", "who"].map((id) => element("th", { scope: "col" }, word(id)));
  return element("table", {},
    element("caption", { className: "quiet" }, word("history")),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, body));
}

/** One sum as a plot: a bar for each name, longest first. The numbers stand beside the bars. */
function plot(caption, counts, name) {
  const rows = Object.entries(counts).sort((a, b) => b[1] - a[1]).slice(0, 12);
  if (!rows.length) return null;
  const most = rows[0][1];
  const body = rows.map(([id, count]) => {
    const bar = element("meter", { min: 0, max: most, value: count });
    bar.setAttribute("aria-label", `${name(id)}: ${count}`);
    return element("tr", {}, element("th", { scope: "row" }, name(id)), element("td", {}, bar), element("td", {}, String(count)));
  });
  return element("table", { className: "plot" }, element("caption", {}, caption), element("tbody", {}, body));
}

/** The sums of the record as plots. */
export function plots(sums, word) {
  return [
    plot(word("by-verdict"), sums.verdicts, (id) => word(`status-${id}`)),
    plot(word("by-end"), sums.ends, (id) => word(`end-${id}`)),
    plot(word("by-rule"), sums.rules, (id) => id),
    plot(word("by-kind"), sums.kinds, (id) => id),
  ].filter(Boolean);
}
