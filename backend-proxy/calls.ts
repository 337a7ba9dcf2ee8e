// Listens in on the gateway: every call ends in one word for the operator. Changes nothing of what is asked or answered, and tells
// of nobody: which transaction it was is in that one's history, with the same reason.
import type { Gateway } from './gateway/gateway.ts';

export interface Call {
  operation: 'pay' | 'payout' | 'status';
  /** The port's own word for how it ended. */
  outcome: 'accepted' | 'rejected' | 'uncertain' | 'unreached' | 'found' | 'unknown' | 'unavailable';
  /** Where it was not answered as hoped: an HTTP status, an error's code, a code of the gateway's; never a text. */
  why?: string;
}

export function heard(gateway: Gateway, onCall: (call: Call) => void): Gateway {
  type Answer = { kind: Call['outcome']; why?: string };
  async function tell<Result extends Answer>(operation: Call['operation'], asked: Promise<Result>) {
    const answer = await asked;
    const { kind: outcome, why } = answer;
    onCall({ operation, outcome, ...(why !== undefined && { why }) });
    return answer;
  }
  const { status } = gateway;
  return {
    ...gateway,
    pay: (collection) => tell('pay', gateway.pay(collection)),
    payout: (payout) => tell('payout', gateway.payout(payout)),
    ...(status && { status: (id, type) => tell('status', status(id, type)) }),
  };
}
