// Listens in on the gateway: every call ends in one word for the operator. Changes nothing of what is asked or answered, and tells
// of nobody: which transaction it was is in that one's history, with the same reason.
import type { Checked, Gateway, Sent } from './gateway.ts';

export interface Call {
  operation: 'pay' | 'payout' | 'status';
  /** The port's own word for how it ended. */
  outcome: Sent<unknown>['kind'] | Checked['kind'];
  /** How long it took, by a monotonic clock. */
  ms: number;
  /** Where it was not answered as hoped: an HTTP status, an error's code, a code of the gateway's; never a text. */
  detail?: string;
  /** How long the gateway asked to be left alone. */
  retryAfterMs?: number;
}

export function heard(gateway: Gateway, onCall: (call: Call) => void, clock = () => performance.now()): Gateway {
  type Answer = { kind: Call['outcome']; detail?: string; retryAfterMs?: number };
  async function tell<Result extends Answer>(operation: Call['operation'], ask: () => Promise<Result>) {
    const from = clock();
    const answer = await ask();
    const { kind: outcome, detail, retryAfterMs } = answer;
    onCall({
      operation,
      outcome,
      ms: Math.round(clock() - from),
      ...(detail !== undefined && { detail }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
    return answer;
  }
  const { status } = gateway;
  return {
    ...gateway,
    pay: (collection) => tell('pay', () => gateway.pay(collection)),
    payout: (payout) => tell('payout', () => gateway.payout(payout)),
    ...(status && { status: (transactionId, type) => tell('status', () => status(transactionId, type)) }),
  };
}
