// The question panel of the rating page. It asks one question after the other, takes answers by key or pointer and
// text selected in the evidence, and goes on at once; what it says is saved is what the server has stored.

import { asides } from "./asides.js";
import { hours, keycap, make, stressed } from "./dom.js";
import { answerOf, highlight, scrolling, selectedOutside } from "./evidence.js";
import { KeptKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import { after, answered, asked, firstOpen } from "./steps.js";
import { Stopwatch } from "./stopwatch.js";
import { phrase, speak } from "./words.js";
import { dot, field, options, row, sentences, slider, takingKeys } from "./view.js";

const REPORT = 20; // seconds of counted time after which they are sent
const TRIES = 3; // times that an entry is sent before the page is loaded again
const TYPING = 700; // milliseconds after the last key before a text is saved
const OVERLAY = "[role=dialog], [data-testid=stPopoverBody]";
const ELSEWHERE = `${OVERLAY}, [data-testid=stSidebar]`;
const HALF = 0.5; // of the question in view
const MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]; // of a slider
const PANEL = Symbol.for("veridesk rating panel");

// Drawing a page anew, Streamlit may put another element in the place of the panel's, and load this script again. There
// is one panel a document, then: it moves to the new element with the question that is in view and all that was typed.
export default function ({ data, parentElement, setTriggerValue }) {
  const panel = (document[PANEL] ??= new Panel());
  panel.send = (entries) => setTriggerValue("entries", entries);
  panel.moveTo(parentElement);
  panel.receive(data);
}

class Panel {
  constructor() {
    this.root = make("section", { class: "vd vd-panel" });
    this.outbox = new Outbox();
    this.watch = new Stopwatch();
    this.kept = new KeptKeys();
    const on = (target, name, act, more = {}) => target.addEventListener(name, act, more);
    on(this.root, "focusin", (event) => (this.focused = event.target));
    on(document, "keydown", (event) => (this.present ? this.key(event) : this.kept.keep(event)), { capture: true });
    on(document, "selectionchange", () => this.present && this.select());
    on(document, "visibilitychange", () => this.report(document.hidden));
    for (const sign of ["pointermove", "pointerdown", "keydown", "wheel", "scroll"])
      on(document, sign, () => this.watch.touch(), { capture: true, passive: true });
    setInterval(() => this.tick(), 1000);
    // On a narrow page the evidence comes first: until the question is in view, it is in a bar at the bottom.
    this.sight = new IntersectionObserver(
      (seen) => {
        const { intersectionRatio, boundingClientRect } = seen.at(-1);
        this.root.toggleAttribute("data-below", intersectionRatio < HALF && boundingClientRect.top > 0);
      },
      { threshold: HALF },
    );
  }

  get present() {
    return this.root.isConnected;
  }

  moveTo(host) {
    if (this.root.parentElement === host) return;
    if (!this.present) {
      this.watch.resume();
      this.outbox.sent = 0; // whoever was to send it may have been gone
    }
    this.host = host;
    host.append(this.root);
    // An element that is moved loses the focus.
    if (document.activeElement === document.body) this.focused?.focus({ preventScroll: true });
  }

  // What the server knows ------------------------------------------------------------------------------------------

  receive(data) {
    const other = data.item !== this.data?.item || data.campaign !== this.data?.campaign;
    this.outbox.confirm(data.handled);
    this.data = data;
    speak(data.words);
    this.root.setAttribute("aria-label", phrase("question"));
    this.answers = { ...data.answers, ...this.outbox.answersTo(data.item) };
    const pressed = this.kept.take();
    if (other) this.open();
    else if (!this.asked().some((step) => step.name === this.step.name)) this.show(this.firstOpen());
    else this.refresh();
    if (!this.outbox.leaving) this.leaving = false;
    // After a crash or a refresh, what had not been confirmed is sent now.
    if (this.outbox.entries.length && !this.outbox.sent) this.flush();
    if (!other) this.catchUp(pressed);
    this.kept.here();
  }

  // Does what was pressed while the panel was out of the page for a moment.
  catchUp(pressed) {
    for (const key of pressed) {
      if (this.field && this.field === document.activeElement) this.typeIn(key);
      else if (!this.leaving) this.act(key)?.();
    }
  }

  open() {
    this.leaving = false;
    this.selected = "";
    this.watch.restart();
    this.aside = asides(this.answers, (name, value) => this.remark(name, value));
    this.host.closest("[data-testid=stMain]")?.scrollTo({ top: 0 });
    this.show(this.data.submitted ? this.data.steps.at(-1) : this.firstOpen());
  }

  push(did, more) {
    const { campaign, item } = this.data;
    this.outbox.push(did, { campaign, item, ...more });
  }

  flush() {
    if (!this.outbox.entries.length) return;
    this.outbox.sent = performance.now();
    // Everything unconfirmed goes along each time: of messages in quick succession Streamlit keeps only the last.
    this.send(this.outbox.entries);
    this.refresh();
  }

  save(question, value) {
    this.answers[question] = value;
    const { campaign, item } = this.data;
    this.outbox.answer({ campaign, item, question, value, seconds: this.watch.takeLap() });
    this.flush();
  }

  remark(name, value) {
    if (value === (this.answers[name] ?? "")) return;
    this.save(name, value);
    if (name === "cannot_judge") this.show(this.firstOpen());
  }

  tick() {
    if (!this.present) return;
    this.watch.count();
    if (this.outbox.overdue(performance.now())) {
      this.late = true;
      this.outbox.tries += 1;
      this.flush();
      if (this.outbox.tries === TRIES) this.reload();
    }
    this.report(this.watch.spent > REPORT);
  }

  // A server that was started again may not know this page. The entries outlive a reload of it.
  async reload() {
    const served = await fetch(new URL("_stcore/health", location.href)).catch(() => ({ ok: false }));
    if (served.ok) location.reload();
    else this.outbox.tries = 0;
  }

  report(due) {
    if (!due || this.watch.spent < 1 || !this.present) return;
    this.push("seconds", { seconds: this.watch.take() });
    this.flush();
  }

  // Which question is asked -----------------------------------------------------------------------------------------

  asked() {
    return asked(this.data.steps, this.answers);
  }

  firstOpen() {
    return firstOpen(this.data.steps, this.answers);
  }

  next() {
    return after(this.data.steps, this.answers, this.step);
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
      if (!this.step.optional && !this.field.value) return this.say(phrase("choose_first"));
      if (this.answers[this.step.name] === undefined) this.save(this.step.name, "");
      return this.show(this.next());
    }
    this.saveText();
    if (this.step.optional && this.answers[this.step.name] === undefined) this.save(this.step.name, "");
    if (!answered(this.step, this.answers)) return this.say(phrase("choose_first"));
    return this.show(this.next());
  }

  goBack() {
    this.saveText();
    const asked = this.asked();
    const place = asked.findIndex((step) => step.name === this.step.name);
    if (place > 0) return this.show(asked[place - 1]);
    if (this.data.position > 1 && !this.data.practice) this.leave("back");
  }

  finish() {
    this.saveText();
    if (this.firstOpen().kind !== "end") return this.show(this.firstOpen());
    this.leave(this.data.submitted ? "on" : "submit");
  }

  leave(did) {
    if (this.leaving) return;
    this.leaving = true;
    this.push(did, { seconds: this.watch.take() });
    this.flush();
  }

  // Adds a sentence to the marked ones, or takes it away.
  mark(option) {
    const marked = new Set((this.answers[this.step.name] ?? "").split(" ").filter(Boolean));
    if (!marked.delete(option.value)) marked.add(option.value);
    const inOrder = this.step.options.map((one) => one.value).filter((value) => marked.has(value));
    this.save(this.step.name, inOrder.join(" "));
  }

  // Text ------------------------------------------------------------------------------------------------------------

  saveText() {
    clearTimeout(this.typing);
    this.typing = 0;
    const given = this.field ? this.field.value : this.moved;
    if (given !== undefined && given !== (this.answers[this.step.name] ?? "")) this.save(this.step.name, given);
  }

  typed() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.saveText(), TYPING);
    this.refresh();
  }

  slide(number) {
    this.moved = number;
    this.typed();
  }

  select() {
    if (!this.step?.quotes) return;
    const found = selectedOutside(this.root);
    if (found === undefined) return;
    this.selected = found;
    this.refresh();
  }

  typeIn(key) {
    const field = this.field;
    if (key.length === 1) field.setRangeText(key, field.selectionStart, field.selectionEnd, "end");
    this.typed();
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
    const words = answerOf(number);
    if (!words) return this.say(phrase("no_such_answer", { n: number }));
    const lines = this.field.value.trim();
    if (!lines.includes(words)) return this.take(words);
    this.field.value = lines.replace(words, "").replace(/\n{2,}/g, "\n").trim();
    this.saveText();
  }

  // Keys ------------------------------------------------------------------------------------------------------------

  key(event) {
    const at = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.root.contains(at)) this.obey(event, "Enter");
      return;
    }
    if (document.querySelector(OVERLAY) || at.closest?.(ELSEWHERE)) return;
    if (at.matches?.("textarea, input:not([type=checkbox], [type=range]), select, [contenteditable=true]")) {
      if (event.key === "Escape" && this.root.contains(at)) this.heading.focus({ preventScroll: true });
      return;
    }
    if (at === this.slider && MOVES.includes(event.key)) return;
    if ((event.key === "Enter" || event.key === " ") && at.closest?.("button, a, summary")) return;
    this.obey(event, event.key);
  }

  obey(event, key) {
    const act = this.act(key) ?? scrolling(event, key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    // A key held down gives one answer, and none to an item that is not there yet.
    if (!event.repeat || key.startsWith("Arrow")) if (!this.leaving) act();
  }

  // What a key does to the question in view; undefined where it does nothing.
  act(key) {
    const taken = this.step.unlike && this.answers[this.step.unlike];
    const option = this.step.options.find((one) => one.key && one.key === key && one.value !== taken);
    if (option) return () => (this.step.kind === "spans" ? this.mark(option) : this.choose(option));
    if (key === "Enter" || key === "ArrowRight") return () => this.goOn();
    if (key === "Backspace" || key === "ArrowLeft") return () => this.goBack();
    return this.textKey(key);
  }

  textKey(key) {
    if (!this.step.quotes) return undefined;
    if (key.toLowerCase() === "s" && this.selected) return () => this.take(this.selected);
    return /^[0-9]$/.test(key) ? () => this.takePair(Number(key) || 10) : undefined;
  }

  // What is seen ----------------------------------------------------------------------------------------------------

  show(step) {
    clearTimeout(this.typing);
    this.watch.takeLap();
    this.step = step;
    this.field = this.slider = null;
    this.moved = undefined;
    const asked = this.asked();
    const place = asked.findIndex((one) => one.name === step.name);
    this.heading = make("h2", { class: "vd-ask", tabindex: "-1" }, ...stressed(step.question));
    const eyebrow = step.kind === "end" ? phrase("check") : phrase("step", { place: place + 1, total: asked.length - 1, title: step.title });
    this.root.toggleAttribute("data-reference", Boolean(step.reference || this.data.labelFirst));
    this.root.dataset.step = step.name;
    this.root.replaceChildren(
      make("p", { class: "vd-eyebrow" }, eyebrow),
      (this.dots = make("p", { class: "vd-dots", "aria-hidden": "true" })),
      ...(step.kind === "end" ? this.ending() : [this.heading, ...this.asking(step)]),
      this.feet(),
      this.aside,
      make("button", { type: "button", class: "vd-below", onclick: () => this.come() }, make("span", {}, ...stressed(step.question))),
    );
    this.sight.disconnect();
    this.sight.observe(this.heading);
    this.refresh();
    // Enter is the question's again, also after a button elsewhere had it.
    if (!document.activeElement?.closest(ELSEWHERE)) (this.slider ?? this.heading).focus({ preventScroll: true });
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView({ block: "start" });
  }

  come() {
    this.root.scrollIntoView({ block: "end" });
    this.heading.focus({ preventScroll: true });
  }

  asking(step) {
    const hint = step.hint ? [make("p", { class: "vd-quiet" }, ...stressed(step.hint))] : [];
    const choose = (act) => (option) => !this.leaving && act(option);
    if (step.kind === "spans") return [...hint, sentences(step, choose((option) => this.mark(option)))];
    if (step.kind === "slider") {
      const drawn = slider(step, (number) => !this.leaving && this.slide(number));
      this.slider = drawn.querySelector("input");
      return [...hint, drawn];
    }
    if (step.kind === "text") return [...hint, step.quotes ? this.support() : this.textField({ rows: 4, "aria-label": step.title })];
    return [...hint, options(step, this.answers, choose((option) => this.choose(option)))];
  }

  textField(attributes) {
    this.field = field({ oninput: () => this.typed(), onblur: () => this.saveText(), ...attributes });
    this.field.value = this.answers[this.step.name] ?? "";
    return this.field;
  }

  support() {
    this.use = make("button", {
      type: "button",
      class: "vd-button",
      "aria-keyshortcuts": "S",
      onpointerdown: (event) => event.preventDefault(), // which would take the selection away
      onclick: () => this.selected && this.take(this.selected),
    });
    const placeholder = phrase("placeholder");
    return make("div", { class: "vd-support" }, this.use, this.textField({ rows: 5, "aria-label": phrase("supporting"), placeholder }), takingKeys());
  }

  ending() {
    const open = (step) => !this.leaving && (this.saveText(), this.show(step));
    const rows = this.asked().filter((step) => step.kind !== "end").map((step) => row(step, this.answers[step.name], open));
    if (this.answers.cannot_judge) rows.push(make("p", { class: "vd-declined" }, phrase("declined")));
    this.heading.classList.add("vd-label-text");
    return [make("div", { class: "vd-summary" }, ...rows), this.heading, this.textField({ rows: 2, "aria-label": this.step.question })];
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
    for (const box of this.root.querySelectorAll(".vd-sentence input"))
      box.checked = (answer ?? "").split(" ").includes(box.value);
    if (this.field && this.field !== document.activeElement && !this.typing) this.field.value = answer ?? "";
    if (this.slider) this.drawNumber(this.moved ?? answer);
    const asked = this.asked();
    this.dots.replaceChildren(...asked.slice(0, -1).map((step) => dot(this.answers[step.name] !== undefined, step.name === name)));
    const first = asked[0].name === name;
    this.back.hidden = first && (this.data.position === 1 || this.data.practice);
    this.back.replaceChildren(keycap("←"), " ", first ? phrase("item_before", { n: this.data.position - 1 }) : phrase("back"));
    this.on.hidden = !this.step.optional && ["choice", "spans", "slider"].includes(kind) && !(this.moved ?? answer) && (this.moved ?? answer) !== 0;
    this.on.replaceChildren(this.onwards(kind), " ", keycap("⏎"));
    if (this.step.quotes) this.use.replaceChildren(...this.useWords());
    this.highlight();
    this.tell();
  }

  drawNumber(number) {
    const given = typeof number === "number";
    this.slider.classList.toggle("vd-unset", !given);
    if (given) this.slider.value = number;
    const words = given ? String(number) : phrase("not_answered");
    this.slider.setAttribute("aria-valuetext", words);
    this.root.querySelector(".vd-number").replaceChildren(words);
  }

  onwards(kind) {
    if (kind === "text" && this.selected) return phrase("use_and_go_on");
    const given = kind === "text" ? this.field.value : this.answers[this.step.name];
    if (this.step.optional && kind !== "end" && (given ?? "") === "") return phrase("go_on_without");
    if (kind !== "end") return phrase("go_on");
    return phrase(this.data.submitted ? "next_item" : "submit");
  }

  useWords() {
    const count = this.selected ? this.selected.split(/\s+/).length : 0;
    this.use.disabled = !count;
    const words = phrase(count ? (count === 1 ? "use_one" : "use_many") : "use", { n: count });
    return [words, " ", keycap("S")];
  }

  highlight() {
    const words = (this.step.quotes ? this.field.value : this.answers.support) ?? "";
    const lines = this.asked().some((step) => step.quotes) ? words.split("\n").filter((line) => line.trim()) : [];
    highlight(lines);
  }

  say(words) {
    this.status.replaceChildren(words);
  }

  tell() {
    const waiting = this.outbox.waiting;
    const trouble = this.data.trouble;
    this.late &&= waiting;
    this.root.toggleAttribute("data-waiting", waiting);
    this.status.classList.toggle("vd-wrong", Boolean(trouble || this.late));
    const known = this.step.options.map((option) => option.key).filter(Boolean);
    const keys = known.length ? phrase("keys", { first: known[0], last: known.at(-1) }) : "";
    const saved = this.data.saved ? phrase("saved", { time: hours(this.data.saved) }) : keys;
    this.say(trouble || (this.late ? phrase("trying") : waiting ? phrase("saving") : saved));
  }
}
