// What pages do beyond links and forms: keys, the panel beside, and what comes live. Text that comes
// from the server is put in as text, never as markup.
"use strict";

const NEWS_MS = 1000;
const RETRY_MS = 500;
const RETRY_AT_MOST_MS = 5000;
const FRESH_MS = 3000;  // a page that young has missed nothing
const body = document.body;
const beside = document.getElementById("beside");
const help = document.getElementById("help");
const hasDialog = () => document.querySelector("dialog[open]");  // the keys are for it alone
const isTyping = (at) => at.closest("input:not([type=radio]), textarea, select, [contenteditable]");
let place = -1;
let goes = false;
let news = 0;

// A narrow window has the places of a project in one line: the one that is open is in its middle.
const side = document.querySelector(".side");
const current = side?.querySelector("[aria-current]");
if (current) side.scrollLeft = current.offsetLeft - (side.clientWidth - current.offsetWidth) / 2;

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

// On a page out of a list, next and previous are those of that list.
function turn(way, step) {
  const turns = document.querySelector(".turns");
  if (turns) turns.querySelector(`[rel=${way}]`)?.click();
  else move(step);
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

// What each shortcut does, by its name; which key has it stands in the help, as chosen.
const DOES = {
  search: () => document.getElementById("search")?.focus(),
  help: () => help.showModal(),
  next: () => turn("next", 1),
  previous: () => turn("prev", -1),
  evidence: () => here()?.querySelector("[data-evidence]")?.click(),
  go: () => { goes = true; setTimeout(() => { goes = false; }, 1500); },
  more: () => document.querySelector("[data-next]")?.click(),
  pause: () => document.querySelector("[data-pause]")?.click(),
  undo: () => document.querySelector("[data-undo]")?.click(),
};
const named = (of) => Object.fromEntries(
  [...help.querySelectorAll(`[data-${of}]`)].map((it) => [it.textContent, it.dataset[of]]));
const KEYS = named("does");
const PAGES = named("leads");

// A card over what one reads goes away, and comes again once pointer and focus have left its chip.
function dismissQuotes() {
  const shown = document.querySelectorAll(".cite:is(:hover, :focus-within):not(.dismissed)");
  shown.forEach((each) => each.classList.add("dismissed"));
  return shown.length > 0;
}
for (const left of ["mouseout", "focusout"]) {
  document.addEventListener(left, (event) => {
    const cite = event.target.closest?.(".dismissed");
    if (cite && !cite.contains(event.relatedTarget)) cite.classList.remove("dismissed");
  });
}

function choose(number) {
  const wanted = `[data-key="${number}"]`;
  const chosen = here()?.querySelector(wanted) || document.querySelector(`main ${wanted}:not([data-item] *)`);
  if (!chosen) return false;
  if (chosen.type === "radio") {
    chosen.checked = true;
    chosen.form.querySelector("textarea")?.focus();
  } else chosen.focus();
  return true;
}

function perform(name) {
  if (name?.startsWith("choose-")) return choose(name.slice("choose-".length));
  if (!name) return false;
  DOES[name]();
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
    if (hasDialog()) return;
    document.querySelectorAll("details.menu[open]").forEach((each) => { each.open = false; });
    if (dismissQuotes()) return;
    if (isTyping(at)) at.blur();
    else if (closeBeside()) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || hasDialog() || isTyping(at)) return;
  if (body.dataset.singleKeys === "off") return;
  if (goes) {
    goes = false;
    const link = document.querySelector(`[data-go="${PAGES[event.key]}"]`);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  if (event.key === "Enter" && at.matches("[data-item]")) {
    at.querySelector("[data-open], a")?.click();
  } else if (perform(KEYS[event.key])) {
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

// A slider of moments stops at the ends of batches, and says which one it stands on.
document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-snap]");
  if (!slider) return;
  const ends = [...slider.list.options];
  const far = (end) => Math.abs(end.value - slider.value);
  const at = Number(slider.dataset.snap);
  const step = slider.value - at;
  let near = ends.reduce((one, other) => (far(other) < far(one) ? other : one));
  if (Math.abs(step) === 1 && Number(near.value) === at) { // by keyboard: on to the next one
    near = (step > 0 ? ends : ends.toReversed()).find((end) => (end.value - at) * step > 0) || near;
  }
  slider.value = slider.dataset.snap = near.value;
  slider.setAttribute("aria-valuetext", near.label);
  slider.closest("label").querySelector("output").value = near.label;
});

// A list that somebody reads stays where it is: what it shows of its rows moves, and rows that came or
// went wait behind a button. So does a card that somebody has begun to fill in. Where a page is full,
// the rows behind the last one that both know are of the next page.
// A chosen file becomes the text of its form, so that a person sees what is handed over.
document.addEventListener("change", async (event) => {
  const file = event.target.files?.[0];
  const into = file && document.getElementById(event.target.dataset.into);
  if (!into) return;
  into.value = await file.text();
  event.target.form.elements[`${into.name}_name`].value = file.name;
});

const live = document.querySelector("[data-live]");
const fresh = document.querySelector("[data-fresh]");
const isPaused = () => live && sessionStorage.getItem("paused") === "yes";
let takesAll = false;

const rowsOf = (list) => [...list.querySelectorAll("[data-item]")];
const isBegun = (row) => [...row.querySelectorAll("input, textarea")].some(
  (it) => it.value !== it.defaultValue || it.checked !== it.defaultChecked);

function missing(list, other) {
  const rows = rowsOf(list);
  const known = new Set(rowsOf(other).map((row) => row.id));
  const last = rows.findLastIndex((row) => known.has(row.id));
  const isWhole = last < 0 || !other.querySelector("[data-next]");
  return rows.slice(0, isWhole ? rows.length : last).filter((row) => !known.has(row.id)).length;
}

function hold(shown, sent) {
  const kept = shown.cloneNode(true);
  for (const row of rowsOf(sent)) {
    const old = document.getElementById(row.id);
    if (!shown.contains(old) || isBegun(old)) continue;
    if (old.classList.contains("at")) row.classList.add("at");
    kept.querySelector(`#${CSS.escape(row.id)}`).replaceWith(row);
  }
  sent.replaceWith(kept);
}

document.addEventListener("htmx:before:swap", (event) => {
  let [came, went, isList] = [0, 0, false];
  for (const { fragment } of event.detail.tasks) {
    for (const sent of fragment.querySelectorAll("[data-list]")) {
      const shown = document.getElementById(sent.id);
      isList = true;
      if (takesAll || !rowsOf(shown).length) continue;
      came += missing(sent, shown);
      went += missing(shown, sent);
      hold(shown, sent);
    }
  }
  if (!isList) return;
  takesAll = false;
  const told = [came && `${came} new`, went && `${went} gone`].filter(Boolean).join(", ");
  if (told === fresh.textContent) return;
  fresh.textContent = told;
  fresh.hidden = !told;
});

function showLive() {
  live.hidden = false;
  live.classList.toggle("paused", isPaused());
  live.querySelector("[data-state]").textContent = isPaused() ? "Paused" : "Live";
  live.querySelector("[data-pause] span").textContent = isPaused() ? "Resume" : "Pause";
}

if (live) {
  showLive();
  live.querySelector("[data-pause]").addEventListener("click", () => {
    sessionStorage.setItem("paused", isPaused() ? "no" : "yes");
    showLive();
    announce();
  });
  fresh.addEventListener("click", () => {
    takesAll = true;
    document.getElementById("main").focus({ preventScroll: true });
    htmx.trigger(body, "news");
  });
}

// Live: whatever the project's stream tells, the parts of the page that follow it ask again. A browser
// has six connections to a server, so the tabs of a project share one stream: one of those that are
// visible holds the lock, has the stream, and tells the others. A hidden tab asks for nothing and catches
// up when it is shown. Without locks (plain HTTP from another machine) each visible tab has a stream.
function announce() {
  if (isPaused()) return;
  if (!news && !document.hidden) news = setTimeout(() => { news = 0; htmx.trigger(body, "news"); }, NEWS_MS);
}

const lost = (isLost) => document.querySelectorAll(".lost").forEach((each) => { each.hidden = !isLost; });
const over = () => document.querySelectorAll(".over").forEach((each) => { each.hidden = false; });
const HEARD = { news: announce, lost: () => lost(true), connected: () => lost(false), over };
const stream = body.dataset.stream;
const tabs = stream && new BroadcastChannel(stream);
let following = null;
let heard = body.dataset.streamAfter;  // of a run: it ends, and is told from its beginning

function tell(what) {
  HEARD[what]();
  tabs.postMessage(what);
}

async function listen(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let line = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (line + read.value).split("\n");
    line = lines.pop();
    if (heard !== undefined) {
      heard = lines.findLast((each) => each.startsWith("id: "))?.slice(4) ?? heard;
    }
    if (lines.some((each) => each.startsWith("event:") && each !== "event: hb")) tell("news");
  }
}

// The extension for streams is for those of turns: it gives up when its first request fails, and it
// cannot be stopped while it waits to connect again.
async function follow(signal) {
  let wasLost = false;
  for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(2 * wait, RETRY_AT_MOST_MS)) {
    try {
      const answer = await fetch(stream, { signal, headers: heard ? { "Last-Event-ID": heard } : {} });
      if (answer.status === 401) { tell("over"); return; }
      if (answer.ok) {
        tell("connected");
        if (answer.status === 204) return;  // a run that is over has told everything
        if (wasLost || performance.now() > FRESH_MS) tell("news");  // what came meanwhile was told to nobody
        wait = RETRY_MS;
        const before = heard;
        await listen(answer);
        if (heard !== before) continue;  // the run may be over
      }
    } catch (error) { if (!signal.aborted && !(error instanceof TypeError)) throw error; }  // no network
    if (signal.aborted) return;
    wasLost = true;
    tell("lost");
    await new Promise((go) => { setTimeout(go, wait * (0.5 + Math.random())); });
  }
}

function attend() {
  following?.abort();
  if (document.hidden) return;
  following = new AbortController();
  const { signal } = following;
  if (!navigator.locks) follow(signal);
  else navigator.locks.request(stream, { signal }, () => follow(signal)).catch((error) => {
    if (!signal.aborted) throw error;
  });
}

if (stream) {
  tabs.addEventListener("message", (event) => HEARD[event.data]());
  document.addEventListener("visibilitychange", () => { announce(); attend(); });
  attend();
}

// A list of what no stream of the page tells about asks again by itself.
const POLL_MS = 5000;
if (document.querySelector("[data-poll]")) setInterval(announce, POLL_MS);

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
document.querySelectorAll("[data-time-zone]").forEach((each) => { each.value = zone; });

document.addEventListener("htmx:sse:before:message", (event) => {
  const { event: name, data } = event.detail.message;
  show(event.target.closest("[data-turn]"), name, data);
});
document.addEventListener("htmx:sse:error", (event) => { if (event.detail.status === 401) over(); });
document.addEventListener("htmx:response:error", (event) => {
  if (event.detail.ctx.response.status === 401) over();
});

const STEPS = {
  routing: (it) => `${it.agent} hands on to ${it.next_agent}`,
  thinking: (it) => it.thought,
  tool_call: (it) => `${it.tool} is called`,
  tool_result: (it) => `${it.tool} ${it.is_error ? "failed" : "answered"}`,
  handoff_started: (it) => `${it.from_agent} hands on to ${it.to_agent}: ${it.task}`,
  handoff_finished: (it) => `${it.to_agent} ${it.is_error ? "failed" : "is done"}`,
  memory_stored: (it) => `Remembered: ${it.text}`,
};
const DEEPEST = 3;
const working = [];  // who was handed something and is not done, each within the one before

// How far in a step stands: a handoff beside what its agent does, and what comes of it further in.
function depthOf(name, it) {
  if (name === "handoff_finished") working.splice(working.lastIndexOf(it.to_agent), 1);
  const by = name.startsWith("handoff") ? working.lastIndexOf(it.from_agent) + 1 : working.length;
  if (name === "handoff_started") working.push(it.to_agent);
  return Math.min(by, DEEPEST);
}

// The answer as it comes; what is taken back is not what it comes to.
function showPiece(turn, { text, retracted }) {
  const coming = turn.querySelector(".coming");
  coming.textContent = retracted ? "" : coming.textContent + text;
}

// The stream of a turn is told from its beginning: what it asked before it knew of the last decision is
// over. It asks about several calls one by one, and pauses at the last one.
let asked = [];
let isKnown = false;

function pausesAt(decided, { confirmation_id: id, more }) {
  asked.push(id);
  if (more) return false;
  const asksAboutIt = asked.includes(decided);
  isKnown ||= asksAboutIt || !decided;
  asked = [];
  return isKnown && !asksAboutIt;
}

function show(turn, name, data) {
  if (name === "confirmation_requested" && !pausesAt(turn.dataset.decided, JSON.parse(data))) return;
  if (["done", "error", "confirmation_requested"].includes(name)) {
    location.replace(turn.dataset.after);
    return;
  }
  if (name === "token") showPiece(turn, JSON.parse(data));
  const step = STEPS[name] && JSON.parse(data);
  if (!step) return;
  const line = document.createElement("li");
  line.textContent = STEPS[name](step);
  line.className = `in-${depthOf(name, step)}`;
  turn.querySelector(".steps").append(line);
}

// After a decision the address names the next card: it is the one to go on with.
const next = location.hash && document.getElementById(location.hash.slice(1))?.closest("main [data-item]");
if (next) {
  next.focus({ preventScroll: true });
  place = items().indexOf(next);  // the browser may have focused it before anybody listened
}

if (location.hash === "" && document.getElementById("here")) {
  document.getElementById("here").scrollIntoView({ block: "center" });
}
