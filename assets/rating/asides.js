// What may be said of an item at any time: that it cannot be judged, and that something about it is odd.

import { make } from "./dom.js";

const ASIDES = [
  ["cannot_judge", "I cannot judge this item, because", "It then goes to somebody else. Empty the field to take it back."],
  ["flag", "Something is odd about it (flag)", "The organiser reads it. You can go on rating."],
];

export function asides(answers, save) {
  const said = ASIDES.some(([name]) => answers[name]);
  const fields = ASIDES.map(([name, title, help]) => {
    const field = make("textarea", {
      class: "vd-field",
      rows: 2,
      maxlength: 20000,
      "data-aside": name,
      onchange: () => save(name, field.value.trim()),
    });
    field.value = answers[name] ?? "";
    return make("label", {}, title, field, make("span", { class: "vd-quiet" }, help));
  });
  const summary = make("summary", {}, "Cannot judge, or odd?");
  return make("details", { class: "vd-asides", open: Boolean(said) }, summary, ...fields);
}
