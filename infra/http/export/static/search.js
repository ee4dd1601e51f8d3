"use strict";
// Search of an export: every word has to stand in an entry. Texts are set as text, never as markup.
{
  const MOST = 50;
  const entries = (window.cairnIndex ?? []).flat();
  const haystacks = entries.map((entry) => entry.join(" ").toLowerCase());
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const told = document.getElementById("told");

  const make = (name, text, kind) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  const row = ([kind, title, place, target]) => {
    const link = make("a", title);
    link.href = target;
    const item = document.createElement("li");
    item.append(make("span", kind.replaceAll("_", " "), "kind"), link, make("small", place));
    return item;
  };

  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length
      ? entries.filter((_, at) => words.every((word) => haystacks[at].includes(word)))
      : [];
    list.replaceChildren(...found.slice(0, MOST).map(row));
    const more = found.length > MOST ? `, the first ${MOST} shown` : "";
    told.textContent = words.length ? `${found.length} found${more}` : "";
  };

  const asked = new URLSearchParams(location.hash.slice(1)).get("q");
  if (asked) field.value = asked;
  field.addEventListener("input", () => {
    search();
    history.replaceState(null, "", `#${new URLSearchParams({ q: field.value })}`);
  });
  field.form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    }
  });
  search();
}
