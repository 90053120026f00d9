// The evidence that the server drew beside the panel: what is selected in it, marked in it, and scrolled.

export function answerOf(number) {
  const pairs = document.querySelectorAll(".vd-predicted [data-pair]");
  return pairs[number - 1]?.querySelector(".vd-answer:not(.vd-quiet)")?.textContent.trim();
}

export function pairCount() {
  return document.querySelectorAll(".vd-predicted [data-pair]").length;
}

// Marks lines of text in the evidence, without touching what the server drew.
export function highlight(lines) {
  globalThis.CSS?.highlights?.set("vd-support", new Highlight(...lines.flatMap(found)));
}

// What is selected in the predicted evidence; undefined where the selection is in `panel` or there is none.
export function selectedOutside(panel) {
  const selection = getSelection();
  const node = selection?.anchorNode;
  if (!node || panel.contains(node)) return undefined;
  return inEvidence(node) && inEvidence(selection.focusNode) ? selection.toString().trim() : "";
}

// How a key scrolls the evidence, undefined where it does not.
export function scrolling(event, key) {
  const way = { ArrowDown: 60, ArrowUp: -60, PageDown: 0.9, PageUp: -0.9 }[key];
  const box = document.querySelector(event.shiftKey ? ".vd-reference .vd-box" : ".vd-predicted .vd-box");
  if (!way || !box || box.scrollHeight <= box.clientHeight || event.target.closest?.(".vd-box")) return undefined;
  return () => box.scrollBy({ top: Math.abs(way) < 1 ? way * box.clientHeight : way });
}

function found(line) {
  for (const { firstChild: node } of document.querySelectorAll(".vd-predicted .vd-text")) {
    const start = node?.data?.indexOf(line.trim()) ?? -1;
    if (start < 0) continue;
    const range = new Range();
    range.setStart(node, start);
    range.setEnd(node, start + line.trim().length);
    return [range];
  }
  return [];
}

function inEvidence(node) {
  const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
  return Boolean(element?.closest(".vd-predicted"));
}
