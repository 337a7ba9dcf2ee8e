// Adyen Web's Drop-in from its `auto` entry, which includes every component, as in its quick start.
import { AdyenCheckout, Dropin } from '@adyen/adyen-web/auto';
import { openCheckout } from './adyen-checkout.ts';

const checkout = await openCheckout(AdyenCheckout);
new Dropin(checkout, { showRadioButton: true }).mount('#payment');
