// Repaints once a second all widgets of the page that count down; without any there is no timer.
// The remaining time is computed from the proxy's clock at each paint, so a late or missed tick does no harm.
import type { ReactiveControllerHost } from 'lit';

const TICK_MS = 1_000;

const counting = new Set<ReactiveControllerHost>();
let timer: ReturnType<typeof setInterval> | undefined;

/** While on, the host's requestUpdate() is called every second. */
export function countDown(host: ReactiveControllerHost, on: boolean): void {
  if (on) counting.add(host);
  else counting.delete(host);
  if (counting.size) timer ??= setInterval(() => counting.forEach((each) => each.requestUpdate()), TICK_MS);
  else {
    clearInterval(timer);
    timer = undefined;
  }
}
