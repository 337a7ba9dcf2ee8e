// Sets up Adyen Web's Drop-in as a merchant does by its documentation ("advanced" flow). The methods are part of the
// page, which is the fastest setup, because the Drop-in needs no request for them. Only the addresses differ from
// production: they belong to the fake in site.ts. The two pages that use this file differ in the components that they
// import.
import type { AdyenCheckout, CoreConfiguration } from '@adyen/adyen-web';

const METHODS = [
  { type: 'blik', name: 'Wallet' },
  { type: 'paysafecard', name: 'Online checkout' },
  { type: 'promptpay', name: 'PromptPay' },
  { type: 'swish', name: 'QR code' },
];

export function openCheckout(Checkout: typeof AdyenCheckout): ReturnType<typeof AdyenCheckout> {
  // The Drop-in accepts a client key of the test environment only if the addresses contain "test".
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
