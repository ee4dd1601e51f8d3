// What somebody types into a form is kept in this browser until the form is done: when the session ends,
// the network goes or the tab is closed, it stands in the form again. Signing out removes it.
"use strict";
{
  const KEPT = "cairn-draft ";
  const SENT = "cairn-sent";
  const KEEP_MS = 300;
  const OLDEST_MS = 30 * 24 * 3_600_000;
  const FIELDS = "textarea[name], input[name]:not([type]), input[name][type=text]";
  const { caller, session } = document.body.dataset;
  const isRefused = "refused" in document.body.dataset;

  const fieldsOf = (form) => [...form.querySelectorAll(FIELDS)];
  const isKept = (form) => form.method === "post" && form.closest("main") && form.querySelector("textarea[name]");
  const keyOf = (form) => KEPT + [location.pathname, form.getAttribute("action") || "",
    ...fieldsOf(form).map((it) => it.name)].join(" ");
  const isChanged = (form) => fieldsOf(form).some((it) => it.value !== it.defaultValue);
  const removeAll = () => Object.keys(localStorage).filter((it) => it.startsWith(KEPT)).forEach(
    (it) => localStorage.removeItem(it));

  function read(key) {
    try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
  }

  // The version that the form was made for is kept, too: a text that is based on an older one is refused
  // beside what there is by now, as it would have been at once.
  function keep(form) {
    if (!isChanged(form)) { localStorage.removeItem(keyOf(form)); return; }
    const values = Object.fromEntries(fieldsOf(form).map((it) => [it.name, it.value]));
    const draft = { caller, at: Date.now(), values, version: form.elements.version?.value };
    try { localStorage.setItem(keyOf(form), JSON.stringify(draft)); } catch { /* the store is full */ }
  }

  function restore(form) {
    const draft = read(keyOf(form));
    if (!draft || draft.caller !== caller) return;
    const lost = fieldsOf(form).filter((it) => (draft.values[it.name] ?? it.value) !== it.value);
    if (!lost.length) return;
    const now = form.elements.version?.value;
    lost.forEach((it) => { it.value = draft.values[it.name]; });
    if (draft.version !== undefined && form.elements.version) form.elements.version.value = draft.version;
    const time = new Date(draft.at).toLocaleString();
    const note = tell(form, `What you wrote until ${time} was kept in this browser and is not sent yet.`);
    const discard = document.createElement("button");
    discard.type = "button";
    discard.textContent = "Discard it";
    discard.addEventListener("click", () => {
      fieldsOf(form).forEach((it) => { it.value = it.defaultValue; });
      if (form.elements.version) form.elements.version.value = now;
      localStorage.removeItem(keyOf(form));
      note.remove();
      lost[0].focus();
    });
    note.append(" ", discard);
  }

  function tell(form, text) {
    form.querySelector("[data-draft]")?.remove();
    const note = document.createElement("p");
    note.className = "hint";
    note.dataset.draft = "";
    note.setAttribute("role", "status");
    note.textContent = text;
    form.append(note);
    return note;
  }

  async function send(form, button) {
    let status = 0;
    try { ({ status } = await fetch(session, { cache: "no-store" })); } catch (error) {
      if (!(error instanceof TypeError)) throw error;  // no network
    }
    delete form.dataset.asking;
    if (status === 401) {
      tell(form, "Nothing was sent: your session has ended. Your text is kept in this browser.");
      const link = document.createElement("a");
      link.href = `${session.replace(/session$/, "sign-in")}?${new URLSearchParams({ next: location.pathname + location.search })}`;
      link.textContent = "Sign in again";
      form.querySelector("[data-draft]").append(" ", link);
    } else if (!status) {
      tell(form, "Nothing was sent: Cairn does not answer. Your text is kept in this browser; send it again when you are connected.");
    } else {
      form.dataset.reached = "";
      form.requestSubmit(button);
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.getAttribute("action")?.endsWith("/sign-out")) { removeAll(); return; }
    if (!session || !isKept(form)) return;
    keep(form);
    if ("reached" in form.dataset) { sessionStorage.setItem(SENT, keyOf(form)); return; }
    event.preventDefault();
    if ("asking" in form.dataset) return;
    form.dataset.asking = "";
    send(form, event.submitter);
  });

  // A form that is done leads to a page, by a redirect; one that was refused is shown again as it is.
  function forgetSent() {
    const sent = sessionStorage.getItem(SENT);
    sessionStorage.removeItem(SENT);
    const [{ type, redirectCount }] = performance.getEntriesByType("navigation");
    if (sent && session && !isRefused && type === "navigate" && redirectCount) localStorage.removeItem(sent);
  }

  forgetSent();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(KEPT) && !(read(key)?.at > Date.now() - OLDEST_MS)) localStorage.removeItem(key);
  }
  if (session) {
    if (!isRefused) [...document.forms].filter(isKept).forEach(restore);
    let timer = 0;
    document.addEventListener("input", ({ target }) => {
      if (!target.form || !target.matches(FIELDS) || !isKept(target.form)) return;
      clearTimeout(timer);
      timer = setTimeout(() => keep(target.form), KEEP_MS);
    });
    addEventListener("pagehide", () => [...document.forms].filter((it) => isKept(it) && isChanged(it)).forEach(keep));
  }
}
