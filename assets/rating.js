// The question panel of the rating page. It asks one question after the other, takes answers by key or pointer and
// text selected in the evidence, and goes on at once; what it says is saved is what the server has stored.
// All text comes in as data and is set as text, never as HTML.

const IDLE = 90_000; // milliseconds without a sign of the rater after which time no longer counts
const REPORT = 20; // seconds of counted time after which they are sent
const RETRY = 3_000; // milliseconds after which what was not confirmed is sent again
const TYPING = 700; // milliseconds after the last key before a text is saved
const STORED = "veridesk-rating-unsaved";
const STRESSED = /(predicted evidence|reference evidence)/i;
const OVERLAY = "[role=dialog], [data-testid=stPopoverBody]";
const ELSEWHERE = `${OVERLAY}, [data-testid=stSidebar]`;
const LEAVING = new Set(["submit", "back", "on"]);
const panels = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!panels.has(parentElement)) panels.set(parentElement, new Panel(parentElement));
  const panel = panels.get(parentElement);
  panel.send = (entries) => setTriggerValue("entries", entries);
  panel.receive(data);
  // Streamlit also cleans up after a call that a newer one has overtaken; the panel then stays where it is.
  return () => setTimeout(() => panel.closeIfGone());
}

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function stressed(words) {
  return words.split(STRESSED).map((part) => (STRESSED.test(part) ? make("strong", {}, part) : part));
}

function keycap(words) {
  return make("kbd", { "aria-hidden": "true" }, words);
}

class Panel {
  constructor(host) {
    this.host = host;
    this.root = make("section", { class: "vd vd-panel", "aria-label": "Question" });
    this.host.append(this.root);
    this.queue = unsent();
    this.last = 0;
    this.listeners = new AbortController();
    const on = (target, name, act, more = {}) =>
      target.addEventListener(name, act, { signal: this.listeners.signal, ...more });
    on(document, "keydown", (event) => this.key(event), { capture: true });
    on(document, "selectionchange", () => this.select());
    on(document, "visibilitychange", () => this.report(document.hidden));
    for (const sign of ["pointermove", "pointerdown", "keydown", "wheel", "scroll"])
      on(document, sign, () => (this.alive = performance.now()), { capture: true, passive: true });
    this.alive = this.ticked = performance.now();
    this.spent = 0;
    this.clock = setInterval(() => this.tick(), 1000);
  }

  closeIfGone() {
    if (this.host.isConnected) return false;
    panels.delete(this.host);
    this.listeners.abort();
    clearInterval(this.clock);
    globalThis.CSS?.highlights?.delete("vd-support");
    this.root.remove();
    return true;
  }

  // What the server knows ------------------------------------------------------------------------------------------

  receive(data) {
    const other = data.item !== this.data?.item || data.campaign !== this.data?.campaign;
    const handled = new Set(data.handled);
    const before = this.queue.length;
    this.queue = this.queue.filter((entry) => !handled.has(entry.number));
    keep(this.queue);
    this.data = data;
    this.answers = { ...data.answers };
    for (const entry of this.queue)
      if (entry.did === "answer" && entry.item === data.item) this.answers[entry.question] = entry.value;
    if (other) this.open();
    else if (!this.asked().some((step) => step.name === this.step.name)) this.show(this.firstOpen());
    else this.refresh();
    if (!this.queue.some((entry) => LEAVING.has(entry.did))) this.leaving = false;
    // After a crash or a refresh, what had not been confirmed is sent now.
    if (this.queue.length && !this.sent) this.flush();
    if (before && !this.queue.length) this.sent = 0;
  }

  open() {
    this.leaving = false;
    this.selected = "";
    this.spent = 0;
    this.host.closest("[data-testid=stMain]")?.scrollTo({ top: 0 });
    this.show(this.data.submitted ? this.data.steps.at(-1) : this.firstOpen());
  }

  push(did, more = {}) {
    // Higher than any before it in this tab, also after a refresh.
    this.last = Math.max(this.last + 1, Date.now());
    const { campaign, item } = this.data;
    this.queue.push({ number: this.last, did, campaign, item, ...more });
    keep(this.queue);
  }

  flush() {
    if (!this.queue.length) return;
    this.sent = performance.now();
    // Everything unconfirmed goes along each time: of messages in quick succession Streamlit keeps only the last.
    this.send(this.queue);
    this.refresh();
  }

  save(question, value) {
    this.answers[question] = value;
    this.queue = this.queue.filter(
      (entry) => entry.did !== "answer" || entry.item !== this.data.item || entry.question !== question,
    );
    this.push("answer", { question, value });
    this.flush();
  }

  tick() {
    if (this.closeIfGone()) return;
    const now = performance.now();
    if (!document.hidden && now - this.alive < IDLE) this.spent += (now - this.ticked) / 1000;
    this.ticked = now;
    if (this.queue.length && now - this.sent > RETRY) {
      this.late = true;
      this.flush();
    }
    this.report(this.spent > REPORT);
  }

  report(due) {
    if (!due || this.spent < 1 || !this.data) return;
    this.push("seconds", { seconds: this.takeTime() });
    this.flush();
  }

  takeTime() {
    const seconds = Math.round(this.spent * 10) / 10;
    this.spent = 0;
    return seconds;
  }

  // Which question is asked -----------------------------------------------------------------------------------------

  asked() {
    return this.data.steps.filter((step) =>
      // What is not answered yet may still come: only another answer takes a question away.
      Object.entries(step.when).every(
        ([name, values]) => this.answers[name] === undefined || values.includes(this.answers[name]),
      ),
    );
  }

  firstOpen() {
    const asked = this.asked();
    return asked.find((step) => step.kind !== "end" && this.answers[step.name] === undefined) ?? asked.at(-1);
  }

  next() {
    const asked = this.asked();
    return asked[Math.min(asked.findIndex((step) => step.name === this.step.name) + 1, asked.length - 1)];
  }

  choose(option) {
    this.save(this.step.name, option.value);
    this.show(this.firstOpen());
  }

  goOn() {
    if (this.step.kind === "end") return this.finish();
    if (this.step.kind === "text") {
      if (this.selected) this.take(this.selected);
      this.saveText();
      if (this.answers[this.step.name] === undefined) this.save(this.step.name, "");
      return this.show(this.next());
    }
    if (this.answers[this.step.name] === undefined) return this.say("Choose an answer first.");
    return this.show(this.next());
  }

  goBack() {
    this.saveText();
    const asked = this.asked();
    const place = asked.findIndex((step) => step.name === this.step.name);
    if (place > 0) return this.show(asked[place - 1]);
    if (this.data.position > 1) this.leave("back");
  }

  finish() {
    this.saveText();
    if (this.firstOpen().kind !== "end") return this.show(this.firstOpen());
    this.leave(this.data.submitted ? "on" : "submit");
  }

  leave(did) {
    if (this.leaving) return;
    this.leaving = true;
    this.push(did, { seconds: this.takeTime() });
    this.flush();
  }

  // Text ------------------------------------------------------------------------------------------------------------

  saveText() {
    clearTimeout(this.typing);
    this.typing = 0;
    const field = this.field;
    if (field && field.value !== (this.answers[this.step.name] ?? "")) this.save(this.step.name, field.value);
  }

  typed() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.saveText(), TYPING);
    this.refresh();
  }

  select() {
    if (this.step?.kind !== "text") return;
    const found = getSelection();
    const node = found?.anchorNode;
    if (!node || this.root.contains(node)) return;
    const within = inEvidence(node) && inEvidence(found.focusNode);
    this.selected = within ? found.toString().trim() : "";
    this.refresh();
  }

  take(words) {
    const lines = this.field.value.trim();
    if (!lines.includes(words)) this.field.value = lines ? `${lines}\n${words}` : words;
    this.selected = "";
    getSelection()?.removeAllRanges();
    this.saveText();
    this.refresh();
  }

  takePair(number) {
    const words = pairs()[number - 1]?.querySelector(".vd-answer:not(.vd-quiet)")?.textContent.trim();
    if (!words) return this.say(`There is no answer ${number} to take.`);
    const lines = this.field.value.trim();
    if (!lines.includes(words)) return this.take(words);
    this.field.value = lines.replace(words, "").replace(/\n{2,}/g, "\n").trim();
    this.saveText();
  }

  // Keys ------------------------------------------------------------------------------------------------------------

  key(event) {
    const at = event.target;
    if (!this.root.isConnected || event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.root.contains(at)) this.obey(event, "Enter");
      return;
    }
    if (document.querySelector(OVERLAY) || at.closest?.(ELSEWHERE)) return;
    if (at.matches?.("textarea, input, select, [contenteditable=true]")) {
      if (event.key === "Escape" && this.root.contains(at)) this.heading.focus({ preventScroll: true });
      return;
    }
    if ((event.key === "Enter" || event.key === " ") && at.closest?.("button, a, summary")) return;
    this.obey(event, event.key);
  }

  obey(event, key) {
    const option = this.step.options.find((one) => one.key === key);
    const act = option
      ? () => this.choose(option)
      : { Enter: () => this.goOn(), ArrowRight: () => this.goOn(), Backspace: () => this.goBack(), ArrowLeft: () => this.goBack() }[key] ??
        this.textKey(key) ??
        this.scrollKey(event, key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    // A key held down gives one answer, and none to an item that is not there yet.
    if (!event.repeat || key.startsWith("Arrow")) if (!this.leaving) act();
  }

  textKey(key) {
    if (this.step.kind !== "text") return undefined;
    if (key.toLowerCase() === "s" && this.selected) return () => this.take(this.selected);
    return /^[1-9]$/.test(key) ? () => this.takePair(Number(key)) : undefined;
  }

  scrollKey(event, key) {
    const way = { ArrowDown: 60, ArrowUp: -60, PageDown: 0.9, PageUp: -0.9 }[key];
    const box = document.querySelector(event.shiftKey ? ".vd-reference .vd-box" : ".vd-predicted .vd-box");
    if (!way || !box || box.scrollHeight <= box.clientHeight || event.target.closest?.(".vd-box")) return undefined;
    return () => box.scrollBy({ top: Math.abs(way) < 1 ? way * box.clientHeight : way });
  }

  // What is seen ----------------------------------------------------------------------------------------------------

  show(step) {
    clearTimeout(this.typing);
    this.step = step;
    this.field = null;
    const asked = this.asked();
    const place = asked.findIndex((one) => one.name === step.name);
    this.heading = make("h2", { class: "vd-ask", tabindex: "-1" }, ...stressed(step.question));
    const eyebrow = step.kind === "end" ? "Check and submit" : `Question ${place + 1} of ${asked.length - 1}: ${step.title}`;
    this.root.toggleAttribute("data-reference", Boolean(step.reference));
    this.root.dataset.step = step.name;
    this.root.replaceChildren(
      make("p", { class: "vd-eyebrow" }, eyebrow),
      (this.dots = make("p", { class: "vd-dots", "aria-hidden": "true" })),
      ...(step.kind === "end" ? this.ending() : [this.heading, ...this.asking(step)]),
      this.feet(),
    );
    this.refresh();
    // Enter is the question's again, also after a button elsewhere had it.
    if (!document.activeElement?.closest(ELSEWHERE)) this.heading.focus({ preventScroll: true });
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView({ block: "start" });
  }

  asking(step) {
    const hint = step.hint ? [make("p", { class: "vd-quiet" }, ...stressed(step.hint))] : [];
    return [...hint, step.kind === "text" ? this.support(step) : this.options(step)];
  }

  options(step) {
    const buttons = step.options.map((option) => {
      const words = make("span", {}, option.words);
      if (option.icon) words.prepend(make("span", { class: `vd-icon vd-icon-${option.icon}`, "aria-hidden": "true" }), " ");
      return make(
        "button",
        {
          type: "button",
          class: `vd-option${option.icon ? ` vd-${option.icon}` : ""}`,
          "data-value": option.value,
          "aria-keyshortcuts": option.key,
          "aria-label": step.scale ? `${option.key}: ${option.words}` : option.words,
          onclick: () => !this.leaving && this.choose(option),
        },
        keycap(option.key),
        words,
      );
    });
    return make("div", { class: "vd-options", role: "group", "aria-label": step.title }, ...buttons);
  }

  support(step) {
    this.field = make("textarea", {
      class: "vd-field",
      rows: 5,
      maxlength: 20000,
      "aria-label": "Supporting text",
      placeholder: "Select text in the evidence, or paste it here. May stay empty.",
      oninput: () => this.typed(),
      onblur: () => this.saveText(),
    });
    this.field.value = this.answers[step.name] ?? "";
    this.use = make("button", {
      type: "button",
      class: "vd-button",
      "aria-keyshortcuts": "S",
      onpointerdown: (event) => event.preventDefault(), // which would take the selection away
      onclick: () => this.selected && this.take(this.selected),
    });
    const keys = make("p", { class: "vd-quiet vd-keys" }, keycap("1"), "–", keycap("9"), " take the whole answer of that number");
    return make("div", { class: "vd-support" }, this.use, this.field, keys);
  }

  ending() {
    const rows = this.asked().filter((step) => step.kind !== "end").map((step) => this.row(step));
    this.heading.classList.add("vd-label-text");
    this.field = make("textarea", {
      class: "vd-field",
      rows: 2,
      maxlength: 20000,
      "aria-label": this.step.question,
      oninput: () => this.typed(),
      onblur: () => this.saveText(),
    });
    this.field.value = this.answers[this.step.name] ?? "";
    return [make("div", { class: "vd-summary" }, ...rows), this.heading, this.field];
  }

  row(step) {
    const value = this.answers[step.name];
    const chosen = step.options.find((option) => option.value === value);
    const said = step.scale ? String(value) : (chosen?.words ?? value) || "none";
    return make(
      "button",
      { type: "button", class: "vd-row", onclick: () => !this.leaving && (this.saveText(), this.show(step)) },
      make("span", {}, step.title),
      make("span", { class: "vd-said" }, value === undefined ? "not answered" : said),
    );
  }

  feet() {
    this.back = make("button", { type: "button", class: "vd-button", onclick: () => !this.leaving && this.goBack() });
    this.on = make("button", { type: "button", class: "vd-button vd-primary", onclick: () => !this.leaving && this.goOn() });
    this.status = make("p", { class: "vd-status", role: "status" });
    return make("footer", { class: "vd-feet" }, this.back, this.status, this.on);
  }

  refresh() {
    if (!this.step || !this.on) return;
    const { name, kind } = this.step;
    const answer = this.answers[name];
    for (const button of this.root.querySelectorAll(".vd-option"))
      button.setAttribute("aria-pressed", String(button.dataset.value === String(answer)));
    if (this.field && this.field !== document.activeElement && !this.typing) this.field.value = answer ?? "";
    const asked = this.asked();
    this.dots.replaceChildren(
      ...asked.slice(0, -1).map((step) =>
        make("span", { class: (this.answers[step.name] === undefined ? "" : "vd-full") + (step.name === name ? " vd-here" : "") }),
      ),
    );
    const first = asked[0].name === name;
    this.back.hidden = first && this.data.position === 1;
    this.back.replaceChildren(keycap("←"), first ? ` Item ${this.data.position - 1}` : " Back");
    this.on.hidden = kind === "choice" && answer === undefined;
    this.on.replaceChildren(this.onwards(kind), " ", keycap("⏎"));
    if (kind === "text") this.use.replaceChildren(...this.useWords());
    this.highlight();
    this.tell();
  }

  onwards(kind) {
    if (kind === "text" && this.selected) return "Use selection, go on";
    if (kind === "text" && !this.field.value) return "Go on without";
    if (kind !== "end") return "Go on";
    return this.data.submitted ? "Next item" : "Submit";
  }

  useWords() {
    const count = this.selected ? this.selected.split(/\s+/).length : 0;
    this.use.disabled = !count;
    const words = count ? `Use selected text (${count} ${count === 1 ? "word" : "words"}) ` : "Use selected text ";
    return [words, keycap("S")];
  }

  // Marks the supporting text in the evidence, without touching what the server drew.
  highlight() {
    const words = (this.step.kind === "text" ? this.field.value : this.answers.support) ?? "";
    const lines = this.asked().some((step) => step.kind === "text") ? words.split("\n").filter((line) => line.trim()) : [];
    globalThis.CSS?.highlights?.set("vd-support", new Highlight(...lines.flatMap(found)));
  }

  say(words) {
    this.status.replaceChildren(words);
  }

  tell() {
    const waiting = this.queue.some((entry) => entry.did !== "seconds");
    const trouble = this.data.trouble;
    this.late &&= waiting;
    this.root.toggleAttribute("data-waiting", waiting);
    this.status.classList.toggle("vd-wrong", Boolean(trouble || this.late));
    const keys = this.step.options.length ? `Answer with the keys 1 to ${this.step.options.length}` : "";
    const saved = this.data.saved ? `Saved ${hours(this.data.saved)}` : keys;
    this.say(trouble || (this.late ? "Not saved yet: trying again" : waiting ? "Saving…" : saved));
  }
}

// The browser's own store outlives a crash of the page and of the server; it is emptied once all is confirmed.
function unsent() {
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

function pairs() {
  return document.querySelectorAll(".vd-predicted [data-pair]");
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

function hours(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}
