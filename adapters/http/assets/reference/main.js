// The API reference: one operation at a time, from the document with which the server describes itself.

import { make, prose } from "./elements.js";
import { index } from "./index.js";
import { about, find, open, read, root, tags } from "./openapi.js";
import { view } from "./operation.js";
import { ask, watch, who } from "./session.js";

const content = document.getElementById("content");
const session = document.getElementById("session");

function overview() {
  return [
    make("h1", { tabindex: "-1" }, `${about().title} ${about().version}`),
    prose(about().description),
    make("p", {}, "The document itself: ", make("a", { href: new URL("openapi.json", root) }, "openapi.json"), ", ", make("a", { href: new URL("openapi.yaml", root) }, "openapi.yaml"), "."),
    make("h2", {}, "Parts"), make("dl", {}, tags().map(({ name, description }) => [make("dt", {}, name), make("dd", {}, prose(description))])),
  ].flat();
}

let asked; // the address that was requested last

// show shows what the address names; mark marks it in the list. The content is busy until it is ready.
async function show(operations, mark) {
  const id = asked = decodeURIComponent(location.hash.slice(1));
  const operation = find(operations, id);
  content.ariaBusy = "true";
  if (operation) await open(operation);
  if (id !== asked) return;
  content.ariaBusy = "false";
  document.body.classList.toggle("reading", Boolean(id));
  document.title = (operation ? operation.title + " · " : "") + "API reference · Tilth";
  content.replaceChildren(...(operation ? view(operation) : id && id !== "about" ? [make("p", { role: "alert" }, "There is no such operation.")] : overview()).filter(Boolean));
  mark(operation ? id : "");
  scrollTo(0, 0);
  if (id) content.querySelector("h1")?.focus({ preventScroll: true });
}

function signedIn(operations) {
  const door = find(operations, "token_create");
  session.hidden = !door;
  const name = () => {
    session.textContent = who() || "Sign in";
    session.title = who() ? "Signed in; sign in as another, or sign out" : "";
  };
  session.addEventListener("click", () => ask(door.path));
  watch(name);
  name();
}

async function start() {
  try {
    const operations = await read();
    const mark = index(document.getElementById("index"), document.getElementById("search"), operations);
    signedIn(operations);
    addEventListener("hashchange", (event) => {
      // A link within the page, such as the one that skips to the content, opens nothing.
      if (location.hash === "#content") history.replaceState(null, "", new URL(event.oldURL).hash || "#about");
      else show(operations, mark);
    });
    await show(operations, mark);
  } catch (error) {
    content.replaceChildren(make("p", { role: "alert" }, `The document could not be read: ${error.message}. Load the page again.`));
  }
}

start();
