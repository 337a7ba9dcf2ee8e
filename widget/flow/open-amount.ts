// Fetches the bundle that reads and writes typed amounts (typed-amount.ts), once an order leaves the amount to the
// shopper. The field is drawn without it; only the press on the button waits for it.

/** Undefined until it is loaded. */
export let typedAmount: typeof import('./typed-amount.ts') | undefined;

/** False if it cannot be loaded now; the next call tries again. */
export async function loadTypedAmount(): Promise<boolean> {
  typedAmount ??= await import('./typed-amount.ts').catch(() => undefined);
  return !!typedAmount;
}
