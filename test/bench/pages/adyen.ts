// Adyen Web's Drop-in with only the kinds that our widget has: a code to scan (two of them), a wallet to wait for, a redirect.
import { AdyenCheckout, Blik, Dropin, PromptPay, Redirect, Swish } from '@adyen/adyen-web';
import { openCheckout } from './adyen-checkout.ts';

const checkout = await openCheckout(AdyenCheckout);
const components = [Blik, Redirect, PromptPay, Swish];
new Dropin(checkout, { showRadioButton: true, paymentMethodComponents: components }).mount('#payment');
