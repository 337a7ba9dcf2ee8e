// One tick a second for the whole page, shared by all widgets that count down, and none where nobody counts.
// Owns the timer only. What is left is computed from the proxy's clock at each paint, so a late or missed tick is no error.
import type { ReactiveController, ReactiveControllerHost } from 'lit';

const TICK_MS = 1_000;

const counting = new Set<ReactiveControllerHost>();
let timer: ReturnType<typeof setInterval> | undefined;

export class Countdown implements ReactiveController {
  readonly #host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.run(false);
  }

  /** Whether the host has something to count down; its requestUpdate() is called every second while it has. */
  run(on: boolean): void {
    if (on) counting.add(this.#host);
    else counting.delete(this.#host);
    if (counting.size) timer ??= setInterval(() => counting.forEach((each) => each.requestUpdate()), TICK_MS);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }
}
