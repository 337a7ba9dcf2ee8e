// Wraps the gateway: each call is reported with its outcome and duration for log and metrics; no customer data.
import { causeOf, runAs } from './cause.ts';
import type { Checked, ExtraHeaders, Gateway, Operation, Sent } from '../gateway/gateway.ts';

export interface Call {
  operation: Operation;
  /** The kind of the answer. */
  outcome: Sent<unknown>['kind'] | Checked['kind'];
  /** Duration, by a monotonic clock. */
  ms: number;
  /** Set if the call did not succeed: an HTTP status, an error code or a code of the gateway, never free text. */
  detail?: string;
  /** The wait that a Retry-After of a status check asked for. */
  retryAfterMs?: number;
}

export function instrument(gateway: Gateway, onCall: (call: Call) => void, clock = () => performance.now()): Gateway {
  type Answer = { kind: Call['outcome']; detail?: string; retryAfterMs?: number };
  async function measure<Result extends Answer>(
    operation: Call['operation'],
    transactionId: string,
    call: (headers: ExtraHeaders) => Promise<Result>,
  ): Promise<Result> {
    const { traceparent } = causeOf();
    const startedAt = clock();
    return runAs({ transactionId }, async () => {
      const answer = await call(traceparent === undefined ? {} : { traceparent });
      const { kind: outcome, detail, retryAfterMs } = answer;
      onCall({
        operation,
        outcome,
        ms: Math.round(clock() - startedAt),
        ...(detail !== undefined && { detail }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      return answer;
    });
  }
  const { status, refundMethods, payoutDecimals, isTest } = gateway;
  // Each member by name: a new call that is not measured does not compile.
  return {
    readIpn: (text) => gateway.readIpn(text),
    refundMethods,
    payoutDecimals,
    isTest,
    causeOf: (code) => gateway.causeOf(code),
    clockOffset: () => gateway.clockOffset(),
    close: () => gateway.close(),
    pay: (collection) => measure('pay', collection.transactionId, (headers) => gateway.pay(collection, headers)),
    payout: (payout) => measure('payout', payout.transactionId, (headers) => gateway.payout(payout, headers)),
    ...(status && {
      status: (transactionId, type) =>
        measure('status', transactionId, (headers) => status(transactionId, type, headers)),
    }),
  };
}
