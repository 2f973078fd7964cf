/* Suggestions below a search field while one types: the combobox pattern of the ARIA Authoring Practices, with a list
   that only suggests. Without this script the form works as it is. */

const PAUSE = 150; // milliseconds without a key before asking

function combobox(field, number) {
  const form = field.form;
  const list = document.createElement("ul");
  const status = document.createElement("p");
  list.id = `suggestions-${number}`;
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  form.classList.add("has-suggestions");
  form.append(list, status);
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id, autocomplete: "off",
  })) field.setAttribute(name, value);

  let timer, request, active = -1;

  function mark(place) {
    const options = list.children;
    options[active]?.setAttribute("aria-selected", "false");
    active = place;
    if (active < 0) field.removeAttribute("aria-activedescendant");
    else {
      options[active].setAttribute("aria-selected", "true");
      options[active].scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", options[active].id);
    }
  }

  function close() {
    clearTimeout(timer);
    request?.abort();
    mark(-1);
    list.hidden = true;
    status.textContent = "";
    field.setAttribute("aria-expanded", "false");
  }

  function show(suggestions) {
    mark(-1);
    list.replaceChildren(...suggestions.map((suggestion, place) => {
      const option = document.createElement("li");
      const kind = document.createElement("span");
      option.id = `${list.id}-${place}`;
      option.className = "suggestions__option";
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.url = suggestion.url;
      kind.className = "suggestions__kind";
      kind.textContent = suggestion.kind;
      option.append(suggestion.name, " ", kind);
      return option;
    }));
    const some = suggestions.length > 0;
    list.hidden = !some;
    field.setAttribute("aria-expanded", String(some));
    status.textContent = some ? `${suggestions.length} suggestions, use the arrow keys` : "";
  }

  async function ask() {
    const typed = field.value.trim();
    request?.abort();
    if (typed.length < 2) return close();
    request = new AbortController();
    try {
      const answer = await fetch(`/search/suggest.json?q=${encodeURIComponent(typed)}`, { signal: request.signal });
      if (answer.ok && document.activeElement === field) show((await answer.json()).suggestions);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const count = list.hidden ? 0 : list.children.length;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      mark(active < 0 && step < 0 ? count - 1 : active + step >= count ? -1 : active + step);
    } else if (event.key === "ArrowDown" && !count) {
      event.preventDefault();
      ask();
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      location.assign(list.children[active].dataset.url);
    } else if (event.key === "Escape" && count) {
      event.preventDefault();
      close();
    }
  });
  field.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) location.assign(option.dataset.url);
  });
}

document.querySelectorAll('form[role="search"] input[type="search"]').forEach(combobox);
