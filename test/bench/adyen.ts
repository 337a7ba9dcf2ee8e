// Adyen Web's Drop-in with only the kinds of method that the widget has: two codes to scan, a wallet and a redirect.
// Set up as a merchant does by its documentation ("advanced" flow). The methods are part of the page, which is the
// fastest setup, because the Drop-in needs no request for them. Only the addresses differ from production: they belong
// to the fake in site.ts.
import { AdyenCheckout, Blik, Dropin, PromptPay, Redirect, Swish } from '@adyen/adyen-web';

const METHODS = [
  { type: 'blik', name: 'Wallet' },
  { type: 'paysafecard', name: 'Online checkout' },
  { type: 'promptpay', name: 'PromptPay' },
  { type: 'swish', name: 'QR code' },
];
// The Drop-in accepts a client key of the test environment only if the addresses contain "test".
const fake = new URL('test/', location.href).href;

const checkout = await AdyenCheckout({
  clientKey: 'test_bench',
  environment: 'test',
  _environmentUrls: { api: fake, analytics: fake, cdn: { images: fake, translations: fake } },
  amount: { value: 1010, currency: 'EUR' },
  countryCode: 'SE',
  locale: 'en-US',
  paymentMethodsResponse: { paymentMethods: METHODS },
  onSubmit: (state, _element, actions) => {
    fetch('payments', { method: 'POST', body: JSON.stringify(state.data) })
      .then((answer) => answer.json())
      .then(actions.resolve, () => actions.reject());
  },
});
const components = [Blik, Redirect, PromptPay, Swish];
new Dropin(checkout, { showRadioButton: true, paymentMethodComponents: components }).mount('#payment');
