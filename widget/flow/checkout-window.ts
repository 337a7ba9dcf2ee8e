// The way to the hosted checkout: in place of this page, out of the frame that this page is in, or in a tab of its own.
// A new tab is only allowed within the click, so it is opened empty, cut off from this page, and sent on once there is a URL.
// A checkout forbids being framed, so in a frame it is the top that goes there. Of the top and a tab never both are tried at a
// time: WebKit cancels both. Only for who chose the checkout: where the gateway answers another method with one, the panel's link
// is the way.
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import { emit } from './events.ts';
import { checkoutLink } from './links.ts';

export type CheckoutTarget = '_self' | '_blank' | '_top';

/** Taken once, or given up. */
export interface Errand {
  go(url: string): void;
  drop(): void;
  /** `createdAt` of the payment it belongs to, once that is known. */
  payment?: string;
}

/** Runs the errand once there is somewhere to go, and gives it up once there never will be. True when either was done. */
export function runErrand(errand: Errand, { payment, paid }: OrderView, element: EventTarget): boolean {
  const isMine = payment?.createdAt === errand.payment;
  const url = isMine && payment?.status === 'PROCESSING' ? payment.checkoutUrl : null;
  // A status check may have found the payment before the gateway's answer brings the way.
  if (!paid && (!errand.payment || (isMine && payment?.answer === 'AWAITED' && !url))) return false;
  const way = !paid && checkoutLink(url);
  if (way && emit(element, 'payment-redirect', { url: way })) errand.go(way);
  else errand.drop();
  return true;
}

export function prepareErrand(target: CheckoutTarget): Errand {
  const wayOut = targetOf(target);
  const tab = wayOut === '_blank' ? openTab() : null;
  return {
    go(url) {
      // Where the tab was blocked the panel's link is the way.
      if (tab) tab.location.replace(url);
      else if (wayOut === '_top') leaveFrame(url);
      else if (wayOut === '_self') location.assign(url);
    },
    drop: () => tab?.close(),
  };
}

/** This frame is not allowed to lead its top away: only a tab is left. */
let isHeld = false;

/** Where the checkout opens, as far as is known before it is tried. */
export function targetOf(target: CheckoutTarget): CheckoutTarget {
  if (target === '_blank') return target;
  if (self === top) return '_self';
  return isHeld ? '_blank' : '_top';
}

/** Within a click on a link to the top: where that is not allowed, the browser goes on to a new tab. */
export function followOut(event: Event): void {
  const link = event.currentTarget as HTMLAnchorElement;
  const { ctrlKey, metaKey, shiftKey } = event as MouseEvent;
  if (link.target !== '_top' || ctrlKey || metaKey || shiftKey) return;
  if (leadTop(link.href)) event.preventDefault();
  else link.target = '_blank';
}

function leaveFrame(url: string): void {
  // Once the click is too long ago browsers let a frame lead only a page of its own origin away.
  const mayLead = navigator.userActivation.isActive || isTopOurs();
  if (!mayLead || !leadTop(url)) openTab()?.location.replace(url);
}

/** False where a sandbox forbids it. */
function leadTop(url: string): boolean {
  try {
    // Of another origin's `location` only this may be touched.
    if (top) top.location.href = url;
    return true;
  } catch {
    isHeld = true;
    return false;
  }
}

function isTopOurs(): boolean {
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
