// Keys that are pressed while Streamlit draws the page anew, in the moment in which the panel is not on it.

const KEPT = 10_000; // milliseconds after which a key is nobody's any more

export class KeptKeys {
  constructor() {
    this.pressed = [];
    this.address = "";
  }

  // The panel is on the page that has this address: on another, keys are not meant for it.
  here() {
    this.address = location.search;
  }

  keep(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target !== document.body) return;
    if (location.search === this.address) this.pressed.push({ key: event.key, at: performance.now() });
  }

  // Returns what was pressed while the panel was away, and forgets it.
  take() {
    const since = performance.now() - KEPT;
    const due = location.search === this.address ? this.pressed.filter((one) => one.at > since) : [];
    this.pressed = [];
    return due.map((one) => one.key);
  }
}
