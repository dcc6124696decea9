// The card of a question, with everything about it and the ways to answer.

import { changes, notes } from "./changes.js";
import { code, element, facts, labelled, panel, path, risk, together, tree, trouble } from "./parts.js";

/** The reasons for the question, in the page's language. */
function why(reasons, word) {
  const items = reasons.map(({ text, rules }) => element("li", {},
    text,
    rules.flatMap(({ why: own, instead }) => [
      own ? element("div", { className: "rule" }, own) : null,
      instead ? element("div", {}, labelled(word("instead"), instead)) : null,
    ])));
  return element("ul", { className: "reasons" }, items);
}

/** The paths that would be touched, grouped by fate. */
function touches(told, word) {
  const groups = told.groups.map((group) => element("li", { className: group.fate },
    together(group.text),
    element("ul", { className: "paths" }, group.items.map((item) =>
      element("li", {}, path(item.leads ? `${item.path} → ${item.leads}` : item.path)))),
    group.paths > group.items.length ? element("div", {}, word("more", { count: group.paths - group.items.length })) : null));
  return [
    groups.length ? element("ul", { className: "touches" }, groups) : null,
    told.missing.length
      ? element("div", {}, labelled(word("missing"), ""), told.missing.map((name, at) => [at ? ", " : "", path(name)]))
      : null,
    told.open ? element("p", { className: "open" }, word("open-end")) : null,
  ].filter(Boolean);
}

/** Whether the tree shows more than the command line itself. */
function branching(question) {
  return question.tree.length > 1 || (question.tree.length === 1 && question.tree[0].text !== question.object.trim());
}

/**
 * The card of a question. It stays the same element while the question is open, to keep what a person has typed.
 * `answer` sends an answer, and fails with the guard's message.
 */
export function card(question, word, answer) {
  const reason = element("input", { id: `reason-${question.id}`, type: "text", maxLength: 4000, autocomplete: "off" });
  const yes = element("button", { type: "button", className: "yes", disabled: true }, word("approve"));
  const no = element("button", { type: "button", className: "no" }, word("deny"));
  const offers = question.offers.map((offer) => {
    const button = element("button", { type: "button", className: "plain", disabled: true }, offer.text);
    return { answer: offer.answer, button };
  });
  const further = offers.map((offer) => offer.button);
  // The answer that ends the matter is in reach; longer and shorter ones are a step away.
  const session = offers.find((offer) => offer.answer === "session")?.button ?? null;
  const others = further.filter((button) => button !== session);
  // A replacement is not a yes. It is judged, and comes back as a question of its own.
  const wish = element("textarea", {
    id: `change-${question.id}`, rows: 3, spellcheck: false, autocapitalize: "off", autocomplete: "off", maxLength: 4096,
    lang: "zxx",
  });
  wish.value = question.draft ?? "";
  const send = element("button", { type: "button", className: "plain" }, word("modify"));
  const change = element("details", {},
    element("summary", {}, word("change")),
    element("label", { htmlFor: wish.id }, word("change-what")),
    wish, send);
  const bar = element("progress", { max: 1, value: 1 });
  bar.setAttribute("aria-label", word("time-left"));
  const left = element("span", {}, "");
  const note = element("p", { role: "status", className: "note" }, "");
  const text = element("pre", { tabIndex: 0, className: "command" }, code(question.object));
  const kin = element("ul", { className: "paths" });
  const beside = element("div", { className: "alike", hidden: true }, element("strong", {}, word("alike")), kin);
  const list = question.effects ? changes(question.effects, word) : null;
  const end = element("div", {});
  const made = element("li", { className: `card ${question.status}`, tabIndex: -1, lang: question.language },
    element("p", { className: "kind" },
      element("span", { className: `tag ${question.status}` }, word(`status-${question.status}`)),
      element("span", {}, question.tool ? code(question.tool) : word(`action-${question.action}`))),
    element("h3", {}, question.effect),
    question.late ? element("p", { className: "told" }, word("late-host")) : null,
    question.effects ? element("p", { className: "told" }, together(question.effects.text)) : null,
    question.effects ? notes(question.effects) : null,
    text,
    beside,
    facts([
      [word("folder"), question.cwd ? path(question.cwd) : null],
      [word("asker"), question.asker ? code(question.asker) : null],
      [word("session"), question.session ? code(question.session) : null]]),
    element("div", { className: "panels" },
      panel(word("why"), why(question.reasons, word), risk(question.risk, word)),
      list ? panel(word("changes"), list, end) : null,
      panel(word("touches"), touches(question.touches, word)),
      branching(question) ? panel(word("runs"), tree(question.tree)) : null,
      question.sandbox_lines.length
        ? panel(word("sandbox"), question.sandbox_lines.map((line) => element("p", {}, line)))
        : null,
      question.marks.length
        ? panel(word("marks"), element("ul", {}, question.marks.map((mark) => element("li", {}, mark.text))))
        : null),
    question.reasoning
      ? element("div", { className: "model" },
        element("strong", {}, labelled(word("model-says"), "")), element("q", { lang: "und" }, question.reasoning))
      : null,
    question.draft === null ? null : change,
    element("div", { className: "field" }, element("label", { htmlFor: reason.id }, word("reason")), reason),
    // The buttons stay at the bottom of the window while the card is visible, in reach of a thumb.
    element("div", { className: "answer" },
      element("div", { className: "time" }, bar, left),
      note,
      element("div", { className: "buttons" }, no, yes, session),
      others.length ? element("details", { className: "lasting" }, element("summary", {}, word("lasting")), ...others) : null));
  const give = async (body) => {
    yes.disabled = no.disabled = send.disabled = true;
    for (const button of further) button.disabled = true;
    try {
      await answer(question.id, alike.length && body.answer !== "modify" ? { ...body, alike } : body);
    } catch (error) {
      note.replaceChildren(trouble(error));
      no.disabled = send.disabled = false;
    }
  };
  const shown = question.effects ? { shown: question.effects.digest } : {};
  yes.addEventListener("click", () => give({ answer: "yes", ...shown }));
  for (const { answer, button } of offers) button.addEventListener("click", () => give({ answer, ...shown }));
  no.addEventListener("click", () => give({ answer: "no", ...(reason.value ? { reason: reason.value } : {}) }));
  reason.addEventListener("keydown", (event) => { if (event.key === "Enter") no.click(); });
  send.addEventListener("click", () => give({ answer: "modify", command: wish.value }));
  // Yes works only after the whole text and the whole list have been visible, and not at the moment when the question
  // appears.
  let armed = false;
  let seen = false;
  // A list of a line or two has no end to scroll to.
  let listed = !list || (list.childElementCount <= 2 && !list.querySelector(".diff"));
  const look = () => {
    seen ||= text.scrollTop + text.clientHeight >= text.scrollHeight - 4;
    yes.disabled = !(armed && seen && listed);
    for (const button of further) button.disabled = yes.disabled;
    if (armed && yes.disabled) note.textContent = word(seen ? "read-list" : "read-all");
    else if ([word("read-all"), word("read-list")].includes(note.textContent)) note.textContent = "";
  };
  if (!listed) {
    // The end of the list must be visible above the bar with the buttons.
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      listed = true;
      look();
    }, { rootMargin: "0px 0px -80px 0px" }).observe(end);
  }
  text.addEventListener("scroll", look);
  setTimeout(() => { armed = true; look(); }, 600);
  const tick = (now) => {
    if (!question.expires) { left.textContent = word("waits"); return; }
    const [from, to] = [Date.parse(question.asked), Date.parse(question.expires)];
    const rest = Math.max(0, to - now);
    bar.value = rest / Math.max(1, to - from);
    const count = Math.ceil(rest / 1000);
    left.textContent = count < 120
      ? word(count === 1 ? "second" : "seconds", { count })
      : word("minutes", { count: Math.ceil(count / 60) });
  };
  // An answer is meant for what has been visible for a moment.
  let alike = [];
  const update = (fresh, same) => {
    question.expires = fresh.expires;
    kin.replaceChildren(...same.map(({ object }) => element("li", {}, code(object))));
    beside.hidden = same.length === 0;
    setTimeout(() => { alike = same.map(({ id }) => id); }, 600);
  };
  return { made, tick, update };
}
