// Sends money out, for payouts and refunds: one call for each row, which the commit of the row permits. Its answer is
// recorded; after a lost answer it stays uncertain until status checks or a person resolve it.
import type { Gateway } from './gateway/gateway.ts';
import type { Fact, Ledger, Withheld } from './ledger/ledger.ts';
import { TOO_OLD, databaseAge, type Clocks, type Permission } from './permission.ts';
import type { Transaction } from './protocol/transaction.ts';
import type { Method } from './protocol/wire.ts';
import type { Recorder } from './workers/recorder.ts';

export interface OutgoingPorts {
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
export async function sendOut(
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
export function unsentFact(gateway: Gateway): Fact {
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
export function doubt(why: string): Withheld {
  return { detail: `the database was restored, and ${why}`, needsReview: true };
}
