// What a resolution will do, in words, before it is made. The ledger decides it by the same rules
// (ledger/resolutions.ts, ledger/transitions.ts); a test compares the two.
import type { Order, Resolution } from '../ledger/ledger.ts';
import { WEBHOOKS, type WebhookType } from '../protocol/merchant-view.ts';
import { decimalOf } from '../protocol/money.ts';
import { STAGES, TYPES, advance, type Transaction } from '../protocol/transaction.ts';

export interface Effect {
  /** The webhook that is sent; null for none. */
  told: WebhookType | null;
  sentences: string[];
}

export function effectOf(transaction: Transaction, order: Order | undefined, status: Resolution['status']): Effect {
  const { stage, type, orderId, mismatch } = transaction;
  const tell = (told: WebhookType, sentence: string): Effect => ({
    told,
    sentences: [
      sentence,
      ...(mismatch && status === 'SUCCESS'
        ? [`It counts as ${amountOf(transaction)}, as it was asked for, whatever the gateway reported.`]
        : []),
      `The merchant is told ${told}: “${WEBHOOKS[told]}”.`,
    ],
  });
  const { webhooks, paysOrder } = TYPES[type];
  const shown = STAGES[stage].status;
  const stages = { SUCCESS: 'succeeded', FAILED: 'declined' } as const;
  const isRaised = advance(stage, stages[status]) !== stage;
  if (status === 'SUCCESS' && isRaised) {
    const isSurplus = paysOrder && order !== undefined && order.paidBy !== null;
    if (isSurplus) return tell('payment.surplus', `Order ${orderId} is paid already: this is money paid twice.`);
    const said = paysOrder ? `Order ${orderId} becomes paid.` : `Payout ${orderId} becomes SUCCESS.`;
    return tell(`${webhooks}.succeeded`, said);
  }
  if (isRaised && shown !== 'FAILED') return tell(`${webhooks}.failed`, `The ${webhooks} becomes FAILED.`);
  const stays = [
    shown === 'SUCCESS' && status === 'FAILED'
      ? 'It stays SUCCESS: what has succeeded cannot be made to fail. Only the review ends.'
      : `It is ${shown} already and stays so. Only the review ends.`,
    'The merchant is told nothing.',
  ];
  return { told: null, sentences: stays };
}

function amountOf({ amountMinor, currency }: Transaction): string {
  return `${decimalOf(amountMinor, currency)} ${currency}`;
}
