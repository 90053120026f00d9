// What the panel draws of a question.

import { keycap, keyOf, make } from "./dom.js";
import { pairCount } from "./evidence.js";
import { phrase } from "./words.js";

export function options(step, answers, choose) {
  const buttons = step.options.map((option) => {
    const numbered = step.numbered && (option.key !== String(option.value) || !option.words);
    const words = make("span", {}, numbered ? spoken(option) : option.words);
    if (option.icon) words.prepend(make("span", { class: `vd-icon vd-icon-${option.icon}`, "aria-hidden": "true" }), " ");
    const attributes = {
      type: "button",
      class: `vd-option${option.icon ? ` vd-${option.icon}` : ""}`,
      "data-value": option.value,
      "aria-keyshortcuts": option.key || false,
      "aria-label": step.scale ? spoken(option) : option.words,
      disabled: Boolean(step.unlike) && option.value === answers[step.unlike],
      onclick: () => choose(option),
    };
    return make("button", attributes, option.key ? keycap(option.key) : make("span"), words);
  });
  return make("div", { class: "vd-options", role: "group", "aria-label": step.title }, ...buttons);
}

// The sentences of the evidence, to be marked; before the first of each pair is the pair's mark.
export function sentences(step, mark) {
  const rows = step.options.map((option, place) => {
    const first = option.mark !== step.options[place - 1]?.mark;
    const box = make("input", { type: "checkbox", value: option.value, onchange: () => mark(option) });
    const number = make("span", { class: "vd-cite", "aria-hidden": "true" }, first ? option.mark : "");
    return make("label", { class: "vd-sentence" }, number, box, make("span", {}, option.words));
  });
  return make("div", { class: "vd-sentences", role: "group", "aria-label": step.title }, ...rows);
}

// A scale of many points. It has no answer before it is moved; the number is above it, the ends below.
export function slider(step, moved) {
  const [low, high] = step.ends;
  const range = make("input", {
    type: "range",
    class: "vd-range",
    min: low.value,
    max: high.value,
    "aria-label": step.title,
    oninput: () => moved(Number(range.value)),
    // A click on the place where it rests is an answer too, and moves nothing.
    onpointerup: () => moved(Number(range.value)),
  });
  const ends = [low, high].map((end) => make("span", {}, spoken(end)));
  const number = make("output", { class: "vd-number" });
  return make("div", { class: "vd-slider" }, number, range, make("p", { class: "vd-ends vd-quiet" }, ...ends));
}

function spoken(option) {
  return option.words ? `${option.value}: ${option.words}` : String(option.value);
}

export function field(attributes) {
  return make("textarea", { class: "vd-field", maxlength: 20000, ...attributes });
}

export function takingKeys() {
  const last = keyOf(Math.min(pairCount(), 10));
  const words = ` ${phrase(last === "0" ? "take_tenth" : "take")}`;
  const keys = pairCount() > 1 ? [keycap("1"), "–", keycap(last)] : [keycap("1")];
  return make("p", { class: "vd-quiet vd-keys" }, ...keys, words);
}

export function row(step, value, open) {
  const chosen = step.options.find((option) => option.value === value);
  const marked = step.options.filter((one) => (value ?? "").toString().split(" ").includes(one.value));
  const quoted = step.kind === "spans" ? marked.map((one) => one.words).join(" … ") : value;
  const said = (step.scale ? String(value) : (chosen?.words ?? quoted)) || phrase("none");
  return make(
    "button",
    { type: "button", class: "vd-row", onclick: () => open(step) },
    make("span", {}, step.title),
    make("span", { class: "vd-said" }, value === undefined ? phrase("not_answered") : said),
  );
}

export function dot(full, here) {
  return make("span", { class: (full ? "vd-full" : "") + (here ? " vd-here" : "") });
}
