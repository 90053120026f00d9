// The panel's texts, in the language of the campaign.

let texts = {};

export function speak(found) {
  texts = found;
}

export function phrase(key, values = {}) {
  return (texts[key] ?? "").replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
