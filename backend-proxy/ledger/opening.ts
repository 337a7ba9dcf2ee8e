// Opens a payment or a payout: the row that is written before anything is sent, and every rule about when it may be.
// Runs inside one transaction that holds the order, so of two starts at once the second sees the first.
import { Refusal } from '../errors.ts';
import { STAGES } from '../protocol/transaction.ts';
import type { NewPayment, NewPayout, PaymentLimits } from './ledger.ts';
import { plan, raise, touch, type Posting } from './posting.ts';
import type { TransactionRow } from './schema.ts';
import type { Store } from './store.ts';

/** The id of the row it wrote, or undefined where the same key wrote one before. */
export async function openPayment(
  p: Posting,
  store: Store,
  payment: NewPayment,
  limits: PaymentLimits,
): Promise<string | undefined> {
  const { orderId, currency } = payment;
  await p.tx
    .insertInto('orders')
    .values({ order_id: orderId, amount_minor: payment.orderAmountMinor, currency, version: 0, paid_by: null })
    .onConflict((c) => c.doNothing())
    .execute();
  await store.lockOrder(p.tx, orderId);
  const order = await p.tx.selectFrom('orders').selectAll().where('order_id', '=', orderId).executeTakeFirstOrThrow();
  const earlier = await p.tx
    .selectFrom('transactions')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('type', '=', 'PAY')
    .orderBy('attempt')
    .execute();

  const same = earlier.find((row) => row.idempotency_key === payment.idempotencyKey);
  if (same !== undefined) {
    if (same.fingerprint === payment.fingerprint) return undefined;
    throw new Refusal('idempotency_key_reused', 'This Idempotency-Key came with another body before; use a new one.');
  }
  if (order.currency !== currency || order.amount_minor !== payment.orderAmountMinor) {
    throw new Refusal('order_changed', 'This order was started with another amount or currency; use a new order id.');
  }
  if (order.paid_by !== null) throw new Refusal('already_paid', 'This order is paid; nothing was sent.');
  await refuseTooMany(p, store, payment, earlier, limits);

  for (const row of earlier) if (row.rank < STAGES.replaced.rank) await replace(p, row.id);
  const id = await freeId(p, orderId, earlier.length + 1);
  await insert(p, {
    id,
    type: 'PAY',
    order_id: orderId,
    attempt: earlier.length + 1,
    asked: payment.method,
    method: payment.method,
    amount_minor: payment.amountMinor,
    currency,
    customer: payment.customer,
    note: null,
    idempotency_key: payment.idempotencyKey,
    fingerprint: payment.fingerprint,
  });
  await touch(p, orderId);
  return id;
}

/** Whether it wrote the row; false where the same payout stands already. */
export async function openPayout(p: Posting, payout: NewPayout): Promise<boolean> {
  const { id, amountMinor, currency, customer, note, fingerprint } = payout;
  const existing = await p.tx.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst();
  if (existing !== undefined) {
    if (existing.type === 'PAYOUT' && existing.fingerprint === fingerprint) return false;
    throw new Refusal(
      'order_id_taken',
      'The order id is taken by a payment, or by a payout that differs from this one; nothing was sent.',
    );
  }
  await insert(p, {
    id,
    type: 'PAYOUT',
    order_id: id,
    attempt: 1,
    asked: null,
    method: null,
    amount_minor: amountMinor,
    currency,
    customer,
    note,
    idempotency_key: null,
    fingerprint,
  });
  return true;
}

async function refuseTooMany(
  p: Posting,
  store: Store,
  payment: NewPayment,
  earlier: TransactionRow[],
  limits: PaymentLimits,
): Promise<void> {
  const { perOrder, directPerOrder, directPerWallet } = limits;
  if (earlier.length >= perOrder) {
    throw new Refusal('too_many_payments', `An order can be tried ${perOrder} times; the shop has to make a new one.`);
  }
  if (payment.method !== 'DIRECT' || payment.customer === null) return;
  if (earlier.filter(({ asked }) => asked === 'DIRECT').length >= directPerOrder) {
    throw new Refusal(
      'method_unavailable',
      `An order can ask a wallet ${directPerOrder} times; choose another method.`,
    );
  }
  // A prompt on a stranger's phone is spam.
  await store.lockWallet(p.tx, payment.customer);
  const prompts = await p.tx
    .selectFrom('transactions')
    .select('created_at')
    .where('customer', '=', payment.customer)
    .where('asked', '=', 'DIRECT')
    .where('created_at', '>', p.now - directPerWallet.withinMs)
    .orderBy('created_at')
    .execute();
  const oldest = prompts.at(-directPerWallet.most);
  if (oldest !== undefined) {
    throw new Refusal('too_many_requests', 'This wallet was asked too often; try later or choose another method.', {
      retryAfterS: Math.ceil((oldest.created_at + directPerWallet.withinMs - p.now) / 1000),
    });
  }
}

async function replace(p: Posting, id: string): Promise<void> {
  if ((await raise(p, id, 'replaced')) !== undefined) await plan(p, id);
}

/** The order's own id for its first payment, `<orderId>-2` … after; one that another order has taken is left out. */
async function freeId(p: Posting, orderId: string, attempt: number): Promise<string> {
  for (let n = attempt; ; n += 1) {
    const id = n === 1 ? orderId : `${orderId}-${n}`;
    const taken = await p.tx.selectFrom('transactions').select('id').where('id', '=', id).executeTakeFirst();
    if (taken === undefined) return id;
  }
}

type Opening = Pick<
  TransactionRow,
  | 'id'
  | 'type'
  | 'order_id'
  | 'attempt'
  | 'asked'
  | 'method'
  | 'amount_minor'
  | 'currency'
  | 'customer'
  | 'note'
  | 'idempotency_key'
  | 'fingerprint'
>;

async function insert(p: Posting, opening: Opening): Promise<void> {
  const { rank } = STAGES.created;
  // An IPN may have come for this id before its row: it was kept, and rings now.
  const { numUpdatedRows: early } = await p.tx
    .updateTable('ipns')
    .set({ matched: 1 })
    .where('order_id', '=', opening.id)
    .executeTakeFirst();
  await p.tx
    .insertInto('transactions')
    .values({
      ...opening,
      rank,
      prior_rank: rank,
      payment_id: null,
      checkout_url: null,
      qr: null,
      app_url: null,
      expires_at: null,
      late: 0,
      surplus: 0,
      mismatch: 0,
      conflict: 0,
      needs_review: 0,
      created_at: p.now,
      updated_at: p.now,
      sent_at: null,
      rung_at: early > 0n ? p.now : null,
      unknown_at: null,
      failed_at: null,
      checks: '[]',
      next_check_at: null,
      lease_until: 0,
    })
    .execute();
  await p.tx
    .insertInto('history')
    .values({ transaction_id: opening.id, event: 'created', at: p.now, source: p.source, detail: null })
    .execute();
  await plan(p, opening.id);
}
