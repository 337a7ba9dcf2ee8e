// Sends payouts, each at most once. The answer to the one call is recorded; after a lost answer the payout stays
// uncertain until status checks or a person resolve it. Nothing here sends twice.
import { randomUUID } from 'node:crypto';
import { Refusal } from './errors.ts';
import type { Recorder } from './workers/recorder.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Fact, Ledger } from './ledger/ledger.ts';
import { fingerprintOf } from './fingerprint.ts';
import { MAX_AMOUNT_DIGITS, exponentOf, minorOf } from './protocol/money.ts';
import type { Transaction } from './protocol/transaction.ts';
import { verify } from './protocol/verify.ts';

export interface PayoutRequest {
  orderId: string;
  /** Major units, as written in the request body. */
  amount: string;
  currency: string;
  customer: string;
  note?: string | undefined;
}

export interface Payouts {
  start(request: PayoutRequest): Promise<Transaction>;
  find(orderId: string): Promise<Transaction | undefined>;
}

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  recorder: Recorder;
  /** Host and port of this process; identifies its unfinished calls after a restart. */
  self: string;
  /**
   * Whether the gateway has just reported another payout: only then does "unknown" prove that it has no such payout.
   */
  isPathProven(): Promise<boolean>;
}

export function createPayouts({ gateway, ledger, recorder, self, isPathProven }: Ports): Payouts {
  async function send(payout: Transaction): Promise<void> {
    if (await ledger.wasRestoredLately()) {
      const withheld = await reasonToWithhold(payout);
      if (withheld !== undefined) {
        await ledger.record(payout, { stage: 'uncertain', answer: 'withheld', ...withheld }, 'check');
        return;
      }
    }
    const start = { by: self, id: randomUUID() };
    if (!(await ledger.record(payout, { stage: 'sending', start }, 'merchant')).isRaised) return;
    const { id: transactionId, amountMinor, currency, customer, note } = payout;
    const call = gateway.payout({ transactionId, amountMinor, currency, customer: customer ?? '', note });
    await recorder.record(
      payout,
      call.then((sent) => factOf(sent, gateway.status === undefined)),
    );
  }

  /**
   * After a restore the gateway may already have this payout. Undefined if it surely has not, so that it may be sent.
   */
  async function reasonToWithhold(payout: Transaction): Promise<{ detail: string; needsReview: boolean } | undefined> {
    const checked = await gateway.status?.(payout.id, 'PAYOUT');
    const review = (why: string) => ({ detail: `the database was restored, and ${why}`, needsReview: true });
    if (checked === undefined) return review('the gateway has no status check');
    if (checked.kind === 'found') {
      const { kind } = verify({ ...payout, answeredId: null }, checked.report, { complete: false });
      // Found and equal, it is adopted: the checks that follow settle it.
      return { ...review('the gateway has it already'), needsReview: kind !== 'verified' };
    }
    if (checked.kind === 'unavailable') return review('the gateway did not answer');
    return (await isPathProven()) ? undefined : review('its "unknown" could not be proven');
  }

  return {
    async start(request) {
      const { orderId, currency, customer } = request;
      const amountMinor = readAmount(request, gateway.payoutDecimals);
      const note = request.note ?? null;
      const fingerprint = fingerprintOf([amountMinor, currency, customer, note]);
      const payout = await ledger.openPayout({ orderId, amountMinor, currency, customer, note, fingerprint });
      if (payout.stage !== 'created') return payout;
      await send(payout);
      return (await ledger.payout(orderId)) ?? payout;
    },
    find: (orderId) => ledger.payout(orderId),
  };
}

/** No answer ends a payout, not even a failed connection: only status checks may report that no money was sent. */
function factOf(sent: Awaited<ReturnType<Gateway['payout']>>, isWeaker: boolean): Fact {
  if (sent.kind === 'accepted') {
    const { paymentId } = sent.answer;
    return { stage: 'pending', paymentId, method: null, checkoutUrl: null, qr: null, appUrl: null };
  }
  // Without a status check only a person can resolve a refused payout.
  const needsReview = isWeaker && sent.kind !== 'lost';
  return { stage: 'uncertain', answer: sent.kind, detail: sent.detail, needsReview };
}

function readAmount({ amount, currency }: PayoutRequest, decimals: boolean): number {
  const amountMinor = minorOf(amount, currency);
  const digits = exponentOf(currency) ?? 0;
  const isWhole = amountMinor !== undefined && amountMinor % 10 ** digits === 0;
  if (amountMinor !== undefined && amountMinor > 0 && (isWhole || decimals)) return amountMinor;
  const most = `${MAX_AMOUNT_DIGITS - digits} digits`;
  const detail = decimals
    ? `an amount above 0 of at most ${most} and ${digits} decimals`
    : `a whole amount above 0 of at most ${most}, because the gateway accepts no decimals in payouts`;
  throw new Refusal('invalid_request', `amount: ${detail}.`, { errors: [{ field: 'amount', detail }] });
}
