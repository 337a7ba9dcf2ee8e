// The way to the hosted checkout: in place of this page, or in a tab of its own. And the note that a reload finds.
// A new tab is only allowed within the click, so it is opened empty, cut off from this page, and sent on once there is a URL.
import type { Method } from '../backend-proxy/protocol/wire.ts';

/** Taken once, or given up. */
export interface Errand {
  go(url: string): void;
  drop(): void;
}

export function prepareErrand(method: Method, target: '_self' | '_blank'): Errand {
  const isApart = target === '_blank';
  const tab = isApart && method === 'CHECKOUT' ? open('about:blank', '_blank') : null;
  if (tab) tab.opener = null;
  return {
    go(url) {
      // Without a tab (blocked, or the gateway answered with CHECKOUT unasked) the panel's link is the way.
      if (tab) tab.location.replace(url);
      else if (!isApart) location.assign(url);
    },
    drop: () => tab?.close(),
  };
}
