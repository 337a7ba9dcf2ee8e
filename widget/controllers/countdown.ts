// One tick a second for the whole page, shared by all widgets that count down, and none where nobody counts.
// Owns the timer only. What is left is computed from the proxy's clock at each paint, so a late or missed tick is no error.
import type { ReactiveController, ReactiveControllerHost } from 'lit';

const TICK_MS = 1_000;

/** Seconds left at which a screen reader says so: often enough to act, seldom enough to be borne. */
const SPOKEN_SECONDS = [180, 60, 30];

const counting = new Set<ReactiveControllerHost>();
let timer: ReturnType<typeof setInterval> | undefined;

function count(host: ReactiveControllerHost, on: boolean): void {
  if (on) counting.add(host);
  else counting.delete(host);
  if (!counting.size) {
    clearInterval(timer);
    timer = undefined;
  }
  timer ??= counting.size ? setInterval(() => counting.forEach((each) => each.requestUpdate()), TICK_MS) : undefined;
}

export class Countdown implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #beforeSeconds = 0;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    count(this.#host, false);
  }

  /**
   * Takes what is left at this paint, null where nothing is counted. Returns the seconds to be said now: a step that was
   * passed since the last paint, else null.
   */
  show(remainingMs: number | null): number | null {
    count(this.#host, remainingMs !== null && remainingMs > 0);
    const seconds = Math.ceil((remainingMs ?? 0) / 1000);
    const step = SPOKEN_SECONDS.findLast((each) => this.#beforeSeconds > each && seconds <= each && seconds > 0);
    this.#beforeSeconds = seconds;
    return step ?? null;
  }
}
