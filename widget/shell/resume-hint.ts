// The note that this tab started a payment for an order: a reload then shows "checking" and not the choice, until the first view.
// A hint for that moment and no more: nothing is decided by it, and where the page has no storage nothing is lost.

/** Whether there is one; with `write`, makes one first. */
export function isNoted(orderId: string, write?: boolean): boolean {
  try {
    const key = `payment-widget ${orderId}`;
    if (write) sessionStorage.setItem(key, '1');
    return !!sessionStorage.getItem(key);
  } catch {
    // A sandboxed frame has no storage; a full one takes nothing.
    return false;
  }
}
