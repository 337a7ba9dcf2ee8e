// Shared parts of the ledger's tests: a ledger with a controlled clock on an empty database, common records and facts,
// and a way to bring a payment to each stage. `byId` wraps a ledger: transactions by id, checks without claiming first,
// and every "unknown" proven; each call is one or two of the port, with the claim that `claimChecks` would have returned.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { createLedger, Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import { Refusal } from '../../../backend-proxy/errors.ts';
import type {
  NewPayment,
  NewPayout,
  NewRefund,
  PaymentLimits,
  Claim,
  Fact,
  Observation,
  Order,
  StoredIpn,
  TokenTerms,
} from '../../../backend-proxy/ledger/model.ts';
import { type PostOutcome, type Stage, type Transaction, TYPES } from '../../../backend-proxy/protocol/transaction.ts';
import type { IpnReading, Report } from '../../../backend-proxy/protocol/verify.ts';
import { METHODS } from '../../../backend-proxy/protocol/wire.ts';
import { H, M, NOON, S } from '../time.ts';
import { decimalOf } from '../../../backend-proxy/protocol/money.ts';
import type { MerchantSource } from '../../../backend-proxy/protocol/merchant-key.ts';

export const LIMITS: PaymentLimits = {
  perOrder: 5,
  directPerOrder: 3,
  withDuplicates: 10,
  inAll: 20,
  directPerWallet: { perCustomer: 5, inAll: 8, withinMs: H },
};
export const LEASE_MS = 45 * S;

type LedgerOptions = NonNullable<Parameters<typeof createLedger>[1]>;

/** Empty when the test begins. */
export interface TestDatabase {
  /**
   * Opens another ledger on the same database; closed when the test ends. `ownConnection`: the ledger's close() closes
   * the connection too.
   */
  open(options: LedgerOptions, ownConnection: boolean): Promise<Ledger>;
  rows<Row>(sql: string): Promise<Row[]>;
  /** Writes without the ledger, like another clock or an older copy of the database. */
  change(sql: string): Promise<void>;
}

export interface Adapter {
  name: string;
  /** Runs of the property tests. */
  runs: number;
  openDatabase(t: TestContext): Promise<TestDatabase>;
}

interface Opening {
  ownConnection?: boolean;
  idPrefix?: string;
}

export interface Setup extends Omit<TestDatabase, 'open'> {
  ledger: LedgerById;
  /** Opens another ledger on the same database, like a second process; `now` is its clock. */
  open(now?: () => number, opening?: Opening): Promise<LedgerById>;
  now(): number;
  /** Lets time pass. */
  skip(ms: number): void;
  /** Sets the clock without letting time pass. */
  step(ms: number): void;
}

/** The parameters of each part of the contract. */
export interface Suite {
  /** `node:test`'s, with the adapter before the name. */
  it(name: string, body: (t: TestContext) => Promise<void>): void;
  /** Runs of the property tests. */
  runs: number;
  /** Opens a ledger on an empty database. */
  setUp(t: TestContext, opening?: Opening): Promise<Setup>;
}

export async function createSetup(database: TestDatabase, opening: Opening): Promise<Setup> {
  let passed = 0;
  let stepped = 0;
  const now = () => NOON + passed + stepped;
  const open: Setup['open'] = async (clock = now, { ownConnection = false, ...given } = {}) =>
    byId(await database.open({ now: clock, elapsed: () => passed, ...given }, ownConnection), clock);
  return {
    ...database,
    open,
    ledger: await open(now, opening),
    now,
    skip: (ms) => void (passed += ms),
    step: (ms) => void (stepped += ms),
  };
}

const SENT_BY = 'host:8787';
const START = { by: SENT_BY, id: 'start' };
export const PAYMENT: NewPayment = {
  orderId: 'A',
  orderAmountMinor: 1010,
  amountMinor: 1010,
  currency: 'EUR',
  method: 'QR',
  customer: null,
  customerReference: null,
  metadata: null,
  payWithinMs: null,
  idempotencyKey: 'key',
  fingerprint: 'print',
  start: START,
};
export const PAYOUT: NewPayout = {
  orderId: 'P',
  amountMinor: 5000,
  currency: 'EUR',
  customer: '12345678',
  note: null,
  fingerprint: 'print',
  start: START,
};
export const REFUND: NewRefund = {
  orderId: 'A',
  transactionId: undefined,
  amount: undefined,
  note: null,
  idempotencyKey: 'key',
  fingerprint: 'print',
  start: START,
  rules: { refundMethods: new Set(METHODS), payoutDecimals: true },
};
export const MEANS = { paymentId: '111', method: null, checkoutUrl: null, qr: null, appUrl: null } as const;
export const PENDING: ShortFact & { stage: 'pending' } = { stage: 'pending', ...MEANS };
export const verified = (
  outcome: 'pending' | 'failed' | 'succeeded',
  paymentId: string | null = null,
  customer: string | null = null,
  message?: string,
): Extract<Seen, { kind: 'report' }> => ({
  kind: 'report',
  report: { outcome, paymentId, customer, ...(message && { message }) },
});
/** A report that differs from the transaction in this field. */
export const differing = (field: 'amount' | 'currency' = 'amount'): Seen => ({
  kind: 'report',
  report: { [field]: { amount: '0.07', currency: 'USD' }[field] },
});
/** Without amount and currency, a SUCCESS proves nothing. */
export const INCOMPLETE: Seen = { kind: 'report', report: { outcome: 'succeeded', amount: null, currency: null } };
/** An IPN with only the documented fields. */
export const BARE_READING: IpnReading = {
  transactionId: 'A',
  type: 'PAY',
  paymentId: null,
  customer: null,
  amount: null,
  currency: null,
  outcome: null,
};
export const UNKNOWN: Seen = { kind: 'unknown' };
export const UNAVAILABLE: Seen = { kind: 'unavailable' };

let keys = 0;
export const payment = (given: Partial<NewPayment> = {}): NewPayment => ({
  ...PAYMENT,
  idempotencyKey: `key-${(keys += 1)}`,
  ...given,
});

/** The transaction's current state. */
export async function read(ledger: LedgerById, id: string): Promise<Transaction> {
  return (await ledger.transaction(id)) ?? assert.fail(`no ${id}`);
}

export const stageOf = async (ledger: LedgerById, id: string) => (await read(ledger, id)).stage;
export const webhookTypes = async (ledger: LedgerById) =>
  (await ledger.webhooks(undefined, 100)).webhooks.map(({ type }) => type).toSorted();

/** Opens and sends a payment, and returns its id. */
export async function openSent(ledger: LedgerById, given: Partial<NewPayment> = {}): Promise<string> {
  const { opened } = await ledger.openPayment(payment(given), LIMITS);
  assert.ok(opened);
  return opened.id;
}

export async function openPending(
  ledger: LedgerById,
  given: Partial<NewPayment> = {},
  fact: ShortFact = PENDING,
): Promise<string> {
  const id = await openSent(ledger, given);
  await ledger.record(id, fact);
  return id;
}

/** Returns whether its transaction is in the database. */
export const sendIpn = (ledger: LedgerById, transactionId: string) =>
  ledger.receiveIpn({ id: transactionId, body: '{}', reading: { ...BARE_READING, transactionId } });

export const claimIds = async (ledger: LedgerById, limit = 100) =>
  (await ledger.claimChecks(limit, LEASE_MS)).map(({ id }) => id);

/** Opens and sends a payout, records `fact`, and returns the id. */
export async function openSentPayout(ledger: LedgerById, orderId: string, fact: ShortFact): Promise<string> {
  const { id } = await ledger.openPayout({ ...PAYOUT, orderId });
  await ledger.record(id, fact);
  return id;
}

/** An uncertain outcome after this answer to the POST. */
export const uncertain = (answer: PostOutcome): ShortFact => ({ stage: 'uncertain', answer, detail: answer });

export async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Refusal, String(error));
  return error;
}

/** Brings a payment that was opened to each stage. */
export const BRING_TO: Record<Stage, (setup: Setup, id: string) => Promise<unknown>> = {
  sending: async () => undefined,
  async uncertain(setup, id) {
    await setup.ledger.record(id, { stage: 'uncertain', detail: 'reset' });
  },
  async pending(setup, id) {
    await setup.ledger.record(id, { ...PENDING, paymentId: null });
  },
  async replaced(setup, id) {
    await BRING_TO.pending(setup, id);
    const { orderId } = await read(setup.ledger, id);
    await setup.ledger.openPayment(payment({ orderId }), LIMITS);
  },
  async expired(setup, id) {
    await setup.ledger.record(id, { ...PENDING, paymentId: null, method: 'CHECKOUT' });
    setup.skip(17 * M);
    await setup.ledger.observe(id, verified('pending'));
  },
  async rejected(setup, id) {
    await setup.ledger.record(id, { stage: 'rejected', detail: 'HTTP 400' });
  },
  async not_created(setup, id) {
    await BRING_TO.uncertain(setup, id);
    setup.skip(90 * S);
    await setup.ledger.observe(id, UNKNOWN);
    setup.skip(10 * M);
    await setup.ledger.observe(id, UNKNOWN);
  },
  async declined(setup, id) {
    await BRING_TO.pending(setup, id);
    await setup.ledger.observe(id, verified('failed'));
  },
  async succeeded(setup, id) {
    await BRING_TO.pending(setup, id);
    await setup.ledger.observe(id, verified('succeeded'));
  },
};

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

  const held = async (id: string) => (await ledger.transaction(id)) ?? assert.fail(`no ${id}`);

  return {
    ...ledger,
    ledger,
    async openPayment(asked, limits) {
      const given = { iat: null, terms: 'terms', ...asked, start: { by: SENT_BY, id: startId() } };
      const { isNew, payment: opened, order } = await ledger.openPayment(given, limits);
      return { opened: isNew ? opened : undefined, order };
    },
    async openPayout(payout, source) {
      return (await ledger.openPayout({ ...payout, start: { by: SENT_BY, id: startId() } }, source)).payout;
    },
    async record(id, fact) {
      const transaction = await held(id);
      const whole = fact.stage === 'pending' ? fact : ({ answer: ANSWERS[fact.stage], ...fact } as Fact);
      await ledger.record(transaction, whole);
      return (await held(id)).stage !== transaction.stage;
    },
    async observe(id, seen, given) {
      const transaction = await held(id);
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
