// Sends money back to the wallet that paid, each refund at most once and never more than its payment brought. The row
// reserves the amount; then outgoing.ts makes the one call.
import { LookUpNeeded } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { FoundRefund, LookedUp } from './ledger/ledger.ts';
import { doubt, sendOut, unsentFact, type OutgoingPorts } from './outgoing.ts';
import { askPermission } from './permission.ts';
import type { MerchantSource } from './protocol/merchant-key.ts';
import { minorOfReported } from './protocol/money.ts';
import { MAX_UNSEEN_IN_A_ROW, MAX_REFUNDS, refundId } from './protocol/refundable.ts';
import type { Transaction } from './protocol/transaction.ts';
import { verify, type Report } from './protocol/verify.ts';

export interface RefundRequest {
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
  async function lookUp({ payment, refunds, restoredAt }: LookUpNeeded): Promise<LookedUp & { found: FoundRefund[] }> {
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
    return withhold('its "unknown" could not be proven', last + 1);
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
        if (!(error instanceof LookUpNeeded)) throw error;
        const { found, ...lookedUp } = await lookUp(error);
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
  const ids = { id, paymentId: null, answeredId: null };
  const expected = { ...ids, type: 'REFUND', amountMinor, currency, customer: payer, comparesWallet: true } as const;
  return { id, attempt, amountMinor, needsReview: verify(expected, report, { complete: false }).kind !== 'verified' };
}
