// What is still to be confirmed by the server. The browser's own store outlives a crash of the page and of the server;
// it is emptied once all is confirmed.

const RETRY = 3_000; // milliseconds after which what was not confirmed is sent again
const STORED = "veridesk-rating-unsaved";
const LEAVING = new Set(["submit", "back", "on"]);

export class Outbox {
  constructor() {
    this.entries = stored();
    this.last = 0;
    this.sent = 0;
    this.tries = 0;
  }

  push(did, fields) {
    // Higher than any before it in this tab, also after a refresh.
    this.last = Math.max(this.last + 1, Date.now());
    this.entries.push({ number: this.last, did, ...fields });
    keep(this.entries);
  }

  // Puts an answer in the place of one to the same question that is not confirmed.
  answer(fields) {
    this.entries = this.entries.filter(
      (entry) => entry.did !== "answer" || entry.item !== fields.item || entry.question !== fields.question,
    );
    this.push("answer", fields);
  }

  confirm(numbers) {
    const handled = new Set(numbers);
    const before = this.entries.length;
    this.entries = this.entries.filter((entry) => !handled.has(entry.number));
    keep(this.entries);
    if (this.entries.length < before) this.tries = 0;
    if (before && !this.entries.length) this.sent = 0;
  }

  answersTo(item) {
    const mine = this.entries.filter((entry) => entry.did === "answer" && entry.item === item);
    return Object.fromEntries(mine.map((entry) => [entry.question, entry.value]));
  }

  get leaving() {
    return this.entries.some((entry) => LEAVING.has(entry.did));
  }

  get waiting() {
    return this.entries.some((entry) => entry.did !== "seconds");
  }

  overdue(now) {
    return Boolean(this.entries.length) && now - this.sent > RETRY;
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}

function keep(queue) {
  try {
    if (queue.length) sessionStorage.setItem(STORED, JSON.stringify(queue));
    else sessionStorage.removeItem(STORED);
  } catch {}
}
