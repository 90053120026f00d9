// The time that a rater spends: while the page is in view and they do something now and then.

const IDLE = 90_000; // milliseconds without anything done after which time no longer counts

export class Stopwatch {
  constructor() {
    this.resume();
    this.restart();
  }

  // What has passed until now does not count.
  resume() {
    this.alive = this.ticked = performance.now();
  }

  restart() {
    this.spent = this.lap = 0;
  }

  touch() {
    this.alive = performance.now();
  }

  count() {
    const now = performance.now();
    const passed = !document.hidden && now - this.alive < IDLE ? (now - this.ticked) / 1000 : 0;
    this.spent += passed;
    this.lap += passed;
    this.ticked = now;
  }

  // Seconds on the item since they were last taken.
  take() {
    this.count();
    const seconds = Math.round(this.spent * 10) / 10;
    this.spent = 0;
    return seconds;
  }

  // Seconds on the question since it was shown or last answered.
  takeLap() {
    this.count();
    const seconds = Math.round(this.lap * 10) / 10;
    this.lap = 0;
    return seconds;
  }
}
