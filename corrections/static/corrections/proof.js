// Finds the proof of work for the report form (ALTCHA protocol 2) in a worker, while the visitor writes.
// Without it, or if anything fails, the form is sent as it is and the report is held for a look.

const AGAIN_AFTER = 90 * 60 * 1000; // a challenge holds for two hours

const form = document.querySelector("form[data-challenge]");
const field = form?.querySelector("input[data-proof]");
const told = form?.querySelector("[data-proof-told]");

function prove() {
  field.value = "";
  if (told) told.textContent = "Your browser is doing a small piece of work that keeps machines away.";
  const worker = new Worker(form.dataset.worker, { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    worker.terminate();
    if (data.proof) {
      field.value = data.proof;
      if (told) told.textContent = "Ready to be sent.";
    } else if (told) {
      told.textContent = "The report can be sent; it will be held until somebody has looked at it.";
    }
  });
  worker.postMessage(new URL(form.dataset.challenge, location.href).href);
}

if (field && window.Worker && window.crypto?.subtle) {
  prove();
  setInterval(prove, AGAIN_AFTER);
}

let changed = false;
form?.addEventListener("input", () => { changed = true; });
form?.addEventListener("submit", () => { changed = false; });
addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });

document.querySelector(".error-summary")?.focus();
