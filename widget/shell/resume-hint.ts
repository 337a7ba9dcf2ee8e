// Remembers in sessionStorage that this tab started a payment for an order. After a reload the widget then shows
// "checking" instead of the choice until the first view arrives. It is only a hint: nothing depends on it, so a page
// without storage loses nothing.

export const keyOf = (orderId: string): string => `payment-widget ${orderId}`;

export function hasResumeHint(orderId: string): boolean {
  try {
    return !!sessionStorage.getItem(keyOf(orderId));
  } catch {
    // A sandboxed frame has no storage.
    return false;
  }
}

export function leaveResumeHint(orderId: string): void {
  try {
    sessionStorage.setItem(keyOf(orderId), '1');
  } catch {
    // A sandboxed frame has no storage, and a full storage accepts nothing.
  }
}
