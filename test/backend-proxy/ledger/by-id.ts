// Wraps a ledger for tests: transactions by id, checks without claiming first, and every "unknown" proven. Each call is
// one or two calls of the port, with the claim that `claimChecks` would have returned at that moment.
import assert from 'node:assert/strict';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type {
  Claim,
  Fact,
  NewPayment,
  NewPayout,
  Observation,
  Order,
  PaymentLimits,
  StoredIpn,
  TokenTerms,
} from '../../../backend-proxy/ledger/model.ts';
import { decimalOf } from '../../../backend-proxy/protocol/money.ts';
import type { MerchantSource } from '../../../backend-proxy/protocol/merchant-key.ts';
import { TYPES, type PostOutcome, type Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import type { Report } from '../../../backend-proxy/protocol/verify.ts';

export const SENT_BY = 'host:8787';
const LEASE_MS = 45_000;

/** A fact in short: how the POST ended follows from the stage unless given. */
export type ShortFact =
  | { stage: 'uncertain' | 'rejected' | 'not_created'; detail: string; answer?: PostOutcome }
  | Extract<Fact, { stage: 'pending' }>;

const ANSWERS = { uncertain: 'lost', rejected: 'refused', not_created: 'unreached' } as const;

/** An observation in short: a report agrees with the transaction in what is not given. */
export type Seen =
  { kind: 'unknown' | 'unavailable' | 'silent' } | { kind: 'report'; report: Partial<Report>; isIpn?: true };

function observationOf({ id, type, amountMinor, currency }: Claim['transaction'], seen: Seen): Observation {
  if (seen.kind !== 'report') return seen;
  const agrees = { transactionId: id, type: TYPES[type].atGateway, amount: decimalOf(amountMinor, currency), currency };
  const report: Report = { ...agrees, paymentId: null, customer: null, outcome: 'pending', ...seen.report };
  return { ...seen, report };
}

/** Ends a claimed check. */
export function endCheck(ledger: Ledger, claim: Claim | undefined, seen: Seen): Promise<number> {
  assert.ok(claim);
  return ledger.observe(claim, observationOf(claim.transaction, seen));
}

type Rewritten = 'record' | 'observe' | 'openPayment' | 'openPayout' | 'claimChecks' | 'recover' | 'receiveIpn';

export interface LedgerById extends Omit<Ledger, Rewritten> {
  /** The port itself. */
  ledger: Ledger;
  /** Each is a call of its own. */
  openPayment(
    payment: NewPayment & Partial<TokenTerms>,
    limits: PaymentLimits,
  ): Promise<{ opened: Transaction | undefined; order: Order }>;
  openPayout(payout: NewPayout, source?: MerchantSource): Promise<Transaction>;
  /** Returns whether the fact raised the stage. */
  record(id: string, fact: ShortFact): Promise<boolean>;
  /** A check that begins and ends now unless `given` differs. An "unknown" counts as proven. */
  observe(id: string, seen: Seen, given?: Partial<Claim>): Promise<void>;
  claimChecks(limit: number, leaseMs: number): Promise<Claim['transaction'][]>;
  /** Returns whether its transaction is in the database. */
  receiveIpn(ipn: StoredIpn): Promise<boolean>;
  recover(sentBy?: string): Promise<void>;
}

let calls = 0;
const nextStartId = () => `start-${(calls += 1)}`;

/** `startId`: of each call that may send, for databases that are compared. */
export function byId(ledger: Ledger, now: () => number, startId = nextStartId): LedgerById {
  const claims = new Map<string, Claim>();

  const read = async (id: string) => (await ledger.transaction(id)) ?? assert.fail(`no ${id}`);

  return {
    ...ledger,
    ledger,
    async openPayment(payment, limits) {
      const given = { iat: null, terms: 'terms', ...payment, start: { by: SENT_BY, id: startId() } };
      const { isNew, payment: opened, order } = await ledger.openPayment(given, limits);
      return { opened: isNew ? opened : undefined, order };
    },
    async openPayout(payout, source) {
      return (await ledger.openPayout({ ...payout, start: { by: SENT_BY, id: startId() } }, source)).payout;
    },
    async record(id, fact) {
      const transaction = await read(id);
      const whole = fact.stage === 'pending' ? fact : ({ answer: ANSWERS[fact.stage], ...fact } as Fact);
      await ledger.record(transaction, whole);
      return (await read(id)).stage !== transaction.stage;
    },
    async observe(id, seen, given) {
      const transaction = await read(id);
      const ipnsReceived = claims.get(id)?.ipnsReceived ?? 0;
      const claim = { transaction, beganAt: now(), leaseUntil: now() + LEASE_MS, ipnsReceived, ...given };
      claims.delete(id);
      const endedAt = await endCheck(ledger, claim, seen);
      if (seen.kind === 'unknown') await ledger.recordUnknown({ transactionId: id, beganAt: claim.beganAt, endedAt });
    },
    async claimChecks(limit, leaseMs) {
      const claimed = await ledger.claimChecks(limit, leaseMs);
      for (const claim of claimed) claims.set(claim.transaction.id, claim);
      return claimed.map(({ transaction }) => transaction);
    },
    receiveIpn: async (ipn) => (await ledger.receiveIpn(ipn)).isMatched,
    recover: (sentBy = SENT_BY) => ledger.recover(sentBy),
  };
}
