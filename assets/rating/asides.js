// What may be said of an item at any time: that it cannot be judged, and that something about it is odd.

import { make } from "./dom.js";
import { phrase } from "./words.js";

const ASIDES = ["cannot_judge", "flag"];

export function asides(answers, save) {
  const said = ASIDES.some((name) => answers[name]);
  const fields = ASIDES.map((name) => {
    const field = make("textarea", {
      class: "vd-field",
      rows: 2,
      maxlength: 20000,
      "data-aside": name,
      onchange: () => save(name, field.value.trim()),
    });
    field.value = answers[name] ?? "";
    return make("label", {}, phrase(name), field, make("span", { class: "vd-quiet" }, phrase(`${name}_help`)));
  });
  const summary = make("summary", {}, phrase("odd"));
  return make("details", { class: "vd-asides", open: Boolean(said) }, summary, ...fields);
}
