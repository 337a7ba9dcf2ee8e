// What runs inside each page, before its own scripts: sees when a method can be chosen and when the code is painted.
// A moment counts from the start of the navigation, and is taken after the frame that shows it was painted: a message posted
// from that frame's callback comes back once the frame is done. Each is marked for the trace. The same for every page.
// The function is sent to the page as text: it can use nothing from outside itself.
import type { Places } from './pages.ts';

export interface Probe {
  /** ms: the first frame in which a method's radio is there, enabled, has a box, and is what a click in its middle hits. */
  choosable: Promise<number>;
  /** Before the click on "pay": begins to wait for the code. */
  watchCode(): void;
  /** ms: the click's own time stamp, and the frame that shows the code. */
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
      const look = () => {
        const element = place()?.querySelector(selector);
        if (element && isThere(element)) port2.postMessage(null);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
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
