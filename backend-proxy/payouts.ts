// Starts payouts, each at most once: the row is written first, with the permission to send it; then outgoing.ts makes
// the one call.
import { Refusal } from './errors.ts';
import type { NewPayout, Withheld } from './ledger/ledger.ts';
import { fingerprintOf } from './fingerprint.ts';
import { doubt, sendOut, unsentFact, type OutgoingPorts } from './outgoing.ts';
import { askPermission } from './permission.ts';
import type { MerchantSource } from './protocol/merchant-key.ts';
import { MAX_AMOUNT_DIGITS, exponentOf, minorOf } from './protocol/money.ts';
import { PAYOUT_UNKNOWN_MS } from './protocol/schedule.ts';
import type { Transaction } from './protocol/transaction.ts';
import { verify, type Report } from './protocol/verify.ts';

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

export function createPayouts(ports: OutgoingPorts): Payouts {
  const { gateway, ledger, recorder, self, clocks = {}, isPathProven } = ports;

  /**
   * After a restore the gateway may already have a payout that is not in the database. Undefined if it surely has not,
   * so that it may be sent.
   */
  async function reasonToWithhold(payout: Terms): Promise<Withheld | undefined> {
    if (!(await ledger.wasRestoredLately()) || (await ledger.payout(payout.orderId)) !== undefined) return undefined;
    const ids = await ledger.payoutIds(payout.orderId);
    for (const id of ids) {
      const checked = await gateway.status?.(id, 'PAYOUT');
      if (checked === undefined) return doubt('the gateway has no status check');
      if (checked.kind === 'unavailable') return doubt('the gateway did not answer');
      if (checked.kind === 'unknown') continue;
      if (id !== ids[0]) return doubt(`the gateway has it already, as ${id}`);
      // Found and equal, it is adopted: the checks that follow settle it.
      return { ...doubt('the gateway has it already'), needsReview: !isEqual(payout, id, checked.report) };
    }
    // The gateway takes it again under another id, while a status check that lags does not know the first yet.
    if (ids.length > 1 && (await ledger.wasRestoredLately(PAYOUT_UNKNOWN_MS))) throw restoredJustNow();
    return (await isPathProven()) ? undefined : doubt('its "unknown" could not be proven');
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
        ledger.recordUnsent({ type: 'PAYOUT', orderId }, start, unsentFact(gateway)),
      );
      if (!maySend) return payout;
      await sendOut(ports, payout, permission);
      return (await ledger.payout(orderId)) ?? payout;
    },
    find: (orderId) => ledger.payout(orderId),
  };
}

function restoredJustNow(): Refusal {
  const detail =
    'The database was restored within the last hour, and ORDER_ID_PREFIX was changed before. ' +
    'The gateway may not report yet what was sent last, so nothing was sent. Try again in an hour.';
  return new Refusal('unavailable', detail, { retryAfterS: PAYOUT_UNKNOWN_MS / 1000 });
}

function isEqual(payout: Terms, id: string, report: Report): boolean {
  const expected = { ...payout, id, type: 'PAYOUT', paymentId: null, answeredId: null, comparesWallet: true } as const;
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
