// A token whose claims have wrong types: the widget draws what it can, until the proxy refuses the token.
import type { OrderClaims } from '../../backend-proxy/protocol/wire.ts';
import { claimsOf, FakeProxy, tokenOf } from './fake-proxy.ts';
import { addressOf, mount } from './mount.ts';

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

// Loads the second bundle.
before(() => mount());

for (const claim of Object.keys(OPTIONAL)) {
  it(`the widget draws a token whose claim ${claim} has a wrong type`, async () => {
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
        widget.remove();
      }
    }
  });
}
