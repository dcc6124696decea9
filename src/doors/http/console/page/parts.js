// Building blocks: elements whose texts are only ever texts, never markup, whatever a command has in it.

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

/** A command with the stretches that findings are about marked. Offsets count bytes, as the guard counts them. */
export function marked(text, findings) {
  const bytes = new TextEncoder().encode(text);
  const spans = findings
    .filter((finding) => finding.span && finding.status !== "approved")
    .map((finding) => [finding.span.start, finding.span.end])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const read = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  const parts = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (end <= at || start >= bytes.length) continue;
    const from = Math.max(start, at);
    if (from > at) parts.push(read(at, from));
    parts.push(element("mark", {}, read(from, end)));
    at = end;
  }
  if (at < bytes.length) parts.push(read(at, bytes.length));
  return element("pre", { tabIndex: 0 }, element("code", {}, parts));
}

/** The reasons of a verdict, gravest first. */
export function reasons(findings, word) {
  const items = findings.map((finding) =>
    element("li", {},
      element("span", {}, finding.why),
      ` (${finding.rule})`,
      finding.instead ? element("div", {}, `${word("instead")}: ${finding.instead}`) : null));
  return element("ul", { className: "reasons" }, items);
}

/** Names and values. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value).flatMap(([name, value]) => [
    element("dt", {}, name), element("dd", {}, value)]);
  return element("dl", {}, rows);
}

/** How back-ends are doing. */
export function table(caption, rows, word) {
  const lines = rows.map(([name, part]) =>
    element("tr", {},
      element("th", { scope: "row" }, name),
      element("td", {}, element("span", { className: `tag ${part.state}` }, word(`state-${part.state}`))),
      element("td", {}, part.detail)));
  const head = ["part", "state", "detail"].map((id) => element("th", { scope: "col" }, word(id)));
  return element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, lines));
}
