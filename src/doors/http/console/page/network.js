// Network traffic: a diagram with a line from each command to each of its hosts, and the same data as a table.

import { code, counted, element, grid, listed, size, when, zone } from "./parts.js";

const find = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
/** The most commands and the most hosts in the diagram. The table has all of them. */
const MOST = 12;
const ROW = 34;
const NARROW = 700;

function drawn(name, properties, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The program of a command, as short as a label must be. What the shell does itself speaks to nobody. */
function program(command) {
  const parts = command.split(/&&|\|\||[;|\n]/).map((part) => part.trim().split(/\s+/).filter((word) => !/^\w+=/.test(word))[0] ?? "");
  const found = parts.find((name) => name && !/^(cd|export|set|source|\.|sleep|mkdir|until|while|for|if|do|then)$/.test(name));
  return (found ?? parts[0] ?? "").split("/").pop();
}

/** Cuts a text to this many characters. */
function cut(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The totals of all runs: one link for each pair of program and host. */
function links(runs) {
  const found = new Map();
  for (const run of runs) {
    for (const host of run.hosts) {
      const who = program(run.command);
      const key = `${who}\n${host.host}`;
      const link = found.get(key) ?? { who, host: host.host, bytes: 0, refused: 0, connections: 0, running: false };
      link.bytes += host.sent + host.received;
      link.refused += host.refused;
      link.connections += host.connections;
      link.running ||= run.running;
      found.set(key, link);
    }
  }
  return [...found.values()].sort((a, b) => b.bytes - a.bytes || b.refused - a.refused);
}

/** The first names on each side, in order of appearance. */
function firsts(all, name) {
  return [...new Set(all.map((link) => link[name]))].slice(0, MOST);
}

/** The diagram, as wide as its container. The table has its data in words; screen readers get a summary. */
function picture(all, width, word) {
  const [left, right] = [firsts(all, "who"), firsts(all, "host")];
  const shown = all.filter((link) => left.includes(link.who) && right.includes(link.host));
  const height = Math.max(left.length, right.length) * ROW;
  const narrow = width < NARROW;
  const [from, to] = narrow ? [width * 0.24, width * 0.5] : [width * 0.26, width * 0.62];
  const most = Math.max(...shown.map((link) => link.bytes), 1);
  const at = (names, name) => ((names.indexOf(name) + 0.5) * height) / names.length;
  const letters = (pixels) => Math.max(Math.floor(pixels / 8.5), 4);
  const paths = shown.map((link) => {
    const [y, z] = [at(left, link.who), at(right, link.host)];
    const middle = (from + to) / 2;
    const shut = link.connections === 0;
    // The width of a line grows with the logarithm, so a page is still visible next to a gigabyte.
    const thick = shut ? 2 : 2 + (16 * Math.log10(1 + link.bytes)) / Math.log10(1 + most);
    const path = drawn("path", { d: `M${from},${y} C${middle},${y} ${middle},${z} ${to},${z}`, "stroke-width": thick, class: shut ? "shut" : link.running ? "live" : "open" });
    const cross = link.refused ? [drawn("text", { x: to - 14, y: z + 5, class: "cross" }, "✕")] : [];
    return [path, ...cross];
  });
  const label = (text, x, y, anchor, room) => {
    const made = drawn("text", { x, y: y + 5, "text-anchor": anchor }, cut(text, letters(room)));
    made.append(drawn("title", {}, text));
    return made;
  };
  const names = [
    ...left.map((name) => label(name, from - 8, at(left, name), "end", from - 8)),
    ...right.map((name) => label(name, to + 8, at(right, name), "start", width - to - 8)),
  ];
  const made = drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "flows" }, ...paths.flat(), ...names);
  const bytes = shown.reduce((sum, link) => sum + link.bytes, 0);
  const refused = shown.reduce((sum, link) => sum + link.refused, 0);
  made.setAttribute("aria-label", word("network-sum", {
    programs: counted("network-programs", left.length, word),
    hosts: counted("network-hosts", right.length, word),
    size: size(bytes),
    refused: counted("network-shut", refused, word),
  }));
  return made;
}

/** A table row for one host of one run. */
function row(run, host, word) {
  const refused = host.refused
    ? [element("span", { className: "tag denied" }, word("network-refused", { count: host.refused })),
      element("div", { className: "rule" }, listed(host.reasons ?? []))]
    : [];
  const passed = host.connections ? `↑\u00a0${size(host.sent)} ↓\u00a0${size(host.received)} ×${host.connections}` : "";
  return [
    [[code(run.command), element("div", { className: "rule" }, run.audit_id)], "row"],
    [code(host.host), element("div", { className: "rule" }, host.ports.join(", "), " ", (host.spoken ?? []).join(", "))],
    [passed ? element("div", {}, passed) : null, ...refused],
    run.running ? element("span", { className: "tag approved" }, word("network-now")) : when(run.at),
  ];
}

function whole(run, word) {
  return run.whole_network.map((name) => [
    [[code(run.command), element("div", { className: "rule" }, run.audit_id)], "row"],
    word("network-whole"), code(name), run.running ? word("network-now") : when(run.at),
  ]);
}

/** Shows the network traffic. `call` sends requests to the guard. */
export function network(call, word) {
  let runs = [];
  const draw = () => {
    const place = find("flows");
    const all = links(runs);
    if (!all.length) return place.replaceChildren(element("p", { className: "empty" }, word("network-none")));
    if (!place.clientWidth) return;
    const hosts = new Set(all.map((link) => link.host)).size;
    const note = hosts > MOST ? [element("p", { className: "rule" }, word("network-first", { shown: MOST, all: hosts }))] : [];
    place.replaceChildren(picture(all, place.clientWidth, word), ...note);
  };
  addEventListener("resize", () => { if (!find("view-network").hidden) draw(); });
  return {
    show: async () => {
      ({ runs } = await call("network"));
      draw();
      const heads = [[word("command")], [word("network-host")], [word("network-passed")], [`${word("time")} (${zone()})`]];
      const rows = runs.flatMap((run) => [...run.hosts.map((host) => row(run, host, word)), ...whole(run, word)]);
      find("talks").replaceChildren(rows.length ? grid(word("network"), heads, rows) : "");
    },
  };
}
