// Reads the OpenAPI document in a worker, as it would block the page: it is long, and an operation needs little of it.

let whole;
const given = new Set(); // references that the page has

// listed returns what the page begins with: a summary of the operations, and what all of them share.
function listed() {
  const operations = [];
  for (const [path, methods] of Object.entries(whole.paths)) {
    for (const [method, stated] of Object.entries(methods)) {
      const tag = (stated.tags || ["Other"])[0];
      const words = [stated.summary, path, stated.operationId, tag, method].join(" ").toLowerCase();
      operations.push({ id: stated.operationId, title: stated.summary || stated.operationId, method: method.toUpperCase(), path, tag, words });
    }
  }
  const { info, tags, security, components: { securitySchemes } } = whole;
  return { operations, shared: { info, tags, security, components: { securitySchemes } } };
}

const part = (reference) => reference.slice(2).split("/").reduce((place, word) => place?.[word.replaceAll("~1", "/").replaceAll("~0", "~")], whole);

// gather adds everything that a part of the document refers to, at any depth, and that the page does not have.
function gather(from, parts) {
  if (from === null || typeof from !== "object") return;
  if (typeof from.$ref === "string" && from.$ref.startsWith("#/") && !given.has(from.$ref)) {
    given.add(from.$ref);
    parts[from.$ref] = part(from.$ref);
    gather(parts[from.$ref], parts);
  }
  for (const one of Object.values(from)) gather(one, parts);
}

function stated({ path, method }) {
  const out = whole.paths[path][method.toLowerCase()];
  const parts = {};
  gather(out, parts);
  return { stated: out, parts };
}

addEventListener("message", ({ data: { id, document, operation } }) => {
  try {
    if (document) whole = JSON.parse(new TextDecoder().decode(document));
    postMessage({ id, answer: document ? listed() : stated(operation) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
});
