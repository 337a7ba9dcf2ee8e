// Runs in each page before the page's scripts and measures when a method can be chosen and when the code is painted,
// both since the start of the navigation. Each time is taken after the frame is painted: a message posted in the
// frame's callback arrives once the frame is done. The function is sent to the page as text, so it cannot use anything
// from outside itself.
import type { Places } from './pages.ts';

/** Milliseconds since the start of the navigation; undefined until then. */
export interface Probe {
  /** The first frame with a visible, enabled radio of a method that a click in its middle hits. */
  choosableMs?: number;
  clickMs?: number;
  /** The frame that shows the code. */
  codeMs?: number;
  /** The time above 50 ms of each task so far. */
  blockingMs: number;
}

declare global {
  interface Window {
    probe: Probe;
  }
}

export function installProbe({ host, method, code }: Places): void {
  const place = () => (host === undefined ? document : document.querySelector(host)?.shadowRoot);

  function isReachable(element: Element): boolean {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = place()?.elementFromPoint(left + width / 2, top + height / 2);
    const label = element.closest('label') ?? element;
    return width > 0 && height > 0 && !element.matches(':disabled') && hit != null && label.contains(hit);
  }

  function isDrawn(element: Element): boolean {
    const { width } = element.getBoundingClientRect();
    return width > 0 && (!(element instanceof HTMLImageElement) || (element.complete && element.naturalWidth > 0));
  }

  function onPainted(selector: string, isThere: (element: Element) => boolean, then: (atMs: number) => void): void {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      then(performance.now());
      port1.close();
    });
    port1.start();
    const check = () => {
      const element = place()?.querySelector(selector);
      if (element && isThere(element)) port2.postMessage(null);
      else requestAnimationFrame(check);
    };
    requestAnimationFrame(check);
  }

  const probe: Probe = { blockingMs: 0 };
  window.probe = probe;
  onPainted(method, isReachable, (atMs) => (probe.choosableMs = atMs));
  if (code !== undefined) onPainted(code, isDrawn, (atMs) => (probe.codeMs = atMs));
  // The last click is the one on the button that pays.
  addEventListener('click', ({ timeStamp }) => (probe.clickMs = timeStamp), { capture: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) probe.blockingMs += duration - 50;
  }).observe({ type: 'longtask', buffered: true });
}
