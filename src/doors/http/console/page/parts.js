// Building blocks. Their texts are always text nodes and never markup, whatever a command contains.

/** An element with properties and children; strings become text nodes. */
export function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Text for machines, which belongs to no language. */
export function code(...children) {
  return element("code", { lang: "zxx", translate: false }, ...children);
}

/** A path, which breaks behind a slash before it breaks within a name. */
export function path(text) {
  return code(text.split(/(?<=\/)/).flatMap((part) => [part, element("wbr")]));
}

/** An error message, marked with its language. */
export function trouble(error) {
  return element("span", { lang: error.language ?? "en" }, error.message);
}

/** A command with the spans of its findings marked. Offsets count bytes, as in the guard. */
export function marked(text, findings) {
  const bytes = new TextEncoder().encode(text);
  const spans = findings
    .filter((finding) => finding.span && finding.status !== "approved")
    .map((finding) => [finding.span.start, finding.span.end, finding.rule])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const read = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  const parts = [];
  let at = 0;
  for (const [start, end, rule] of spans) {
    if (end <= at || start >= bytes.length) continue;
    const from = Math.max(start, at);
    if (from > at) parts.push(read(at, from));
    parts.push(element("mark", { title: rule }, read(from, end)));
    at = end;
  }
  if (at < bytes.length) parts.push(read(at, bytes.length));
  return element("pre", { tabIndex: 0 }, code(parts));
}

/** The language of the page. */
export const language = () => document.documentElement.lang;

/**
 * A date with its time in the browser's time zone, as `guarda` writes it: English has the month in words. A `timeStyle` of
 * "short" leaves out the seconds.
 */
export function when(time, timeStyle = "medium") {
  const english = language() === "en";
  const style = { dateStyle: english ? "medium" : "short", timeStyle };
  const told = new Intl.DateTimeFormat(english ? "en-GB" : language(), style).format(new Date(time)).replace("Sept", "Sep");
  return element("time", { dateTime: time, className: "when" }, told);
}

/** An hour of the day: "6:00" in every language, without am and pm. */
export function hour(at) {
  return new Intl.DateTimeFormat(language(), { hour: "numeric", minute: "2-digit", hourCycle: "h23" }).format(at);
}

/** The browser's time zone, as people write it: "GMT−3". */
export function zone() {
  const parts = new Intl.DateTimeFormat(language(), { timeZoneName: "short" }).formatToParts(new Date());
  // With a real minus sign, the zone does not break before its number.
  return (parts.find((part) => part.type === "timeZoneName")?.value ?? "").replace("-", "\u2212");
}

/** Keeps each number on the line of its unit: "90 kB" does not break. */
export const together = (text) => text.replace(/(\d) (?=[\p{L}%])/gu, "$1\u00a0");

/** Whether this count takes a word in the singular. In French, zero does, too. */
const single = (count) => count === 1 || (count === 0 && language().startsWith("fr"));

/** The text for a count, from the words `id` and `id-one`. */
export function counted(id, count, word) {
  return word(single(count) ? `${id}-one` : id, { count: count.toLocaleString(language()) });
}

/** A size for people, cut off after one decimal as `guarda` does. */
export function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  // The short unit of English has no plural: "81 byte".
  const unitDisplay = step === 0 && language() === "en" ? "long" : "short";
  const form = { style: "unit", unit: units[step], unitDisplay, minimumFractionDigits: step ? 1 : 0, maximumFractionDigits: step ? 1 : 0, roundingMode: "trunc" };
  return together(new Intl.NumberFormat(language(), form).format(bytes / 1000 ** step));
}

/** A number with the language's decimal separator. */
export function figure(value) {
  return value.toLocaleString(language(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/**
 * A table. On a narrow page, each row becomes a card in which every cell shows its heading; ARIA roles keep it a table
 * for screen readers. `heads` holds [heading, class]; a column of buttons, "act", shows no heading. A row is a list of cells: the content, or [content, "row"] for
 * the row's heading.
 */
export function grid(caption, heads, rows) {
  const cell = (content, at) => {
    const head = Array.isArray(content) && content[1] === "row";
    const [name, className] = heads[at];
    const properties = { role: head ? "rowheader" : "cell", "data-label": name, className: className ?? "" };
    return element(head ? "th" : "td", head ? { ...properties, scope: "row" } : properties, head ? content[0] : content);
  };
  return element("table", { role: "table", className: "grid" },
    element("caption", { className: "quiet" }, caption),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
      heads.map(([name, className]) => element("th", { role: "columnheader", scope: "col", className: className ?? "" },
        className === "act" ? element("span", { className: "quiet" }, name) : name)))),
    element("tbody", { role: "rowgroup" }, rows.map((cells) => element("tr", { role: "row" }, cells.map(cell)))));
}

/** Groups reasons by text, since several rules may give the same one. */
function said(things, text) {
  return [...new Set(things.map(text))].map((one) => [one, things.filter((thing) => text(thing) === one)]);
}

/** The reasons of a verdict, the most serious first, in the page's language. `told`: `findings`, `reasons`, `instead`. */
export function reasons(told, word) {
  const all = told.findings.map(({ rule }, at) => ({ rule, text: told.reasons[at], instead: told.instead[at] }));
  const items = said(all, (reason) => reason.text).map(([text, equal]) =>
    element("li", {},
      text,
      said(equal, (reason) => reason.rule).flatMap(([rule, [{ instead }]]) => [
        " ", element("span", { className: "rule" }, rule),
        instead ? element("div", {}, labelled(word("instead"), instead)) : null,
      ])));
  return element("ul", { className: "reasons" }, items);
}

/** The tree of what would run. Wrappers and substitutions contain what they start. */
export function tree(branches) {
  const nodes = branches.map((branch) => element("li", {}, code(branch.text)));
  const lists = new Map();
  const top = element("ul", { className: "tree" });
  branches.forEach((branch, at) => {
    // A parent always precedes its children.
    const parent = branch.parent !== null && branch.parent < at ? branch.parent : null;
    if (parent === null) return top.append(nodes[at]);
    if (!lists.has(parent)) {
      lists.set(parent, element("ul", {}));
      nodes[parent].append(lists.get(parent));
    }
    lists.get(parent).append(nodes[at]);
  });
  return top;
}

/** A label with its value. French has a space before the colon. */
export const labelled = (label, value) => `${label}${language().startsWith("fr") ? "\u00a0" : ""}: ${value}`;

/** Parts of a sentence with semicolons between them. French has a space before each. */
export const listed = (parts) => parts.join(language().startsWith("fr") ? "\u00a0; " : "; ");

/** A risk as a bar with its number. A bar's limits belong to the part below them. */
export function risk(value, word) {
  const bar = element("meter", { min: 0, max: 1, low: 0.399, high: 0.699, optimum: 0, value });
  bar.setAttribute("aria-label", `${word("risk")} ${figure(value)}`);
  const how = value < 0.4 ? "risk-low" : value < 0.7 ? "risk-middle" : "risk-high";
  return element("div", { className: "risk" },
    element("span", {}, word("risk")), bar, element("strong", {}, labelled(figure(value), word(how))));
}

/** A part of a card with a heading; nothing if it has no content. */
export function panel(title, ...children) {
  const there = children.flat().filter(Boolean);
  return there.length ? element("section", { className: "panel" }, element("h4", {}, title), there) : null;
}

/** A list of names and values. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").flatMap(([name, value]) => [
    element("dt", {}, name), element("dd", {}, value)]);
  return rows.length ? element("dl", {}, rows) : null;
}

/** A wrapper for a table that may be wider than the page. It can be scrolled with the keyboard. */
export function wide(name, made) {
  return element("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": name }, made);
}

/** A group of parts with the number in each state, and a table with the state of each. It can be folded. */
export function group(caption, rows, word, kind) {
  const sum = ["ready", "starting", "failed", "absent"].flatMap((state) => {
    const count = rows.filter(([, part]) => part.state === state).length;
    return count ? element("span", { className: `tag ${state}` }, labelled(word(`state-${state}`), count)) : [];
  });
  const lines = rows.map(([name, part]) => [
    [word(`${kind}-${name}`), "row"],
    element("span", { className: `tag ${part.state}` }, word(`state-${part.state}`)),
    part.detail ? element("span", {}, part.detail) : null]);
  return element("details", { className: "group" },
    element("summary", {}, element("h4", {}, caption), element("span", { className: "sum" }, sum)),
    wide(caption, grid(caption, ["part", "state", "detail"].map((id) => [word(id)]), lines)));
}
