// Sends a request and shows the answer: text as text, pictures as pictures, and anything else as a file to save.

import { fold, make, written } from "./elements.js";

const maxShown = 200_000; // characters; a longer text is complete only in the file

let last = "";

function sizeOf(bytes) {
  return bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function save(blob, answer) {
  if (last) URL.revokeObjectURL(last);
  last = URL.createObjectURL(blob);
  const named = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") || "");
  return { address: last, link: make("a", { href: last, download: named ? named[1] : "answer" }, "Save the answer") };
}

function pretty(text, media) {
  if (!/json$/.test(media) || text.length > maxShown) return text;
  try {
    return written(JSON.parse(text));
  } catch {
    return text;
  }
}

async function shown(answer, media) {
  const blob = await answer.blob();
  if (!blob.size) return { size: 0, parts: [] };
  const { address, link } = save(blob, answer);
  if (/^image\/(png|jpeg|webp|svg)/.test(media)) return { size: blob.size, parts: [make("img", { src: address, alt: "The picture of the answer" }), link] };
  if (!/json|^text\/|xml$|yaml/.test(media)) return { size: blob.size, parts: [link] };
  const text = pretty(await blob.text(), media);
  const cut = text.length > maxShown;
  return { size: blob.size, parts: [make("pre", { tabindex: "0" }, cut ? text.slice(0, maxShown) + "\n…" : text), cut || answer.headers.has("Content-Disposition") ? link : ""] };
}

// followed shows an endless stream as it arrives.
async function followed(answer, place) {
  const text = make("pre", { tabindex: "0" });
  place.append(text);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text.textContent = (text.textContent + value).slice(-maxShown);
  }
}

function status(answer, facts) {
  return make("p", { class: "status " + (answer.ok ? "good" : "bad") }, make("strong", {}, `${answer.status} ${answer.statusText}`.trim()), " ", facts);
}

// begin sends a request and shows its answer in a place; it returns when the answer has ended.
export async function begin(request, place, signal) {
  place.replaceChildren(make("p", {}, "…"));
  const from = performance.now();
  try {
    const answer = await fetch(request.address, { method: request.method, headers: request.headers, body: request.content, signal, cache: "no-store" });
    const media = (answer.headers.get("Content-Type") || "").split(";")[0];
    const headers = fold("Headers", () => make("pre", { tabindex: "0" }, [...answer.headers].map((pair) => pair.join(": ")).join("\n")));
    if (media === "text/event-stream") {
      place.replaceChildren(status(answer, "a stream, until it is stopped"), headers);
      await followed(answer, place);
      return;
    }
    const { size, parts } = await shown(answer, media);
    place.replaceChildren(status(answer, `${Math.round(performance.now() - from)} ms · ${sizeOf(size)}`), headers, ...parts.filter(Boolean));
  } catch (error) {
    const text = signal.aborted ? "Stopped." : `No answer: ${error.message}.`;
    if (signal.aborted && place.querySelector("pre")) place.append(make("p", {}, text));
    else place.replaceChildren(make("p", { class: "status bad" }, text));
  }
}
