// Paying out: server to server only, sent once, ever. What the one call answered is recorded; a lost answer stays
// uncertain until the status check settles it or a person does. Nothing here ever sends again.
import { Refusal } from './errors.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Fact, Ledger } from './ledger/ledger.ts';
import { fingerprintOf } from './payments.ts';
import { MAX_AMOUNT_DIGITS, exponentOf, parseAmount } from './protocol/money.ts';
import type { Transaction } from './protocol/transaction.ts';

export interface PayoutRequest {
  orderId: string;
  /** Major units, as the source text wrote it. */
  amount: string;
  currency: string;
  customer: string;
  note?: string | undefined;
}

export interface Payouts {
  start(request: PayoutRequest): Promise<Transaction>;
  find(orderId: string): Promise<Transaction | undefined>;
}

export function createPayouts({ gateway, ledger }: { gateway: Gateway; ledger: Ledger }): Payouts {
  return {
    async start(request) {
      const { orderId: id, currency, customer } = request;
      const amountMinor = readAmount(request, gateway.payoutDecimals);
      const note = request.note ?? null;
      const fingerprint = fingerprintOf([amountMinor, currency, customer, note]);
      const { opened, payout } = await ledger.openPayout({ id, amountMinor, currency, customer, note, fingerprint });
      if (!opened || !(await ledger.record(id, { stage: 'sending' }, 'merchant'))) return payout;
      const sent = await gateway.payout({ id, amountMinor, currency, customer, note });
      await ledger.record(id, factOf(sent), 'answer');
      return (await ledger.payout(id)) ?? payout;
    },
    find: (orderId) => ledger.payout(orderId),
  };
}

function factOf(sent: Awaited<ReturnType<Gateway['payout']>>): Fact {
  if (sent.kind === 'refused') return { stage: 'rejected', why: sent.why };
  // Of money that goes out nothing is taken for granted, not even that no connection was made.
  if (sent.kind !== 'accepted') return { stage: 'uncertain', why: sent.why };
  const { paymentId } = sent.answer;
  return { stage: 'pending', paymentId, method: null, checkoutUrl: null, qr: null, appUrl: null };
}

function readAmount({ amount, currency }: PayoutRequest, decimals: boolean): number {
  const amountMinor = parseAmount(amount, currency);
  const digits = exponentOf(currency) ?? 0;
  const isWhole = amountMinor !== undefined && amountMinor % 10 ** digits === 0;
  if (amountMinor !== undefined && amountMinor > 0 && (isWhole || decimals)) return amountMinor;
  const most = `${MAX_AMOUNT_DIGITS - digits} digits`;
  const detail = decimals
    ? `an amount above 0 of at most ${most} and ${digits} decimals`
    : `a whole amount above 0 of at most ${most}, because the gateway takes no decimals in payouts`;
  throw new Refusal('invalid_request', `amount: ${detail}.`, { errors: [{ field: 'amount', detail }] });
}
