// What pages do beyond links and forms: keys, the panel beside, and what comes live. Text that comes
// from the server is put in as text, never as markup.
"use strict";

const NEWS_MS = 1000;
const body = document.body;
const beside = document.getElementById("beside");
const help = document.getElementById("help");
const isTyping = (at) => at.closest("input:not([type=radio]), textarea, select, [contenteditable]");
let place = -1;
let goes = false;
let news = 0;

const items = () => [...document.querySelectorAll("main [data-item]")];

function move(step) {
  const all = items();
  if (!all.length) return;
  place = Math.max(0, Math.min(all.length - 1, place + step));
  all.forEach((each, number) => each.classList.toggle("at", number === place));
  const at = all[place];
  (at.matches("[tabindex]") ? at : at.querySelector("a, button") || at).focus({ preventScroll: true });
  at.scrollIntoView({ block: "nearest" });
}

function here() {
  return document.activeElement.closest("main [data-item]") || items()[Math.max(0, place)];
}

function closeBeside() {
  if (!beside.firstChild) return false;
  beside.replaceChildren();
  (opener && opener.isConnected ? opener : document.getElementById("main")).focus();
  return true;
}

let opener = null;

const KEYS = {
  "/": () => document.getElementById("search")?.focus(),
  "?": () => help.showModal(),
  j: () => move(1),
  k: () => move(-1),
  e: () => here()?.querySelector("[data-evidence]")?.click(),
  g: () => { goes = true; setTimeout(() => { goes = false; }, 1500); },
  n: () => document.querySelector("[data-next]")?.click(),
  u: () => document.querySelector("[data-undo]")?.click(),
};

function choose(key) {
  const chosen = here()?.querySelector(`[data-key="${key}"]`);
  if (!chosen) return false;
  if (chosen.type === "radio") {
    chosen.checked = true;
    chosen.form.querySelector("textarea")?.focus();
  } else chosen.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  const at = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = at.closest("form");
    if (form) { event.preventDefault(); form.requestSubmit(form.querySelector("button.primary, button")); }
    return;
  }
  if (event.key === "Escape") {
    if (help.open) return;
    document.querySelectorAll("details.menu[open]").forEach((each) => { each.open = false; });
    if (isTyping(at)) at.blur();
    else if (closeBeside()) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || isTyping(at)) return;
  if (body.dataset.singleKeys === "off") return;
  if (goes) {
    goes = false;
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  if (event.key === "Enter" && at.matches("[data-item]")) {
    at.querySelector("[data-open], a")?.click();
  } else if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  } else if (/^[1-9]$/.test(event.key) && choose(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("focusin", (event) => {
  const at = event.target.closest("main [data-item]");
  if (at) place = items().indexOf(at);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) closeBeside();
  const link = event.target.closest('[hx-target="#beside"]');
  if (link && !beside.contains(link)) opener = link;
  document.querySelectorAll("details.menu[open]").forEach((each) => {
    if (!each.contains(event.target)) each.open = false;
  });
});

document.addEventListener("htmx:after:swap", () => {
  if (!beside.firstChild) return;
  const marked = beside.querySelector("#here");
  if (marked) marked.scrollIntoView({ block: "center" });
  else beside.scrollTop = 0;
  if (!beside.contains(document.activeElement) && opener) beside.focus({ preventScroll: true });
});

// Live: whatever the project's stream tells, the parts of the page that follow it ask again.
function announce() {
  if (!news) news = setTimeout(() => { news = 0; htmx.trigger(body, "news"); }, NEWS_MS);
}

const lost = (isLost) => document.querySelectorAll(".lost").forEach((each) => { each.hidden = !isLost; });
const over = () => document.querySelectorAll(".over").forEach((each) => { each.hidden = false; });
let wasLost = false;

document.addEventListener("htmx:sse:before:message", (event) => {
  const turn = event.target.closest("[data-turn]");
  const message = event.detail.message;
  if (turn) show(turn, message.event, message.data);
  else if (message.event !== "hb") announce();
});
document.addEventListener("htmx:sse:error", (event) => {
  if (event.detail.status === 401) over();
  else if (!event.target.closest("[data-turn]")) { wasLost = true; lost(true); }
});
document.addEventListener("htmx:response:error", (event) => {
  if (event.detail.ctx.response.status === 401) over();
});
document.addEventListener("htmx:sse:after:connection", () => {
  lost(false);
  if (wasLost) announce();
  wasLost = false;
});

const STEPS = {
  routing: (it) => `${it.agent} hands on to ${it.next_agent}`,
  thinking: (it) => it.thought,
  tool_call: (it) => `${it.tool} is called`,
  tool_result: (it) => `${it.tool} ${it.is_error ? "failed" : "answered"}`,
};

function show(turn, name, data) {
  // The stream of a turn is told from its beginning: what was asked before the last decision is over.
  if (name === "confirmation_requested" && turn.dataset.decided) {
    if (JSON.parse(data).confirmation_id === turn.dataset.decided) turn.dataset.decided = "";
    return;
  }
  if (["done", "error", "confirmation_requested"].includes(name)) {
    location.replace(turn.dataset.after);
    return;
  }
  const told = STEPS[name]?.(JSON.parse(data));
  if (!told) return;
  const line = document.createElement("li");
  line.textContent = told;
  turn.querySelector(".steps").append(line);
}

// After a decision the address names the next card: it is the one to go on with.
const next = location.hash && document.getElementById(location.hash.slice(1))?.closest("main [data-item]");
if (next) next.focus({ preventScroll: true });

if (location.hash === "" && document.getElementById("here")) {
  document.getElementById("here").scrollIntoView({ block: "center" });
}
