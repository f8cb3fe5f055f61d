// What a guide offers besides text: its contents fold on a phone, its blocks can be copied, and all guides can be searched.
// Without scripts it is a page of text with its contents.
"use strict";

const wide = matchMedia("(min-width: 60rem)");
const contents = document.getElementById("contents");
const unfold = () => { contents.open = wide.matches; };
wide.addEventListener("change", unfold);
unfold();
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });
scrollTo(0, location.hash ? scrollY : 0);

// The guides are written for a server on the reader's own machine. A page that a server shows names that server.
if ("served" in document.documentElement.dataset) {
  for (const code of document.querySelectorAll("pre code")) {
    code.textContent = code.textContent.replaceAll("http://127.0.0.1:8080", location.origin);
  }
}

// Browsers let a page copy only if nobody could have changed it on the way.
if (navigator.clipboard) {
  for (const pre of document.querySelectorAll("pre")) {
    const block = document.createElement("div"), button = document.createElement("button");
    block.className = "block";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not copied";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    pre.replaceWith(block);
    block.append(pre, button);
  }
}

const field = document.getElementById("search"), found = document.getElementById("found"), heard = document.getElementById("heard");
let sections; // a promise of what is searched, fetched when a search begins
field.hidden = false;
field.addEventListener("focus", load);
field.addEventListener("input", show);
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    e.preventDefault();
    field.focus();
  } else if (e.key === "Escape" && !found.hidden) {
    found.hidden = true;
    field.focus();
  } else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && !found.hidden) {
    step(e);
  }
});
document.addEventListener("click", (e) => {
  if (!e.target.closest(".search")) found.hidden = true;
});

function load() {
  sections ??= fetch(document.body.dataset.search).then((answer) => {
    if (!answer.ok) throw new Error(answer.status);
    return answer.json();
  }).then((all) => all.map((s) => ({ ...s, head: `${s.page} ${s.heading}`.toLowerCase(), body: s.text.toLowerCase() })));
  sections.catch(() => { sections = undefined; });
  return sections;
}

// step moves the focus between the search field and the results.
function step(e) {
  const all = [field, ...found.querySelectorAll("a")], at = all.indexOf(document.activeElement);
  if (at < 0) return;
  e.preventDefault();
  all[(at + (e.key === "ArrowDown" ? 1 : all.length - 1)) % all.length].focus();
}

async function show() {
  const asked = field.value, words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    found.hidden = true;
    return;
  }
  let hits;
  try {
    hits = search(await load(), words);
  } catch {
    say([], "The guides cannot be searched now.");
    return;
  }
  if (asked === field.value) say(hits, hits.length ? `${hits.length} found` : "Nothing found");
}

// search returns the sections that have all words, those with the words in their headings first.
function search(all, words) {
  const rank = (s) => words.reduce((sum, w) => {
    const head = s.head.includes(w), body = s.body.includes(w);
    return head || body ? sum + (head ? 10 : 0) + Math.min(s.body.split(w).length - 1, 5) : -Infinity;
  }, 0);
  return all.map((s) => ({ s, rank: rank(s) })).filter((h) => h.rank > -Infinity).sort((a, b) => b.rank - a.rank).slice(0, 12)
    .map(({ s }) => ({ ...s, near: near(s, words[0]) }));
}

// near returns the text around a word.
function near(s, word) {
  const at = Math.max(s.body.indexOf(word), 0), from = Math.max(at - 50, 0);
  return (from > 0 ? "…" : "") + s.text.slice(from, at + 90).trim() + (at + 90 < s.text.length ? "…" : "");
}

function say(hits, message) {
  heard.textContent = message;
  found.replaceChildren(...hits.map((h) => {
    const item = document.createElement("li"), link = document.createElement("a"), title = document.createElement("strong"), text = document.createElement("small");
    link.href = h.link;
    title.textContent = h.heading ? `${h.page}: ${h.heading}` : h.page;
    text.textContent = h.near;
    link.append(title, text);
    item.append(link);
    return item;
  }));
  if (hits.length === 0) {
    const item = document.createElement("li");
    item.textContent = message;
    found.append(item);
  }
  found.hidden = false;
}
