// The comparison at the end of every fault test: the records of the gateway, the clients and the merchant against the
// proxy's database. It knows the promises (contract and protocol), not their implementation. Each sentence that it
// returns is a broken promise; an empty result is the proof.
import type { ClientRecords } from './clients.ts';
import type { DatabaseRows, TransactionRow } from './database-reader.ts';
import type { GatewayTransaction } from './sandbox-gateway.ts';
import type { ReceivedWebhook } from './merchant-server.ts';

/** Ranks as stored in the database. They are promised never to change. */
export const RANK = {
  sending: 1,
  uncertain: 2,
  pending: 3,
  replaced: 4,
  rejected: 6,
  not_created: 7,
  declined: 8,
  succeeded: 9,
} as const;

const PREFIXES = { PAY: 'payment', PAYOUT: 'payout', REFUND: 'refund' } as const;
const DECIMALS: Record<string, number> = { EUR: 2, USD: 2, JPY: 0, KWD: 3 };

export interface AllRecords {
  gateway: readonly GatewayTransaction[];
  clients: ClientRecords;
  merchant: Iterable<ReceivedWebhook>;
  database: DatabaseRows;
}

export type Problems = Record<'lost' | 'doubled' | 'forged' | 'differing' | 'open', string[]>;

export function compare(records: AllRecords): Problems {
  const problems: Problems = { lost: [], doubled: [], forged: [], differing: [], open: [] };
  // Once, because an iterator has no second time.
  const merchant = [...records.merchant];
  const rows = new Map(records.database.transactions.map((row) => [row.id, row]));
  const atGateway = new Map(records.gateway.map((transaction) => [transaction.orderId, transaction]));
  for (const transaction of records.gateway) compareWithGateway(transaction, rows.get(transaction.orderId), problems);
  for (const row of rows.values()) {
    if (row.rank === RANK.succeeded && atGateway.get(row.id)?.status !== 'SUCCESS') {
      problems.forged.push(`${row.id} succeeded in the database, and not at the gateway`);
    }
    if (row.rank <= RANK.pending && row.needs_review === 0)
      problems.open.push(`${row.id} never ended (rank ${row.rank})`);
  }
  compareWithClients(records.clients, records.database, problems);
  compareWithMerchant(merchant, records.database, problems);
  return problems;
}

function compareWithGateway(theirs: GatewayTransaction, ours: TransactionRow | undefined, problems: Problems): void {
  const { orderId, status, createRequests } = theirs;
  if (createRequests > 1) problems.doubled.push(`${orderId} was sent to the gateway ${createRequests} times`);
  if (ours === undefined) {
    problems.lost.push(`${orderId} is at the gateway and not in the database`);
    return;
  }
  if (ours.mismatch > 0) return;
  // The gateway knew the id before, so its report about it is for a person to judge.
  if (ours.answer === 'duplicate' && status !== 'SUCCESS') return;
  // What our shopper may not have paid is judged by a person.
  const isAnswered = ours.answer === 'identified' || ours.answer === 'accepted';
  if (!isAnswered && status === 'SUCCESS' && ours.needs_review === 1) return;
  if (status === 'SUCCESS' && ours.rank !== RANK.succeeded) {
    problems.lost.push(`${orderId} succeeded at the gateway; in the database it has rank ${ours.rank}`);
  }
  if (status === 'FAILED' && ours.rank < RANK.replaced && ours.needs_review === 0) {
    problems.lost.push(`${orderId} failed at the gateway; in the database it has rank ${ours.rank}`);
  }
  if (ours.rank === RANK.rejected || ours.rank === RANK.not_created) {
    problems.lost.push(`${orderId} is at the gateway; in the database it was never created there`);
  }
  const sameAmount = minorOf(theirs.amount, theirs.currency) === ours.amount_minor && theirs.currency === ours.currency;
  const sameId = ours.payment_id === null || ours.payment_id === String(theirs.paymentId);
  if (!sameAmount || !sameId || theirs.type !== (ours.type === 'REFUND' ? 'PAYOUT' : ours.type)) {
    problems.differing.push(`${orderId}: amount, currency, type or payment id differ from the gateway's`);
  }
}

function minorOf(amount: string, currency: string): number {
  const [whole = '', fraction = ''] = amount.split('.');
  return Number(whole + fraction.padEnd(DECIMALS[currency] ?? 2, '0'));
}

function compareWithClients(
  { orders, payouts, ipns }: ClientRecords,
  database: DatabaseRows,
  problems: Problems,
): void {
  const payments = Map.groupBy(
    database.transactions.filter(({ type }) => type === 'PAY'),
    (row) => row.order_id,
  );
  const paid = new Set(database.orders.filter(({ paid_by }) => paid_by !== null).map(({ order_id }) => order_id));
  for (const [orderId, answers] of orders) {
    const rows = payments.get(orderId) ?? [];
    if (answers.started && rows.length === 0)
      problems.lost.push(`${orderId}: a client's start succeeded, and there is no payment`);
    if (answers.paid && !paid.has(orderId)) problems.lost.push(`${orderId}: a client saw it as paid, and it is not`);
    if (rows.length > answers.keys.size)
      problems.doubled.push(`${orderId}: ${rows.length} payments of ${answers.keys.size} keys`);
    const succeeded = rows.filter(({ rank, after_close }) => rank === RANK.succeeded && after_close === 0);
    if (succeeded.length > 0 !== paid.has(orderId))
      problems.differing.push(`${orderId}: its payments and "paid" disagree`);
    if (succeeded.filter(({ surplus }) => surplus === 0).length > 1)
      problems.doubled.push(`${orderId} was paid twice, and none is marked as surplus`);
  }
  const payoutRows = new Map(database.transactions.flatMap((row) => (row.type === 'PAYOUT' ? [[row.id, row]] : [])));
  for (const [orderId, answers] of payouts) {
    const row = payoutRows.get(orderId);
    if (answers.accepted && row === undefined)
      problems.lost.push(`${orderId}: the merchant's payout was accepted, and it is not in the database`);
    if (answers.status === 'SUCCESS' && row?.rank !== RANK.succeeded) {
      problems.lost.push(`${orderId}: the merchant saw a payout as SUCCESS, and it is not`);
    }
  }
  const seen = new Map(database.ipns.map((row) => [row.id, row.seen]));
  for (const [digest, acknowledged] of ipns) {
    const kept = seen.get(digest) ?? 0;
    if (kept < acknowledged) problems.lost.push(`an IPN was answered 200 ${acknowledged} times and kept ${kept} times`);
  }
}

function compareWithMerchant(received: readonly ReceivedWebhook[], database: DatabaseRows, problems: Problems): void {
  const byTransaction = Map.groupBy(received, ({ data, type }) => `${data.gatewayOrderId ?? data.orderId} ${type}`);
  // Reviews and conflicts have numbers: each is one entry of the history.
  const numbered = Map.groupBy(database.history, ({ transaction_id: id, event }) => `${id} ${event}`);
  for (const [what, webhooks] of byTransaction) {
    const { length } = numbered.get(what.replace(/ \w+\./, ' ')) ?? [];
    if (webhooks.length > Math.max(1, length))
      problems.doubled.push(`the merchant received ${what} under ${webhooks.length} ids`);
  }
  for (const row of database.transactions) {
    const prefix = PREFIXES[row.type];
    const has = (type: string) => byTransaction.has(`${row.id} ${type}`);
    const flagged = row.surplus === 1 ? 'surplus' : row.after_close === 1 ? 'after_close' : undefined;
    const good = `${prefix}.${flagged ?? 'succeeded'}`;
    if (row.rank === RANK.succeeded && !has(good))
      problems.lost.push(`the merchant received no webhook of ${row.id} ${good}`);
    if (row.rank !== RANK.succeeded && has(good))
      problems.forged.push(`the merchant received a false ${good} of ${row.id}`);
    const isFailed = row.rank >= RANK.replaced && row.rank <= RANK.declined;
    if (isFailed && !has(`${prefix}.failed`))
      problems.lost.push(`the merchant received no webhook of ${row.id} ${prefix}.failed`);
    if (row.mismatch === 1 && !has(`${prefix}.mismatch`))
      problems.lost.push(`the merchant received no webhook of the mismatch of ${row.id}`);
    if (row.type !== 'PAY' && row.needs_review === 1 && !has(`${prefix}.needs_review`)) {
      problems.lost.push(`the merchant received no webhook of the review of ${row.id}`);
    }
  }
  const credits = Map.groupBy(
    received.filter(({ type }) => type === 'payment.succeeded'),
    ({ data }) => data.orderId,
  );
  for (const [orderId, webhooks] of credits) {
    if (webhooks.length > 1)
      problems.doubled.push(`the merchant received ${webhooks.length} webhooks that ${orderId} is paid`);
  }
}
