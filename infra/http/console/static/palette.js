// The palette: pages and saved views stand on the page already and what was seen lately in this tab;
// documents, statements and projects are asked for while one types. Text is put in as text.
"use strict";
{
  const TYPED_MS = 150;
  const MOST_SEEN = 8;
  const SEEN = "cairn-seen";
  const palette = document.getElementById("palette");

  if (palette) begin(palette);
  else sessionStorage.removeItem(SEEN); // nobody is signed in

  function begin(dialog) {
    const words = dialog.querySelector("input");
    const list = dialog.querySelector("[role=listbox]");
    const status = dialog.querySelector("[role=status]");
    const again = dialog.querySelector("button");
    const search = document.querySelector("form.search");
    let asked = [];
    let asking = null;
    let timer = 0;
    const seen = noteSeen();

    const linksOf = (selector) => [...document.querySelectorAll(selector)].map(
      (it) => ({ title: it.textContent.trim(), href: it.getAttribute("href") }));

    // A page is listed once, as it was seen last; one that says what was refused has no address.
    function noteSeen() {
      const href = location.pathname + location.search;
      const title = document.title.split(" · ").slice(0, -1).join(" · ");
      const others = JSON.parse(sessionStorage.getItem(SEEN) || "[]").filter(
        (it) => it.title !== title || it.href.split("?")[0] !== location.pathname);
      if (!("refused" in document.body.dataset)) {
        sessionStorage.setItem(SEEN, JSON.stringify([{ title, href }, ...others].slice(0, MOST_SEEN + 1)));
      }
      return others;
    }

    function show() {
      const wanted = words.value.toLowerCase().split(/\s+/);
      const holds = (it) => wanted.every((word) => it.title.toLowerCase().includes(word));
      const listed = new Set();
      const isNew = (it) => !listed.has(it.href) && listed.add(it.href);
      const groups = [
        ["Seen lately", seen.filter(holds).slice(0, MOST_SEEN)],
        ["Saved views", linksOf(".side [data-view]").filter(holds)],
        ["Pages", linksOf(".side [data-go], .bar [data-page]").filter(holds)],
        ...asked,
        ["Search", searchOf(words.value.trim())],
      ].map(([name, found]) => [name, found.filter(isNew)]).filter(([, found]) => found.length);
      list.replaceChildren(...groups.map(([name, found], place) => groupOf(name, found, place)));
      const count = groups.reduce((sum, [name, found]) => sum + (name === "Search" ? 0 : found.length), 0);
      status.textContent = count ? `${count} found` : "Nothing found. Use other words.";
      point(list.querySelector("[role=option]"));
    }

    function searchOf(said) {
      if (!said || !search) return [];
      const href = `${search.getAttribute("action")}?${new URLSearchParams({ q: said })}`;
      return [{ title: `Search all statements for “${said}”`, href }];
    }

    function groupOf(name, found, place) {
      const group = document.createElement("div");
      const head = document.createElement("p");
      head.textContent = name;
      head.id = `palette-${place}`;
      group.setAttribute("role", "group");
      group.setAttribute("aria-labelledby", head.id);
      group.append(head, ...found.map(({ title, kind, href }, number) => {
        const option = document.createElement("a");
        option.textContent = title;
        option.href = href;
        option.id = `palette-${place}-${number}`;
        option.tabIndex = -1;
        option.setAttribute("role", "option");
        if (kind) option.append(Object.assign(document.createElement("small"), { textContent: kind }));
        return option;
      }));
      return group;
    }

    function point(option) {
      list.querySelector("[aria-selected=true]")?.removeAttribute("aria-selected");
      option?.setAttribute("aria-selected", "true");
      option?.scrollIntoView({ block: "nearest" });
      if (option) words.setAttribute("aria-activedescendant", option.id);
      else words.removeAttribute("aria-activedescendant");
    }

    function step(by) {
      const all = [...list.querySelectorAll("[role=option]")];
      const at = all.findIndex((it) => it.ariaSelected === "true");
      if (all.length) point(all[(at + by + all.length) % all.length]);
    }

    async function ask() {
      asking?.abort();
      asking = new AbortController();
      const own = asking.signal;
      again.hidden = true;
      list.setAttribute("aria-busy", "true");
      try {
        const address = `${dialog.dataset.search}?${new URLSearchParams({ q: words.value.trim() })}`;
        const headers = { "HX-Request": "true", "HX-Target": "dialog#palette" };
        const answer = await fetch(address, { headers, signal: own });
        if (!answer.ok) throw new Error(answer.statusText);
        const found = new DOMParser().parseFromString(await answer.text(), "text/html");
        asked = [...found.querySelectorAll("[data-group]")].map((group) => [
          group.dataset.group,
          [...group.querySelectorAll("a")].map((it) => ({
            title: it.textContent, kind: it.dataset.kind, href: it.getAttribute("href") })),
        ]);
        show();
      } catch {
        if (own.aborted) return;
        status.textContent = "The search did not answer.";
        again.hidden = false;
      }
      list.removeAttribute("aria-busy");
    }

    function open() {
      document.querySelectorAll("dialog[open]").forEach((each) => each.close());
      words.value = "";
      asked = [];
      dialog.showModal();
      show();
      ask();
    }

    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key !== "k") return;
      event.preventDefault();
      if (dialog.open) dialog.close();
      else open();
    });
    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-palette]") && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        open();
      } else if (event.target === dialog) dialog.close();
    });
    again.addEventListener("click", () => { words.focus(); ask(); });
    words.addEventListener("input", () => {
      show();
      clearTimeout(timer);
      timer = setTimeout(ask, TYPED_MS);
    });
    words.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (by) {
        event.preventDefault();
        step(by);
      } else if (event.key === "Enter" && !event.isComposing) {
        event.preventDefault();
        list.querySelector("[aria-selected=true]")?.click();
      }
    });
    dialog.addEventListener("close", () => { clearTimeout(timer); asking?.abort(); });
  }
}
