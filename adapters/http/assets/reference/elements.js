// Elements of the page. Text is always text: nothing in the document or in an answer is interpreted as HTML.

// make returns an element with attributes (on… are listeners, true is an attribute without a value) and children.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false && child !== ""));
  return element;
}

// fold returns an element that is closed until it is opened; its content is made then.
export function fold(title, content, attributes = {}) {
  const element = make("details", attributes, make("summary", {}, title));
  const fill = () => {
    if (!element.open || element.dataset.filled) return;
    element.dataset.filled = "yes";
    element.append(...[content()].flat(Infinity));
  };
  element.addEventListener("toggle", fill);
  fill();
  return element;
}

// written returns a value as readable JSON: a list of plain values is on one line if it is short.
export function written(value, indent = "") {
  const short = JSON.stringify(value);
  if (value === null || typeof value !== "object") return short;
  const deeper = indent + "  ";
  const flat = Object.values(value).every((one) => one === null || typeof one !== "object");
  if (short.length <= 2) return short;
  if (Array.isArray(value) && flat && short.length < 60) return `[${value.map((one) => JSON.stringify(one)).join(", ")}]`;
  const parts = Array.isArray(value) ? value.map((one) => deeper + written(one, deeper))
    : Object.entries(value).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${written(one, deeper)}`);
  const [from, to] = Array.isArray(value) ? "[]" : "{}";
  return `${from}\n${parts.join(",\n")}\n${indent}${to}`;
}

const marks = /`([^`]+)`|\[([^\]]+)\]\((https?:[^)\s]+)\)/g;

// line returns a line of text with its code and links.
export function line(text) {
  const out = [];
  let from = 0;
  for (const found of text.matchAll(marks)) {
    out.push(text.slice(from, found.index));
    out.push(found[1] !== undefined ? make("code", {}, found[1]) : make("a", { href: found[3], rel: "noreferrer" }, found[2]));
    from = found.index + found[0].length;
  }
  out.push(text.slice(from));
  return out;
}

function row(text, cell) {
  return make("tr", {}, text.split("|").slice(1, -1).map((part) => make(cell, {}, line(part.trim()))));
}

function table(lines) {
  const rows = lines.filter((text) => !/^[|\s:-]+$/.test(text));
  return make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" },
    make("table", {}, make("thead", {}, row(rows[0], "th")), make("tbody", {}, rows.slice(1).map((text) => row(text, "td")))));
}

// The kinds of Markdown blocks, by the beginnings of their lines.
const kinds = [[/^## /, "heading"], [/^- /, "item"], [/^\|/, "table"]];

// prose returns elements for the Markdown that descriptions use: paragraphs, headings, lists, tables, code and links.
export function prose(text = "") {
  const blocks = [];
  for (const one of text.split("\n")) {
    const kind = one.trim() ? (kinds.find(([begin]) => begin.test(one)) || [0, "text"])[1] : "";
    const last = blocks[blocks.length - 1];
    if (kind && last && (last.kind === kind && kind !== "heading" || kind === "text" && last.kind === "item")) {
      if (kind === "text" && last.kind === "item") last.lines.push(last.lines.pop() + " " + one.trim());
      else last.lines.push(one);
    } else {
      blocks.push({ kind, lines: [one] });
    }
  }
  return blocks.filter(({ kind }) => kind).map(({ kind, lines }) => {
    switch (kind) {
      case "heading": return make("h2", {}, line(lines[0].slice(3)));
      case "item": return make("ul", {}, lines.map((item) => make("li", {}, line(item.slice(2)))));
      case "table": return table(lines);
      default: return make("p", {}, line(lines.join(" ")));
    }
  });
}
