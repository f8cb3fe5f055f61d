// Sends the token of a one-time link, which is the part after the #, with the form.
"use strict";
const form = document.getElementById("form");
const report = document.getElementById("status");
const token = location.hash.slice(1);
if (!token) {
  report.textContent = "The link is incomplete: open it exactly as it is in the letter.";
}
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = { token };
  for (const [name, value] of new FormData(form)) {
    if (value) body[name] = value;
  }
  report.textContent = "…";
  try {
    const response = await fetch(form.dataset.action, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    if (response.ok) {
      form.remove();
      history.replaceState(null, "", location.pathname);
      report.textContent = form.dataset.done;
      return;
    }
    const answer = await response.json();
    const messages = Object.values(answer.details || {}).flat().filter((m) => typeof m === "string");
    report.textContent = (messages.length ? messages : [answer.message]).join("\n");
  } catch {
    report.textContent = "The service could not be reached; try again.";
  }
});
