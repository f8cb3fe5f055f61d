// The OpenAPI document, as the page needs it.

// root is the address below which the API and its document are, also behind a prefix.
export const root = new URL("../../", import.meta.url);

let shared;
const parts = {}; // of the document, by reference

// The page accepts the address of a script only from a policy, which has one address.
const address = new URL("reader.js", import.meta.url).href;
const reader = new Worker(globalThis.trustedTypes?.createPolicy("reader", { createScriptURL: () => address }).createScriptURL("") ?? address);
const awaited = [];
reader.addEventListener("message", ({ data: { id, answer, error } }) => {
  const { resolve, reject } = awaited[id];
  delete awaited[id];
  if (error === undefined) resolve(answer);
  else reject(new Error(error));
});
reader.addEventListener("error", () => {
  for (const { reject } of Object.values(awaited)) reject(new Error("its reader does not start"));
});

function ask(question, moved = []) {
  return new Promise((resolve, reject) => {
    reader.postMessage({ id: awaited.push({ resolve, reject }) - 1, ...question }, moved);
  });
}

// read fetches the document and returns a summary of its operations, in the order of the document.
export async function read() {
  const answer = await fetch(new URL("openapi.json", root));
  if (!answer.ok) throw new Error(`the document is answered with ${answer.status}`);
  const document = await answer.arrayBuffer();
  const found = await ask({ document }, [document]);
  shared = found.shared;
  return found.operations;
}

// open fills in what the document states about an operation.
export async function open(operation) {
  if (operation.stated) return operation;
  const { path, method } = operation;
  const found = await ask({ operation: { path, method } });
  Object.assign(parts, found.parts);
  operation.stated = found.stated;
  return operation;
}

// about returns the title, the version and the description of the API.
export const about = () => shared.info;

// tags returns the tags with their descriptions.
export const tags = () => shared.tags;

// resolved returns what a part of the document refers to, with the members next to the reference.
export function resolved(part) {
  let out = part;
  for (let depth = 0; out && out.$ref && depth < 20; depth++) {
    const { $ref, ...beside } = out;
    out = { ...parts[$ref], ...beside };
  }
  return out || {};
}

// nameOf returns the name of the schema that a part refers to, if it has one.
export const nameOf = (schema) => (schema?.$ref || "").split("/").pop();

// schemes returns the names of the credentials that an operation takes; none if it is open to everyone.
export const schemes = (stated) => (stated.security ?? shared.security ?? []).flatMap(Object.keys);

// scheme returns the description of a credential.
export const scheme = (name) => shared.components.securitySchemes[name] || {};

// find returns the operation with an id.
export const find = (operations, id) => operations.find((one) => one.id === id);
