// The OpenAPI document, as the page needs it.

// root is the address that the interface and its document are below, also behind a prefix.
export const root = new URL("../../", import.meta.url);

let whole;

// read fetches the document and returns its operations in the order of their tags.
export async function read() {
  const answer = await fetch(new URL("openapi.json", root));
  if (!answer.ok) throw new Error(`the document is answered with ${answer.status}`);
  whole = await answer.json();
  const operations = [];
  for (const [path, methods] of Object.entries(whole.paths)) {
    for (const [method, stated] of Object.entries(methods)) operations.push(operation(path, method, stated));
  }
  return operations;
}

function operation(path, method, stated) {
  const tag = (stated.tags || ["Other"])[0];
  const words = [stated.summary, path, stated.operationId, tag, method].join(" ").toLowerCase();
  return { id: stated.operationId, method: method.toUpperCase(), path, tag, words, stated };
}

// about returns the title, the version and the description of the interface.
export const about = () => whole.info;

// tags returns the tags with their descriptions.
export const tags = () => whole.tags;

// resolved returns what a part of the document refers to, with what stands beside the reference.
export function resolved(part) {
  let out = part;
  for (let depth = 0; out && out.$ref && depth < 20; depth++) {
    const { $ref, ...beside } = out;
    out = { ...$ref.slice(2).split("/").reduce((place, word) => place?.[word.replaceAll("~1", "/").replaceAll("~0", "~")], whole), ...beside };
  }
  return out || {};
}

// nameOf returns the name of the schema that a part refers to, if it has one.
export const nameOf = (schema) => (schema?.$ref || "").split("/").pop();

// schemes returns the names of the credentials that an operation takes; none: it is open to everyone.
export const schemes = (stated) => (stated.security ?? whole.security ?? []).flatMap(Object.keys);

// scheme returns the description of a credential.
export const scheme = (name) => whole.components.securitySchemes[name] || {};

// find returns the operation with an id.
export const find = (operations, id) => operations.find((one) => one.id === id);
