// Opens the hosted checkout or the wallet app, and checks each link before it is followed.
// The checkout opens in place of this page, out of the frame that contains it, or in a new tab; for a code, the wallet
// app opens on a phone, in place of this page, while the press on the button still counts. Browsers allow a new tab
// only during the click, so the tab is opened empty, without access to this page, and navigated once the URL is known.
// Checkouts forbid framing, so a frame navigates the top page. Navigating the top and opening a tab are never both
// tried at once: WebKit cancels both. Only a shopper who chose the checkout is taken there; if the gateway answers
// another method with a checkout, the shopper follows the link in the panel.
import { isAppUrl, isSafeWebUrl } from '../../backend-proxy/protocol/links.ts';
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import type { SessionState } from '../shell/state.ts';
import { emit } from './events.ts';

export type CheckoutTarget = '_self' | '_blank' | '_top';

/** Navigated or closed, once. */
export interface CheckoutWindow {
  navigate(url: string): void;
  close(): void;
  /** `createdAt` of the payment that it belongs to, once known. */
  payment?: string;
  /** Only that of the wallet app: whether it may still be opened without another press. */
  mayOpen?(): boolean;
}

/** Navigates once the checkout URL is known, or closes the window once there will be none. True if it did either. */
export function navigateOrClose(
  checkoutWindow: CheckoutWindow,
  { payment, paid }: OrderView,
  element: EventTarget,
): boolean {
  const isMine = payment?.createdAt === checkoutWindow.payment;
  const { mayOpen } = checkoutWindow;
  const url = isMine && payment?.status === 'PROCESSING' ? payment[mayOpen ? 'appUrl' : 'checkoutUrl'] : null;
  // A status check may find the payment before the gateway's answer brings the URL.
  if (!paid && (!checkoutWindow.payment || (isMine && payment?.answer === 'AWAITED' && !url))) return false;
  const link = !paid && checkoutLink(url);
  // Only a web page: a link of another scheme would fail without a word where no app has it.
  if (link && mayOpen?.() !== false && emit(element, 'payment-redirect', { url: link })) checkoutWindow.navigate(link);
  else checkoutWindow.close();
  return true;
}

export function openCheckoutWindow(target: CheckoutTarget): CheckoutWindow {
  const actual = targetOf(target);
  const tab = actual === '_blank' ? openTab() : null;
  return {
    navigate(url) {
      // If the browser blocked the tab, the shopper follows the link in the panel.
      if (tab) tab.location.replace(url);
      else if (actual === '_top') leaveFrame(url);
      else if (actual === '_self') location.assign(url);
    },
    close: () => tab?.close(),
  };
}

/** `opened` is called before the page is left: the shopper may come back, or the browser may stay. */
export const openAppWindow = (opened: (link: string) => void): CheckoutWindow => ({
  navigate(link) {
    opened(link);
    location.assign(link);
  },
  close() {},
  // Beside a mouse there is a screen that a phone can scan, and in a frame a link opens no app.
  mayOpen: () => self === top && matchMedia('(pointer: coarse)').matches && navigator.userActivation.isActive,
});

/** Whether the browser has refused to let this frame navigate its top page; then only a tab is left. */
let isTopRefused = false;

/** Where the checkout opens, as far as is known before trying. */
export function targetOf(target: CheckoutTarget): CheckoutTarget {
  if (target === '_blank') return target;
  if (self === top) return '_self';
  return isTopRefused ? '_blank' : '_top';
}

/** Handles a click on a link to the top page. If navigating the top is refused, the browser continues to a new tab. */
export function followOut(event: Event): void {
  const link = event.currentTarget as HTMLAnchorElement;
  const { ctrlKey, metaKey, shiftKey } = event as MouseEvent;
  if (link.target !== '_top' || ctrlKey || metaKey || shiftKey) return;
  if (navigateTop(link.href)) event.preventDefault();
  else link.target = '_blank';
}

function leaveFrame(url: string): void {
  // Some time after the click, browsers let a frame navigate its top page only if both have the same origin.
  const mayNavigate = navigator.userActivation.isActive || isTopSameOrigin();
  if (!mayNavigate || !navigateTop(url)) openTab()?.location.replace(url);
}

/** False if the frame's sandbox forbids it. */
function navigateTop(url: string): boolean {
  try {
    // Setting `href` is all that another origin's `location` allows.
    if (top) top.location.href = url;
    return true;
  } catch {
    isTopRefused = true;
    return false;
  }
}

function isTopSameOrigin(): boolean {
  try {
    return !!top?.location.href;
  } catch {
    return false;
  }
}

function openTab(): Window | null {
  const tab = open('about:blank', '_blank');
  if (tab) tab.opener = null;
  return tab;
}

// Checks each link before the widget follows it. The proxy has checked them too, but money moves behind them.

/** The URL of a web page such as the checkout, or null if it is not safe to open. */
export function checkoutLink(url: string | null): string | null {
  const parsed = parse(url);
  return parsed && isSafeWebUrl(parsed) ? url : null;
}

/** The shop's help page: https only. */
export function supportLink(url: string | null | undefined): string | null {
  return parse(url)?.protocol === 'https:' ? (url ?? null) : null;
}

/** Where the shop wants the shopper back; null if the proxy has not accepted the token, or if that is this page. */
export function returnLink({ claims, order }: SessionState): string | null {
  const link = order.version >= 0 ? checkoutLink(claims?.returnUrl ?? null) : null;
  const isHere = link && new URL(link).href.split('#')[0] === location.href.split('#')[0];
  return isHere ? null : link;
}

/** A link to a wallet app or a web page. Only the proxy knows the apps' schemes; here dangerous ones are refused. */
export function appLink(url: string | null): string | null {
  const parsed = parse(url);
  return parsed && isAppUrl(parsed) ? url : null;
}

function parse(url: string | null | undefined): URL | null {
  return url && URL.canParse(url) ? new URL(url) : null;
}
