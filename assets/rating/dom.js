// Elements made from data: all text comes in as data and is set as text, never as HTML.

const STRESSED = /(predicted evidence|reference evidence)/i;

export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

export function stressed(words) {
  return words.split(STRESSED).map((part) => (STRESSED.test(part) ? make("strong", {}, part) : part));
}

export function keycap(words) {
  return make("kbd", { "aria-hidden": "true" }, words);
}

// Keys 1 to 9, 0 for the tenth; what comes after has none.
export function keyOf(place) {
  return place < 10 ? String(place) : place === 10 ? "0" : "";
}

export function hours(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}
