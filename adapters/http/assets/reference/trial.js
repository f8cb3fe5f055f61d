// The form that sends an operation: its parameters, and its body, which is initially the example.

import { make, written } from "./elements.js";
import { resolved, root, schemes } from "./openapi.js";
import { begin } from "./answer.js";
import { credentials, who } from "./session.js";

const isText = (media) => /json$|^text\/|-urlencoded$/.test(media);

function control(parameter) {
  const schema = resolved(parameter.schema);
  const facts = { name: parameter.in + " " + parameter.name, required: parameter.required };
  const words = schema.enum || (schema.type === "boolean" ? ["true", "false"] : null);
  if (words) {
    return make("select", facts, parameter.required && schema.default === undefined ? make("option", { value: "" }, "choose") : make("option", { value: "" }, "–"),
      words.map((word) => make("option", { value: word }, String(word))));
  }
  const listed = schema.type === "array" ? "several, separated by commas" : "";
  const hint = listed || (schema.default === undefined ? schema.format || "" : String(schema.default));
  const numeric = schema.type === "integer" ? "numeric" : schema.type === "number" ? "decimal" : undefined;
  return make("input", { ...facts, placeholder: hint, inputmode: numeric, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
}

function inputs(parameters) {
  return parameters.map((one) => make("label", {}, make("span", {}, make("code", {}, one.name), one.required ? make("span", { class: "required" }, " required") : ""), control(one)));
}

// shown returns the example of a kind of body as text.
function shown(one) {
  const example = one.example ?? Object.values(one.examples || {})[0]?.value;
  return example === undefined ? "" : typeof example === "string" ? example : written(example);
}

// bodyOf returns the part of the form for the body: text that is initially the example, or a file. It leaves out multipart forms,
// as operations also take their content by itself.
function bodyOf(operation) {
  const kinds = Object.entries(resolved(operation.stated.requestBody).content || {}).filter(([media]) => media !== "multipart/form-data");
  if (!kinds.length) return { element: "", read: () => ({}) };
  const first = kinds.find(([, one]) => shown(one)) || kinds[0];
  const kind = make("select", { name: "media" }, kinds.map(([media]) => make("option", { value: media, selected: media === first[0] }, media)));
  const text = make("textarea", { spellcheck: "false", autocapitalize: "off", "aria-label": "Body" });
  const file = make("input", { type: "file", "aria-label": "File" });
  const show = () => {
    const [media, one] = kinds.find(([name]) => name === kind.value);
    const words = shown(one);
    text.hidden = !isText(media);
    file.hidden = isText(media) && words !== "";
    text.value = words;
    text.rows = Math.min(Math.max(words.split("\n").length, 3), 24);
  };
  kind.addEventListener("change", show);
  show();
  const element = make("div", { class: "body" }, make("label", {}, make("span", {}, "Body"), kinds.length > 1 ? kind : make("code", {}, kind.value)), text, file);
  return { element, read: () => ({ media: kind.value, content: !file.hidden && file.files[0] || text.value, named: file.files[0]?.name }) };
}

// asked returns the request that a form describes.
function asked(operation, form, body) {
  const headers = { ...credentials() };
  if (!schemes(operation.stated).some((name) => name === "bearer")) {
    delete headers.Authorization;
    delete headers["X-API-Key"];
  }
  const query = new URLSearchParams();
  let path = operation.path;
  for (const element of form.elements) {
    const [place, name] = (element.name || "").split(" ");
    if (!name) continue;
    const value = element.value.trim();
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (!value) continue;
    if (place === "query") query.append(name, value);
    if (place === "header") headers[name] = value;
  }
  const { media, content } = body.read();
  if (media && content) headers["Content-Type"] = media;
  const address = new URL(path.slice(1), root);
  address.search = query;
  return { address, method: operation.method, headers, content: media && content ? content : undefined };
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

// command returns a request as a command, without the credential.
function command(request, named) {
  const lines = [`curl -X ${request.method} ${quoted(String(request.address))}`];
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === credentials().Authorization) lines.push(`-H "Authorization: Bearer $TOKEN"`);
    else if (name === "X-API-Key") lines.push(`-H "X-API-Key: $KEY"`);
    else lines.push("-H " + quoted(`${name}: ${value}`));
  }
  if (typeof request.content === "string") lines.push("--data-binary " + quoted(request.content));
  else if (request.content) lines.push("--data-binary @" + quoted(named));
  return lines.join(" \\\n  ");
}

// An operation of another standard takes a credential of its own, which the session does not have.
function ownCredential(operation) {
  const names = schemes(operation.stated);
  if (names.length ? names.includes("bearer") : !/`Authorization/.test(operation.stated.description || "")) return "";
  return make("label", {}, make("span", {}, make("code", {}, "Authorization")),
    make("input", { name: "header Authorization", placeholder: names.length ? "Bearer …" : "Basic …", autocomplete: "off", spellcheck: "false" }));
}

// trial returns the form that tries an operation, with the place of its answer.
export function trial(operation) {
  const parameters = (operation.stated.parameters || []).map(resolved);
  const needed = parameters.filter((one) => one.required);
  const others = parameters.filter((one) => !one.required);
  const body = bodyOf(operation);
  const answer = make("div", { class: "answer", role: "status" });
  const send = make("button", { class: "primary" }, "Send");
  const hint = make("span", { class: "hint" }, schemes(operation.stated).includes("bearer") && !who() ? "Sign in first: the button is at the top." : "");
  const form = make("form", { class: "trial" },
    make("h2", {}, "Try it"), ownCredential(operation), inputs(needed),
    others.length ? make("details", {}, make("summary", {}, "Other parameters"), inputs(others)) : "",
    body.element, make("div", { class: "buttons" }, send, hint));
  const spelled = make("details", { class: "command" }, make("summary", {}, "As a command"), make("pre", { tabindex: "0" }));
  const write = () => {
    if (spelled.open) spelled.querySelector("pre").textContent = command(asked(operation, form, body), body.read().named);
  };
  spelled.addEventListener("toggle", write);
  form.addEventListener("input", write);
  let stop = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (stop) {
      stop.abort();
      return;
    }
    stop = new AbortController();
    send.textContent = "Stop";
    hint.textContent = "";
    await begin(asked(operation, form, body), answer, stop.signal);
    send.textContent = "Send";
    stop = null;
  });
  form.append(spelled, answer);
  return form;
}
