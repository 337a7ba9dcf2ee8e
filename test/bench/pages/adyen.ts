// Adyen Web's Drop-in with only the kinds of method that the widget has: two codes to scan, a wallet and a redirect.
import { AdyenCheckout, Blik, Dropin, PromptPay, Redirect, Swish } from '@adyen/adyen-web';
import { openCheckout } from './adyen-checkout.ts';

const checkout = await openCheckout(AdyenCheckout);
const components = [Blik, Redirect, PromptPay, Swish];
new Dropin(checkout, { showRadioButton: true, paymentMethodComponents: components }).mount('#payment');
