// The bodies of a payout and of an order as the merchant's tests send them.
import { SHOP } from '../world.ts';

export const PAYOUT = { orderId: 'P-1', amount: 50, currency: 'EUR', customer: '12345678', note: 'Thank you' };
export const ORDER = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: `${SHOP}/thanks` };
