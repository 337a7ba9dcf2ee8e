// A token whose claims have wrong types: the widget does what it can, until the proxy refuses the token.
import { expect } from '@open-wc/testing';
import type { OrderClaims } from '../../backend-proxy/protocol/wire.ts';
import { claimsOf, FakeProxy, tokenOf } from '../../widget/testing/fake-proxy.ts';
import { addressOf, mount, part } from './mount.ts';

/** The compiler demands each new claim. */
const OPTIONAL: Record<keyof Omit<OrderClaims, 'orderId' | 'currency'>, true> = {
  amount: true,
  minAmount: true,
  maxAmount: true,
  returnUrl: true,
  customer: true,
  customerReferenceNo: true,
  methods: true,
  language: true,
  description: true,
  payWithin: true,
  purpose: true,
  supportUrl: true,
  merchant: true,
  logo: true,
  walletName: true,
  methodNames: true,
  suggestedAmounts: true,
  metadata: true,
  iat: true,
  exp: true,
};

const WRONG = [null, 7, 'x', true, [], [null], [7], {}];

const errors: unknown[] = [];
const keepError = (event: ErrorEvent | PromiseRejectionEvent) =>
  errors.push('reason' in event ? event.reason : event.error);

before(async () => {
  // Loads the second and the third bundle.
  await mount();
  await mount(new FakeProxy({ amount: undefined }));
  addEventListener('error', keepError);
  addEventListener('unhandledrejection', keepError);
});
after(() => {
  removeEventListener('error', keepError);
  removeEventListener('unhandledrejection', keepError);
});

for (const claim of Object.keys(OPTIONAL)) {
  it(`the widget draws a token whose claim ${claim} has a wrong type, and takes its press`, async () => {
    for (const value of WRONG) {
      for (const amount of [undefined, '10.10']) {
        const proxy = new FakeProxy();
        proxy.isSilent = true;
        const widget = document.createElement('payment-widget');
        widget.proxy = addressOf(proxy);
        widget.order = tokenOf({ ...claimsOf({ amount }), [claim]: value });
        document.body.append(widget);
        // Rejects if it cannot be drawn.
        await widget.updateComplete;
        for (const typed of ['5', 'five']) {
          const input = part(widget, 'amount') as HTMLInputElement | null;
          if (input) input.value = typed;
          input?.dispatchEvent(new Event('input'));
          part(widget, 'pay')?.click();
          await widget.updateComplete;
        }
        await new Promise((resolve) => setTimeout(resolve));
        expect(errors.splice(0), JSON.stringify({ [claim]: value, amount })).to.deep.equal([]);
        widget.remove();
      }
    }
  });
}
