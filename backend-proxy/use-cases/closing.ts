// Closes an order for the merchant: no payment of it starts any more, and what is paid after all pays nothing. The
// gateway cannot cancel, so codes that are out may still be paid, and checks go on.
import type { Ledger } from '../ledger/ledger.ts';
import type { ClosedOrder } from '../ledger/model.ts';
import { canBePaid } from '../protocol/transaction.ts';

interface ClosingRequest {
  reason?: string | undefined;
  /** Asks the gateway first, and closes nothing while a payment is under way. */
  ifUnpaid?: boolean | undefined;
}

export interface Closings {
  close(orderId: string, request: ClosingRequest): Promise<ClosedOrder>;
}

interface Ports {
  ledger: Pick<Ledger, 'time' | 'order' | 'closeOrder'>;
  /** Checks a transaction at once, if it can. */
  check(transactionId: string): Promise<void>;
}

export function createClosings({ ledger, check }: Ports): Closings {
  /** Returns since when each payment that may still be paid was to be checked; the ledger looks whether it was. */
  async function askGateway(orderId: string): Promise<number> {
    const since = await ledger.time();
    const order = await ledger.order(orderId);
    const isSettled = order === undefined || order.paidBy !== null || order.closed !== null;
    const payable = isSettled ? [] : order.payments.filter(({ stage }) => canBePaid(stage));
    await Promise.all(payable.map(({ id }) => check(id)));
    return since;
  }

  return {
    async close(orderId, { reason, ifUnpaid = false }) {
      return ledger.closeOrder({
        orderId,
        reason: reason ?? null,
        ifUnpaidSince: ifUnpaid ? await askGateway(orderId) : null,
      });
    },
  };
}
