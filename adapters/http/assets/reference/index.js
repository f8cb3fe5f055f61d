// The list of operations by tag, and the search in it.

import { line, make } from "./elements.js";
import { tags } from "./openapi.js";
import { verb } from "./operation.js";

// index fills the list, and returns a function that marks the open operation.
export function index(place, search, operations) {
  const groups = tags().map(({ name, description }) => {
    const links = operations.filter((one) => one.tag === name).map((operation) => ({
      operation, element: make("a", { href: "#" + operation.id }, make("span", {}, operation.title), verb(operation.method)),
    }));
    return { links, element: make("details", { title: description }, make("summary", {}, line(name)), links.map(({ element }) => element)) };
  });
  const none = make("p", { class: "none", role: "status", hidden: true }, "No operation has these words.");
  place.append(make("a", { href: "#about", class: "first" }, "About this interface"), ...groups.map(({ element }) => element), none);
  let open = "";
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const group of groups) {
      let here = 0;
      for (const { operation, element } of group.links) {
        element.hidden = !words.every((word) => operation.words.includes(word));
        here += element.hidden ? 0 : 1;
      }
      group.element.hidden = here === 0;
      group.element.open = here > 0 && (words.length > 0 || group.links.some(({ operation }) => operation.id === open));
      found += here;
    }
    none.hidden = found > 0;
  };
  search.addEventListener("input", narrow);
  keys(place, search);
  return (id) => {
    open = id;
    for (const group of groups) {
      for (const { operation, element } of group.links) {
        if (operation.id !== id) {
          element.removeAttribute("aria-current");
          continue;
        }
        element.setAttribute("aria-current", "page");
        group.element.open = true;
        element.scrollIntoView({ block: "nearest" });
      }
    }
  };
}

// keys: a slash goes to the search, arrows go through what it found, and Enter opens the first.
function keys(place, search) {
  const reachable = () => [...place.querySelectorAll("a, summary")].filter((one) => one.checkVisibility());
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, dialog");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
      search.select();
    }
    if (event.target === search && event.key === "Enter") [...place.querySelectorAll("details a")].find((one) => one.checkVisibility())?.click();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (event.target !== search && !place.contains(event.target)) return;
    event.preventDefault();
    const all = reachable();
    const at = all.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1);
    if (at < 0) search.focus();
    else all[at]?.focus();
  });
}
