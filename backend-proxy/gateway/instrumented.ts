// Wraps the gateway and reports each call's operation, outcome and duration for logs and metrics; no customer data.
import type { Checked, Gateway, Sent } from './gateway.ts';

export interface Call {
  operation: 'pay' | 'payout' | 'status';
  /** The kind of the answer. */
  outcome: Sent<unknown>['kind'] | Checked['kind'];
  /** Duration, by a monotonic clock. */
  ms: number;
  /** Set if the call did not succeed: an HTTP status, an error code or a code of the gateway, never free text. */
  detail?: string;
  /** The wait that a Retry-After asked for. */
  retryAfterMs?: number;
}

export function instrument(gateway: Gateway, onCall: (call: Call) => void, clock = () => performance.now()): Gateway {
  type Answer = { kind: Call['outcome']; detail?: string; retryAfterMs?: number };
  async function measure<Result extends Answer>(operation: Call['operation'], call: () => Promise<Result>) {
    const startedAt = clock();
    const answer = await call();
    const { kind: outcome, detail, retryAfterMs } = answer;
    onCall({
      operation,
      outcome,
      ms: Math.round(clock() - startedAt),
      ...(detail !== undefined && { detail }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
    return answer;
  }
  const { status } = gateway;
  return {
    ...gateway,
    pay: (collection) => measure('pay', () => gateway.pay(collection)),
    payout: (payout) => measure('payout', () => gateway.payout(payout)),
    ...(status && { status: (transactionId, type) => measure('status', () => status(transactionId, type)) }),
  };
}
