// Marks the success as news the first time that this tab shows it for a payment that was started here: the sign is then
// drawn (flow.styles.ts), and on a phone the panel is scrolled into view, once. A reload shows the same panel at rest.
import { keyOf } from '../shell/resume-hint.ts';

const SEEN = 'paid';

/** Called after each paint of the paid panel, before the browser shows it. */
export function showPaidNews(root: ShadowRoot, orderId: string): void {
  if (!isNews(orderId)) return;
  const sign = root.querySelector('.paid');
  sign?.classList.add('news');
  // A page that moves the element, or hides and shows it, would have the browser draw the sign again.
  const isDrawn = () => sign?.classList.remove('news');
  sign?.querySelector('path')?.addEventListener('animationend', isDrawn, { once: true });
  // A shopper who comes back from the wallet is at the top of the page. The focus stays where it is.
  if (matchMedia('(pointer: coarse)').matches)
    requestAnimationFrame(() => root.querySelector('.sheet')?.scrollIntoView({ block: 'nearest' }));
}

function isNews(orderId: string): boolean {
  try {
    const hint = sessionStorage.getItem(keyOf(orderId));
    if (!hint || hint === SEEN) return false;
    sessionStorage.setItem(keyOf(orderId), SEEN);
    return true;
  } catch {
    // A sandboxed frame has no storage, so the success is shown at rest.
    return false;
  }
}
