// Sends payouts and refunds: one call for each row, which the commit of the row permits.
// Its answer is recorded; after a lost answer it stays uncertain until status checks or a person resolve it.
import { Refusal, LookUpNeeded } from '../errors.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Fact, Withheld, NewPayout, FoundRefund, LookedUp, LookedUpPayout } from '../ledger/model.ts';
import type { MerchantSource } from '../protocol/merchant-key.ts';
import { MAX_AMOUNT_DIGITS, exponentOf, minorOf, minorOfReported } from '../protocol/money.ts';
import { MAX_UNSEEN_IN_A_ROW, MAX_REFUNDS, refundId } from '../protocol/refundable.ts';
import { PAYOUT_LAG_MS } from '../protocol/schedule.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { verify, type Report } from '../protocol/verify.ts';
import type { Method } from '../protocol/wire.ts';
import { TOO_OLD, databaseAge, type Clocks, type Permission, askPermission, type Recorder } from './sending.ts';

interface OutgoingPorts {
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

type Sent = Awaited<ReturnType<Gateway['payout']>>;
const UNSENT: Sent = { kind: 'unreached', detail: TOO_OLD };

/** `refunds`: of a refund, the method of its payment. */
async function sendOut(
  { gateway, ledger, recorder }: OutgoingPorts,
  transaction: Transaction,
  permission: Permission,
  refunds?: Method,
): Promise<void> {
  const { id: transactionId, amountMinor, currency, customer, note } = transaction;
  const call = async (): Promise<Sent> =>
    permission.isTooOld(await databaseAge(ledger, transaction))
      ? UNSENT
      : gateway.payout({ transactionId, amountMinor, currency, customer: customer ?? '', note, refunds });
  await recorder.record(
    transaction,
    call().then((sent) => factOf(gateway, sent)),
  );
}

/** That nothing was sent. */
function unsentFact(gateway: Gateway): Fact {
  return factOf(gateway, UNSENT);
}

/** No answer ends it, not even a failed connection: only status checks may report that no money was sent. */
function factOf(gateway: Gateway, sent: Sent): Fact {
  if (sent.kind === 'accepted') {
    const { paymentId } = sent.answer;
    return { stage: 'pending', paymentId, method: null, checkoutUrl: null, qr: null, appUrl: null };
  }
  // Without a status check only a person can resolve a refused one.
  const needsReview = gateway.status === undefined && sent.kind !== 'lost';
  return { stage: 'uncertain', answer: sent.kind, detail: sent.detail, needsReview };
}

/** Why something is not sent after a restore. */
function doubt(why: string): Withheld {
  return { detail: `the database was restored, and ${why}`, needsReview: true };
}

// Starts payouts, each at most once: the row is written first, with the permission to send it; then `sendOut`
// makes the one call.

interface PayoutRequest {
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

type Terms = Omit<NewPayout, 'start' | 'lookedUp'>;

export function createPayouts(ports: OutgoingPorts): Payouts {
  const { gateway, ledger, recorder, self, clocks = {}, isPathProven } = ports;

  /**
   * After a restore the gateway may already have a payout that is not in the database. Undefined if it surely has not,
   * so that it may be sent.
   */
  async function reasonToWithhold(payout: Terms, ids: readonly string[]): Promise<Withheld | undefined> {
    const unknown = (why: string) => doubt(ids.length === 1 ? why : `${why}; look there for ${ids.join(' and ')}`);
    for (const id of ids) {
      const checked = await gateway.status?.(id, 'PAYOUT');
      if (checked === undefined) return unknown('the gateway has no status check');
      if (checked.kind === 'unavailable') return unknown('the gateway did not answer');
      if (checked.kind === 'unknown') continue;
      if (id !== ids[0]) return doubt(`the gateway has it already, as ${id}`);
      // Found and equal, it is adopted: the checks that follow settle it.
      return { ...doubt('the gateway has it already'), needsReview: !isEqual(payout, id, checked.report) };
    }
    return (await isPathProven()) ? undefined : unknown('it could not be proven that the gateway does not have it');
  }

  return {
    async start(request, source) {
      const { orderId, currency, customer } = request;
      const amountMinor = readAmount(request, gateway.payoutDecimals);
      const note = request.note ?? null;
      const fingerprint = fingerprintOf([amountMinor, currency, customer, note]);
      const terms: Terms = { orderId, amountMinor, currency, customer, note, fingerprint };
      const open = async (lookedUp?: LookedUpPayout) => {
        const permission = askPermission(self, clocks);
        const { start } = permission;
        const opened = await recorder.opened(ledger.openPayout({ ...terms, start, lookedUp }, source), () =>
          ledger.recordUnsent({ type: 'PAYOUT', orderId }, start, unsentFact(gateway)),
        );
        return { ...opened, permission };
      };
      const { payout, maySend, permission } = await open().catch(async (error: unknown) => {
        if (!(error instanceof LookUpNeeded)) throw error;
        const ids = await ledger.payoutIds(orderId);
        const withheld = await reasonToWithhold(terms, ids);
        // Under another id the gateway would take again what it has: nothing but the wait keeps it from that.
        return open({ restoredAt: error.restoredAt, withheld, ...(ids.length > 1 && { lagMs: PAYOUT_LAG_MS }) });
      });
      if (!maySend) return payout;
      await sendOut(ports, payout, permission);
      return (await ledger.payout(orderId)) ?? payout;
    },
    find: (orderId) => ledger.payout(orderId),
  };
}

function isEqual(payout: Terms, id: string, report: Report): boolean {
  const expected = { ...payout, id, type: 'PAYOUT', asked: null, answer: null, paymentId: null } as const;
  return verify(expected, report, { complete: false }).kind === 'verified';
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

// Sends money back to the wallet that paid, each refund at most once and never more than its payment brought. The row
// reserves the amount; then `sendOut` makes the one call.

interface RefundRequest {
  orderId: string;
  /** Of the payment; needed where more than one succeeded. */
  gatewayOrderId?: string | undefined;
  /** Major units, as written in the request body; undefined: what is left. */
  amount?: string | undefined;
  note?: string | undefined;
  /** The person who asks for it, and what was left when they decided, in minor units. */
  by?: string | undefined;
  expectedLeft?: number | undefined;
  idempotencyKey: string;
}

export interface Refunds {
  /** `source`: whose key, or the operator, asks for it. */
  start(request: RefundRequest, source?: MerchantSource | 'person'): Promise<Transaction>;
}

export function createRefunds(ports: OutgoingPorts): Refunds {
  const { gateway, ledger, recorder, self, clocks = {}, isPathProven } = ports;

  /** After a restore: asks the gateway for refunds that this database has lost, so that none is sent twice. */
  async function lookUp(
    restoredAt: number,
    { payment, refunds }: NonNullable<LookUpNeeded['refunded']>,
  ): Promise<LookedUp & { found: FoundRefund[] }> {
    const looked: LookedUp & { found: FoundRefund[] } = { transactionId: payment.id, restoredAt, found: [] };
    const withhold = (why: string, attempt: number) => ({ ...looked, withheld: { ...doubt(why), attempt } });
    let last = 0;
    for (let n = 1; n <= MAX_REFUNDS && n - last <= MAX_UNSEEN_IN_A_ROW; n += 1) {
      const id = refundId(payment.id, n);
      const row = refunds.find((refund) => refund.id === id);
      // A lost one may have had the number of one that was withheld, and another amount.
      if (row === undefined || row.answer === 'withheld') {
        const checked = await gateway.status?.(id, 'PAYOUT');
        if (checked === undefined) return withhold('the gateway has no status check', n);
        if (checked.kind === 'unavailable') return withhold('the gateway did not answer', n);
        if (checked.kind === 'found') {
          const found = readFound(payment, id, n, checked.report);
          if (found === undefined) return withhold('the gateway has a refund that cannot be compared', n);
          if (row && row.amountMinor !== found.amountMinor) return withhold(`the gateway has another ${id}`, n);
          looked.found.push(found);
        } else if (row === undefined) continue;
      }
      last = n;
    }
    // What it has found just now was on the same path.
    if (looked.found.length > 0 || (await isPathProven())) return looked;
    return withhold('it could not be proven that the gateway does not have it', last + 1);
  }

  return {
    async start(request, source) {
      const { orderId, gatewayOrderId, amount, by, expectedLeft, idempotencyKey } = request;
      const note = request.note ?? null;
      const fingerprint = fingerprintOf([amount ?? null, note, gatewayOrderId ?? null]);
      const asked = { orderId, transactionId: gatewayOrderId, amount, note, by, expectedLeft };
      const terms = { ...asked, idempotencyKey, fingerprint };
      const open = async (lookedUp?: LookedUp) => {
        const permission = askPermission(self, clocks);
        const { start } = permission;
        const opened = await recorder.opened(
          ledger.openRefund({ ...terms, start, rules: gateway, lookedUp }, source),
          () => ledger.recordUnsent({ type: 'REFUND', orderId }, start, unsentFact(gateway)),
        );
        return { ...opened, permission };
      };
      const { refund, method, maySend, permission } = await open().catch(async (error: unknown) => {
        if (!(error instanceof LookUpNeeded) || error.refunded === undefined) throw error;
        const { found, ...lookedUp } = await lookUp(error.restoredAt, error.refunded);
        // In a commit of its own: it is also true if the request is refused.
        if (found.length > 0)
          await ledger.recordFound({ orderId, transactionId: lookedUp.transactionId, found }, source);
        return open(lookedUp);
      });
      if (!maySend) return refund;
      await sendOut(ports, refund, permission, method);
      return (await ledger.transaction(refund.id)) ?? refund;
    },
  };
}

/** Undefined if what it sends back cannot be read in the payment's currency. */
function readFound({ currency, payer }: Transaction, id: string, attempt: number, report: Report) {
  const amountMinor = report.amount === null ? undefined : minorOfReported(report.amount, currency);
  if (!amountMinor || (report.currency ?? currency) !== currency) return undefined;
  const unsent = { id, type: 'REFUND', asked: null, answer: null, paymentId: null } as const;
  const expected = { ...unsent, amountMinor, currency, customer: payer };
  return { id, attempt, amountMinor, needsReview: verify(expected, report, { complete: false }).kind !== 'verified' };
}
