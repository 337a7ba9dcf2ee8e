// The way to the hosted checkout: in place of this page, or in a tab of its own. And the note that a reload finds.
// A new tab is only allowed within the click, so it is opened empty, cut off from this page, and sent on once there is a URL.
// Only for who chose the checkout: where the gateway answers another method with one, the panel's link is the way.
import type { OrderView } from '../backend-proxy/protocol/wire.ts';
import { emit } from './events.ts';
import { checkoutLink } from './links.ts';

/** Taken once, or given up. */
export interface Errand {
  go(url: string): void;
  drop(): void;
  /** `createdAt` of the payment it belongs to, once that is known. */
  payment?: string;
}

/** Runs the errand once there is somewhere to go, and gives it up once there never will be. True when either was done. */
export function runErrand(errand: Errand, { payment, paid }: OrderView, element: EventTarget): boolean {
  if (!paid && (!errand.payment || payment?.status === 'INITIALIZED')) return false;
  const isReady = !paid && payment?.status === 'PROCESSING' && payment.createdAt === errand.payment;
  const url = isReady && checkoutLink(payment.checkoutUrl);
  if (url && emit(element, 'payment-redirect', { url })) errand.go(url);
  else errand.drop();
  return true;
}

export function prepareErrand(target: '_self' | '_blank'): Errand {
  const isApart = target === '_blank';
  const tab = isApart ? open('about:blank', '_blank') : null;
  if (tab) tab.opener = null;
  return {
    go(url) {
      // Where the tab was blocked the panel's link is the way.
      if (tab) tab.location.replace(url);
      else if (!isApart) location.assign(url);
    },
    drop: () => tab?.close(),
  };
}
