// Lists page by page, with every filter and while rows change.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { TransactionQuery } from '../../../backend-proxy/ledger/ledger.ts';
import { STAGES, TRANSACTION_TYPES, type Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import { STATUSES } from '../../../backend-proxy/protocol/wire.ts';
import { NOON, S } from '../time.ts';
import type { LedgerById } from './by-id.ts';
import {
  LIMITS,
  PENDING,
  UNAVAILABLE,
  openPending,
  openSentPayout,
  payment,
  uncertain,
  verified,
  type Setup,
  type Suite,
} from './ledger-kit.ts';

type Page = Awaited<ReturnType<LedgerById['transactions']>>;

/** All pages; `between` runs after each. */
async function walk(
  ledger: LedgerById,
  query: TransactionQuery,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Transaction[]> {
  const seen: Transaction[] = [];
  for (let cursor: string | undefined; ;) {
    const page: Page = await ledger.transactions({ ...query, cursor });
    assert.ok(page.transactions.length <= query.limit);
    seen.push(...page.transactions);
    if (page.nextCursor === null) return seen;
    cursor = page.nextCursor;
    await between();
  }
}

/** One transaction in each of several states, some of them changed within one millisecond. */
async function openSome({ ledger, skip }: Setup): Promise<void> {
  const outcomes = [
    verified('pending'),
    verified('succeeded'),
    verified('failed'),
    { kind: 'mismatch', field: 'type' },
  ];
  for (const [n, observation] of outcomes.entries()) {
    await openPending(ledger, { orderId: `pending ${n}` });
    await openPending(ledger, { orderId: `Checked-${n}` });
    await ledger.observe(`Checked-${n}`, observation as typeof UNAVAILABLE);
    await openSentPayout(ledger, `_${n}`, n === 0 ? uncertain('lost') : PENDING);
    if (n % 2 === 0) skip(S);
    await ledger.observe(`_${n}`, observation as typeof UNAVAILABLE);
  }
  await ledger.openPayment(payment({ orderId: 'created' }), LIMITS);
  await openPending(ledger, { orderId: 'created' });
}

export function listsContract({ it, setUp }: Suite): void {
  describe('lists', () => {
    it('transactions() returns with every filter exactly the transactions that match, in their order', async (t) => {
      const setup = await setUp(t);
      const { ledger } = setup;
      await openSome(setup);
      const all = (await ledger.transactions({ limit: 100 })).transactions;
      const states = new Set(all.map(({ type, stage, needsReview }) => `${type} ${stage} ${needsReview}`));
      assert.ok(states.size >= 8, [...states].join());
      for (const type of [undefined, ...TRANSACTION_TYPES]) {
        for (const status of [undefined, ...STATUSES]) {
          for (const needsReview of [undefined, true, false]) {
            for (const updatedSince of [undefined, NOON + S]) {
              const matching = all.filter(
                (each) =>
                  (type === undefined || each.type === type) &&
                  (status === undefined || STAGES[each.stage].status === status) &&
                  (needsReview === undefined || each.needsReview === needsReview) &&
                  (updatedSince === undefined || each.updatedAt >= updatedSince),
              );
              const query = { type, status, needsReview, updatedSince };
              for (const limit of [2, 100]) {
                assert.deepEqual(
                  await walk(ledger, { ...query, limit }),
                  matching,
                  JSON.stringify({ ...query, limit }),
                );
              }
            }
          }
        }
      }
    });

    it('a walk sees each unchanged transaction once, and each that changes meanwhile at its new time', async (t) => {
      const setup = await setUp(t);
      const { ledger, skip } = setup;
      const names = ['a', 'B', 'b', '_', '-', '~', 'Z', '10', '9', 'ä'];
      for (const orderId of names) await openPending(ledger, { orderId });
      for (const filter of [{}, { status: 'PROCESSING' }, { type: 'PAY' }, { needsReview: false }] as const) {
        const changing = ['B', '9'];
        const seen = await walk(ledger, { ...filter, limit: 2 }, async () => {
          skip(1);
          const id = changing.pop();
          if (id !== undefined) await ledger.observe(id, verified('pending', `${id} ${JSON.stringify(filter)}`));
          if (id !== undefined) await ledger.record(id, { ...PENDING, paymentId: JSON.stringify(filter) }, 'answer');
        });
        const times = Map.groupBy(seen, ({ id }) => id);
        assert.deepEqual([...times.keys()].toSorted(), names.toSorted());
        for (const [id, each] of times) {
          assert.equal(new Set(each.map(({ updatedAt }) => updatedAt)).size, each.length, id);
          if (!['B', '9'].includes(id)) assert.equal(each.length, 1, id);
        }
      }
    });

    it('a cursor and a time together begin at the later of the two', async (t) => {
      const { ledger, skip } = await setUp(t);
      for (const orderId of ['A', 'B', 'C', 'D']) {
        await openPending(ledger, { orderId });
        skip(S);
      }
      const list = async (updatedSince: number, cursor: string) =>
        (await ledger.transactions({ limit: 9, updatedSince, cursor })).transactions.map(({ id }) => id);
      assert.deepEqual(await list(NOON + S, `${NOON + 2 * S}~C`), ['D']);
      assert.deepEqual(await list(NOON + 2 * S, `${NOON}~A`), ['C', 'D']);
      assert.deepEqual(await list(NOON + 2 * S, `${NOON + 2 * S}~C`), ['D']);
      assert.deepEqual(await list(NOON + 2 * S, 'no cursor of ours'), ['C', 'D']);
    });
  });
}
