// The note that this tab started a payment for an order: a reload then shows "checking" and not the choice, until the first view.
// A hint for that moment and no more: nothing is decided by it, and where the page has no storage nothing is lost.

const keyOf = (orderId: string) => `payment-widget ${orderId}`;

export function note(orderId: string): void {
  try {
    sessionStorage.setItem(keyOf(orderId), '1');
  } catch {
    // A sandboxed frame has no storage; a full one takes nothing.
  }
}

export function isNoted(orderId: string): boolean {
  try {
    return sessionStorage.getItem(keyOf(orderId)) !== null;
  } catch {
    return false;
  }
}
