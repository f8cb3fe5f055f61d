// The user who tries operations. The token stays in this tab and is forgotten with it; the password is never kept.

import { make } from "./elements.js";
import { root } from "./openapi.js";

const place = "tilth-reference-session";
let changed = () => {};

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(place)) || {};
  } catch {
    return {};
  }
}

let session = stored();

function keep(next) {
  session = next;
  try {
    sessionStorage.setItem(place, JSON.stringify(session));
  } catch {
    // If the tab can store nothing, the session lasts as long as the page.
  }
  changed();
}

// who returns the name of the signed-in user; empty if nobody is signed in.
export const who = () => session.name || "";

// watch calls back when somebody signs in or out.
export function watch(callback) {
  changed = callback;
}

// credentials returns the headers that identify the user.
export function credentials() {
  const out = {};
  if (session.token) out.Authorization = "Bearer " + session.token;
  if (session.key) out["X-API-Key"] = session.key;
  if (session.company) out["X-Company"] = session.company;
  return out;
}

// An access token begins with ey and has three parts, separated by dots; anything else is an API key.
const isToken = (text) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text) && text.startsWith("ey");

async function signIn(path, form) {
  const company = form.get("company").trim();
  const pasted = form.get("pasted").trim().replace(/^Bearer\s+/i, "");
  if (pasted) {
    return isToken(pasted) ? { name: "token", token: pasted, company } : { name: "API key", key: pasted, company };
  }
  const answer = await fetch(new URL(path.slice(1), root), {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: form.get("email"), password: form.get("password") }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message);
  return { name: form.get("email"), token: body.data.access, company };
}

function field(name, label, attributes) {
  return make("label", {}, make("span", {}, label), make("input", { name, ...attributes }));
}

// ask opens the dialog that signs in, or out; path is that of the operation that exchanges a password for a token.
export function ask(path) {
  const report = make("p", { role: "alert", class: "report" });
  const form = make("form", { method: "dialog" },
    make("h2", {}, "Sign in"),
    make("p", {}, "Operations are tried in your name. The token stays in this tab, and is forgotten with it."),
    field("email", "E-mail address", { type: "email", autocomplete: "username" }),
    field("password", "Password", { type: "password", autocomplete: "current-password" }),
    field("pasted", "Or an access token, or an API key", { autocomplete: "off", spellcheck: "false" }),
    field("company", "Id of the company (operators only)", { inputmode: "numeric", autocomplete: "off" }),
    report,
    make("div", { class: "buttons" }, make("button", { class: "primary" }, "Sign in"),
      who() && make("button", { type: "button", onclick: () => { keep({}); dialog.close(); } }, "Sign out"),
      make("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  const dialog = make("dialog", { onclose: () => dialog.remove() }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    report.textContent = "…";
    try {
      keep(await signIn(path, new FormData(form)));
      dialog.close();
    } catch (error) {
      report.textContent = error.message || "The service could not be reached; try again.";
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}
