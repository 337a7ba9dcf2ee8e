// Runs in each page before the page's scripts and measures when a method can be chosen and when the code is painted,
// both since the start of the navigation. Each time is taken after the frame is painted: a message posted in the
// frame's callback arrives once the frame is done. Each time also gets a mark in the trace. The function is sent to
// the page as text, so it cannot use anything from outside itself.
import type { Places } from './pages.ts';

export interface Probe {
  /** Milliseconds until the first frame with a visible, enabled radio of a method that a click in its middle hits. */
  choosable: Promise<number>;
  /** Starts to wait for the code; to be called before the click on "pay". */
  watchCode(): void;
  /** Milliseconds: the time stamp of the click, and the frame that shows the code. */
  code: Promise<{ clickMs: number; codeMs: number }>;
}

declare global {
  interface Window {
    probe: Probe;
  }
}

export function installProbe({ host, method, code }: Places): void {
  const place = () => (host === null ? document : document.querySelector(host)?.shadowRoot);

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

  function painted(selector: string, isThere: (element: Element) => boolean, mark: string): Promise<number> {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => {
        resolve(performance.mark(mark).startTime);
        port1.close();
      });
      port1.start();
      const check = () => {
        const element = place()?.querySelector(selector);
        if (element && isThere(element)) port2.postMessage(null);
        else requestAnimationFrame(check);
      };
      requestAnimationFrame(check);
    });
  }

  window.probe = {
    choosable: painted(method, isReachable, 'bench-interactive'),
    code: new Promise(() => {}),
    watchCode: () => {
      const clicked = new Promise<number>((resolve) => {
        const mark = ({ timeStamp }: Event) =>
          resolve(performance.mark('bench-click', { startTime: timeStamp }).startTime);
        addEventListener('click', mark, { capture: true, once: true });
      });
      const drawn = painted(code ?? '', isDrawn, 'bench-code');
      window.probe.code = Promise.all([clicked, drawn]).then(([clickMs, codeMs]) => ({ clickMs, codeMs }));
    },
  };
}
