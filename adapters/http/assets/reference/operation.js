// One operation: what it does, what it takes, what it answers, and the form that tries it.

import { fold, line, make, prose } from "./elements.js";
import { nameOf, resolved, scheme, schemes } from "./openapi.js";
import { members, stated, typeOf } from "./schema.js";
import { trial } from "./trial.js";

// verb returns the method of an operation as a badge.
export const verb = (method) => make("span", { class: "verb " + method.toLowerCase() }, method);

const places = { path: "in the path", query: "in the query", header: "a header" };

function parameters(operation) {
  const all = (operation.stated.parameters || []).map(resolved);
  if (!all.length) return "";
  return make("section", {}, make("h3", {}, "Parameters"), make("ul", { class: "members" },
    all.map((one) => stated(one.name, one.schema, { required: one.required, place: places[one.in], description: one.description }))));
}

function content({ schema }) {
  return make("div", { class: "content" }, prose(resolved(schema).description), members(schema));
}

function kind(media, one) {
  return [make("code", {}, media), " ", nameOf(one.schema) || typeOf(one.schema)];
}

function body(operation) {
  const taken = resolved(operation.stated.requestBody);
  const kinds = Object.entries(taken.content || {});
  if (!kinds.length) return "";
  return make("section", {}, make("h3", {}, "Body"), prose(taken.description),
    kinds.map(([media, one], at) => fold(kind(media, one), () => content(one), { open: at === 0 })));
}

function answers(operation) {
  return make("section", {}, make("h3", {}, "Answers"), Object.entries(operation.stated.responses || {}).map(([status, part]) => {
    const answer = resolved(part);
    const kinds = Object.entries(answer.content || {});
    const title = [make("code", {}, status === "default" ? "error" : status), " ", line(answer.description || "")];
    if (!kinds.length && !answer.headers) return make("p", { class: "bare" }, title);
    return fold(title, () => [
      ...kinds.map(([media, one], at) => fold(kind(media, one), () => content(one), { open: at === 0 })),
      answer.headers ? make("div", {}, make("h4", {}, "Headers"), make("ul", { class: "members" },
        Object.entries(answer.headers).map(([name, header]) => stated(name, resolved(header).schema || {}, { description: resolved(header).description })))) : "",
    ]);
  }));
}

function credentials(operation) {
  const names = [...new Set(schemes(operation.stated))];
  if (!names.length) return make("p", { class: "facts" }, "Open to everyone: no credential is needed.");
  const kinds = names.map((name) => ({ bearer: "an access token", session: "the session of a browser", apiKeyHeader: "an API key in X-API-Key", apiKeyQuery: "an API key as ?api_key=" })[name] || scheme(name).description || name);
  return make("p", { class: "facts" }, "Takes " + kinds.join(", or ").replace(/\.$/, "") + ".");
}

// view returns the elements with which an operation is read and tried.
export function view(operation) {
  return [
    make("h1", { tabindex: "-1" }, operation.title),
    make("p", { class: "address" }, verb(operation.method), " ", make("code", {}, operation.path.split("/").flatMap((part, at) => at ? ["/", make("wbr"), part] : [part]))),
    prose(operation.stated.description), credentials(operation),
    trial(operation), parameters(operation), body(operation), answers(operation),
  ].flat();
}
