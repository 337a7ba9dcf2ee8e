// What a merchant's page does with Adyen Web's Drop-in, as its documentation says (the "advanced" flow): the methods come with
// the page, so it waits for no request of its own, which is the fastest way there is. Its addresses are those of the fake in
// site.ts; everything else is as it ships. Owns no choice of components: that is what differs between its two builds.
import type { AdyenCheckout, CoreConfiguration } from '@adyen/adyen-web';

const METHODS = [
  { type: 'blik', name: 'Wallet' },
  { type: 'paysafecard', name: 'Online checkout' },
  { type: 'promptpay', name: 'PromptPay' },
  { type: 'swish', name: 'QR code' },
];

export function openCheckout(Checkout: typeof AdyenCheckout): ReturnType<typeof AdyenCheckout> {
  // It takes a client key of the test environment only for addresses with "test" in them.
  const fake = new URL('test/', location.href).href;
  const addresses = { api: fake, analytics: fake, cdn: { images: fake, translations: fake } };
  const configuration: CoreConfiguration = {
    clientKey: 'test_bench',
    environment: 'test',
    _environmentUrls: addresses,
    amount: { value: 1010, currency: 'EUR' },
    countryCode: 'SE',
    locale: 'en-US',
    paymentMethodsResponse: { paymentMethods: METHODS },
    onSubmit: (state, _element, actions) => {
      fetch('payments', { method: 'POST', body: JSON.stringify(state.data) })
        .then((answer) => answer.json())
        .then(actions.resolve, () => actions.reject());
    },
  };
  return Checkout(configuration);
}
