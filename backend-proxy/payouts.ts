// Sends payouts, each at most once: the row is written first, with the permission to send it; then one call is made.
// Its answer is recorded; after a lost answer the payout stays uncertain until status checks or a person resolve it.
import { Refusal } from './errors.ts';
import type { Recorder } from './workers/recorder.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Fact, Ledger, NewPayout, Withheld } from './ledger/ledger.ts';
import { fingerprintOf } from './fingerprint.ts';
import { TOO_OLD, askPermission, databaseAge, type Clocks, type Permission } from './permission.ts';
import type { MerchantSource } from './protocol/merchant-key.ts';
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
  /** `source`: whose key asks for it. */
  start(request: PayoutRequest, source?: MerchantSource): Promise<Transaction>;
  find(orderId: string): Promise<Transaction | undefined>;
}

type Terms = Omit<NewPayout, 'start' | 'withheld'>;

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  recorder: Recorder;
  /** Host and port of this process; identifies its unfinished calls after a restart. */
  self: string;
  clocks?: Clocks;
  /**
   * Whether the gateway has just reported another payout: only then does "unknown" prove that it has no such payout.
   */
  isPathProven(): Promise<boolean>;
}

export function createPayouts({ gateway, ledger, recorder, self, clocks = {}, isPathProven }: Ports): Payouts {
  const factOf = (sent: Sent): Fact => factOfCall(sent, gateway.status === undefined);

  async function send(payout: Transaction, permission: Permission): Promise<void> {
    const { id: transactionId, amountMinor, currency, customer, note } = payout;
    const call = async (): Promise<Sent> =>
      permission.isTooOld(await databaseAge(ledger, payout))
        ? UNSENT
        : gateway.payout({ transactionId, amountMinor, currency, customer: customer ?? '', note });
    await recorder.record(payout, call().then(factOf));
  }

  /**
   * After a restore the gateway may already have a payout that is not in the database. Undefined if it surely has not,
   * so that it may be sent.
   */
  async function reasonToWithhold(payout: Terms): Promise<Withheld | undefined> {
    if (!(await ledger.wasRestoredLately()) || (await ledger.payout(payout.orderId)) !== undefined) return undefined;
    const id = ledger.payoutId(payout.orderId);
    const checked = await gateway.status?.(id, 'PAYOUT');
    const review = (why: string) => ({ detail: `the database was restored, and ${why}`, needsReview: true });
    if (checked === undefined) return review('the gateway has no status check');
    if (checked.kind === 'found') {
      const expected = {
        ...payout,
        id,
        type: 'PAYOUT',
        paymentId: null,
        answeredId: null,
        comparesWallet: true,
      } as const;
      const { kind } = verify(expected, checked.report, { complete: false });
      // Found and equal, it is adopted: the checks that follow settle it.
      return { ...review('the gateway has it already'), needsReview: kind !== 'verified' };
    }
    if (checked.kind === 'unavailable') return review('the gateway did not answer');
    return (await isPathProven()) ? undefined : review('its "unknown" could not be proven');
  }

  return {
    async start(request, source) {
      const { orderId, currency, customer } = request;
      const amountMinor = readAmount(request, gateway.payoutDecimals);
      const note = request.note ?? null;
      const fingerprint = fingerprintOf([amountMinor, currency, customer, note]);
      const terms: Terms = { orderId, amountMinor, currency, customer, note, fingerprint };
      const withheld = await reasonToWithhold(terms);
      const permission = askPermission(self, clocks);
      const { start } = permission;
      const { payout, maySend } = await recorder.opened(ledger.openPayout({ ...terms, start, withheld }, source), () =>
        ledger.recordUnsent({ type: 'PAYOUT', orderId }, start, factOf(UNSENT)),
      );
      if (!maySend) return payout;
      await send(payout, permission);
      return (await ledger.payout(orderId)) ?? payout;
    },
    find: (orderId) => ledger.payout(orderId),
  };
}

type Sent = Awaited<ReturnType<Gateway['payout']>>;
const UNSENT: Sent = { kind: 'unreached', detail: TOO_OLD };

/** No answer ends a payout, not even a failed connection: only status checks may report that no money was sent. */
function factOfCall(sent: Sent, isWeaker: boolean): Fact {
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
