// The desk by keyboard. Everything here can be done without it; letters act only while no field has the focus.

const form = document.querySelector("#ruling");
const steps = () => [...document.querySelectorAll("[data-step]")].filter((step) => step.offsetParent !== null);
const typing = (target) => target.matches?.("input:not([type=checkbox], [type=radio]), textarea, select");

function step(by) {
  const all = steps();
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
  const target = next?.querySelector("[data-open]") ?? next;
  target?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function outcome(value, then) {
  const radio = form?.querySelector(`[name=outcome][value="${value}"]`);
  if (!radio) return;
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  (form.querySelector(then) ?? radio).focus();
}

function keys() {
  const list = document.querySelector("#desk-keys");
  list.open = !list.open;
  if (list.open) list.querySelector("summary").focus();
}

const LETTERS = {
  j: () => step(1),
  k: () => step(-1),
  c: () => document.querySelector("[data-claim]")?.click(),
  a: () => outcome("accepted", "[name=value], [name=operation]"),
  r: () => outcome("no-change", "[name=reason]"),
  "?": keys,
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    document.querySelector("[data-submit]")?.click();
    event.preventDefault();
  } else if (event.key === "Escape" && typing(event.target)) {
    event.target.blur();
  } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target) && LETTERS[event.key]) {
    LETTERS[event.key]();
    event.preventDefault();
  }
});

document.querySelector("[data-problem], .error-summary")?.focus();
document.querySelector("#desk-keys").dataset.ready = "";

if (form) {
  // A reusable reason goes where it can be read and changed. Another choice takes the place of the last one.
  const reason = form.querySelector("[name=reason]");
  const texts = document.querySelector("#desk-reasons");
  let put = "";
  form.querySelector("[name=reason_text]")?.addEventListener("change", (event) => {
    const text = (texts && JSON.parse(texts.textContent)[event.target.value]) ?? "";
    const own = put && reason.value.endsWith(put) ? reason.value.slice(0, -put.length) : reason.value;
    reason.value = text && own.trim() ? `${own.trimEnd()}\n\n${text}` : own.trimEnd() + text;
    put = text;
  });

  // Work extends one's claim: every five minutes at most.
  let told = Date.now();
  let changed = false;
  form.addEventListener("input", () => {
    changed = true;
    if (!form.dataset.extend || Date.now() - told < 300_000) return;
    told = Date.now();
    const body = new FormData();
    body.set("act", "extend");
    body.set("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
    fetch(location.href, { method: "POST", body });
  });
  form.addEventListener("submit", () => { changed = false; });
  window.addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
}
