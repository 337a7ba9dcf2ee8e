// Adyen Web's Drop-in by `auto`, which brings every component there is: what the quick start leads to.
import { AdyenCheckout, Dropin } from '@adyen/adyen-web/auto';
import { openCheckout } from './adyen-checkout.ts';

const checkout = await openCheckout(AdyenCheckout);
new Dropin(checkout, { showRadioButton: true }).mount('#payment');
