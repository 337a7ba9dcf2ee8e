// Paying out: server to server only, sent once, ever. What the one call answered is recorded; a lost answer stays
// uncertain until the status check settles it or a person does. Nothing here ever sends again.
import { Refusal } from './errors.ts';
import type { Recorder } from './recorder.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Fact, Ledger } from './ledger/ledger.ts';
import { fingerprintOf } from './fingerprint.ts';
import { MAX_AMOUNT_DIGITS, exponentOf, minorOf } from './protocol/money.ts';
import type { Transaction } from './protocol/transaction.ts';
import { verify } from './protocol/verify.ts';

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

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  recorder: Recorder;
  /** The host and port of this process, by which it knows its own calls after a restart. */
  self: string;
  /** Whether the gateway was seen, just now, to know another payout: only then does "unknown" mean unknown. */
  isPathProven(): Promise<boolean>;
}

export function createPayouts({ gateway, ledger, recorder, self, isPathProven }: Ports): Payouts {
  async function send(payout: Transaction): Promise<void> {
    if (await ledger.wentBackLately()) {
      const withheld = await whyWithheld(payout);
      if (withheld !== undefined) {
        await ledger.record(payout, { stage: 'uncertain', answer: 'withheld', ...withheld }, 'check');
        return;
      }
    }
    if (!(await ledger.record(payout, { stage: 'sending', sentBy: self }, 'merchant'))) return;
    const { id: transactionId, amountMinor, currency, customer, note } = payout;
    const call = gateway.payout({ transactionId, amountMinor, currency, customer: customer ?? '', note });
    await recorder.keep(
      payout,
      call.then((sent) => factOf(sent, gateway.status === undefined)),
    );
  }

  /** The books lost what was last in them, so the gateway may have this payout already: sent is only what it surely has not. */
  async function whyWithheld(payout: Transaction): Promise<{ detail: string; needsReview: boolean } | undefined> {
    const checked = await gateway.status?.(payout.id, 'PAYOUT');
    const review = (what: string) => ({ detail: `the books went back, and ${what}`, needsReview: true });
    if (checked === undefined) return review('the gateway cannot be asked');
    if (checked.kind === 'found') {
      const { kind } = verify({ ...payout, answeredId: null }, checked.report, { complete: false });
      // Found and equal, it is adopted: the checks that follow settle it.
      return { ...review('the gateway has it already'), needsReview: kind !== 'verified' };
    }
    if (checked.kind === 'unavailable') return review('the gateway did not answer');
    return (await isPathProven()) ? undefined : review('"unknown" could not be believed');
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

/** No answer ends a payout: of money that goes out nothing is taken for granted, not even that no connection was made. */
function factOf(sent: Awaited<ReturnType<Gateway['payout']>>, isWeaker: boolean): Fact {
  if (sent.kind === 'accepted') {
    const { paymentId } = sent.answer;
    return { stage: 'pending', paymentId, method: null, checkoutUrl: null, qr: null, appUrl: null };
  }
  // Without a status check nothing settles a refused one but a person.
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
    : `a whole amount above 0 of at most ${most}, because the gateway takes no decimals in payouts`;
  throw new Refusal('invalid_request', `amount: ${detail}.`, { errors: [{ field: 'amount', detail }] });
}
