// Lists page by page, with every filter and while rows change; and the counts of what is open.
import assert from 'node:assert/strict';
import type { TransactionQuery } from '../../../../backend-proxy/ledger/model.ts';
import { isCursorOf } from '../../../../backend-proxy/ledger/queries/transaction-list.ts';
import {
  STAGES,
  TRANSACTION_TYPES,
  type Transaction,
  stageOf,
} from '../../../../backend-proxy/protocol/transaction.ts';
import { STATUSES } from '../../../../backend-proxy/protocol/wire.ts';
import { NOON, S, D } from '../../time.ts';
import {
  LIMITS,
  PENDING,
  openPending,
  openSentPayout,
  payment,
  uncertain,
  verified,
  type Setup,
  type Suite,
  differing,
  read,
  BARE_READING,
  LEASE_MS,
  PAYOUT,
  type LedgerById,
} from '../ledger-kit.ts';
import fc from 'fast-check';

interface TimeFilter {
  updatedSince?: number;
  createdFrom?: number;
  createdBefore?: number;
}

const CREATED: TimeFilter[] = [
  { createdFrom: NOON + S },
  { createdBefore: NOON + S },
  { createdFrom: NOON + S, createdBefore: NOON + 2 * S },
];

const idsOf = (transactions: readonly Transaction[]) => transactions.map(({ id }) => id);
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

type Page = Awaited<ReturnType<LedgerById['transactions']>>;

/** All pages; `between` runs after each. */
async function pagesOf(
  ledger: LedgerById,
  query: TransactionQuery,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Transaction[][]> {
  const seen: Transaction[][] = [];
  for (let cursor: string | undefined; ;) {
    const page: Page = await ledger.transactions({ ...query, cursor });
    assert.ok(page.transactions.length <= query.limit);
    seen.push(page.transactions);
    if (page.nextCursor === null) return seen;
    cursor = page.nextCursor;
    await between();
  }
}

const walk = async (...given: Parameters<typeof pagesOf>) => (await pagesOf(...given)).flat();

/** One transaction in each of several states, some of them changed within one millisecond. */
async function openSome({ ledger, skip }: Setup): Promise<void> {
  const outcomes = [verified('pending'), verified('succeeded'), verified('failed'), differing()];
  for (const [n, observation] of outcomes.entries()) {
    await openPending(ledger, { orderId: `pending ${n}` });
    await openPending(ledger, { orderId: `Checked-${n}` });
    await ledger.observe(`Checked-${n}`, observation);
    await openSentPayout(ledger, `_${n}`, n === 0 ? uncertain('lost') : PENDING);
    if (n % 2 === 0) skip(S);
    await ledger.observe(`_${n}`, observation);
  }
  await ledger.openPayment(payment({ orderId: 'created' }), LIMITS);
  await openPending(ledger, { orderId: 'created' });
}

export function listsContract({ it, setUp }: Suite): void {
  it('transactions() returns with every filter exactly the transactions that match, in their order', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    await openSome(setup);
    const all = (await ledger.transactions({ limit: 100 })).transactions;
    assert.deepEqual(idsOf(all), idsOf(all.toSorted((a, b) => a.updatedAt - b.updatedAt || compare(a.id, b.id))));
    assert.equal((await ledger.transactions({ limit: all.length })).nextCursor, null);
    const states = new Set(all.map(({ type, stage, needsReview }) => `${type} ${stage} ${needsReview}`));
    assert.ok(states.size >= 8, [...states].join());
    const byCreation = all.toSorted((a, b) => a.createdAt - b.createdAt || compare(a.id, b.id));
    const orders = { updatedAt: all, createdAt: byCreation, '-createdAt': byCreation.toReversed() } as const;
    const times = {
      updatedAt: [{ updatedSince: NOON + 1 }, { updatedSince: NOON + S }],
      createdAt: CREATED,
      '-createdAt': CREATED.slice(2),
    };
    for (const type of [undefined, ...TRANSACTION_TYPES]) {
      for (const status of [undefined, ...STATUSES]) {
        for (const needsReview of [undefined, true, false]) {
          for (const sort of ['updatedAt', 'createdAt', '-createdAt'] as const) {
            for (const time of [{}, ...times[sort]] as TimeFilter[]) {
              for (const orderId of needsReview === undefined ? [undefined, 'created', '_2'] : [undefined]) {
                const matching = orders[sort].filter(
                  (each) =>
                    (type === undefined || each.type === type) &&
                    (status === undefined || STAGES[each.stage].status === status) &&
                    (needsReview === undefined || each.needsReview === needsReview) &&
                    (orderId === undefined || each.orderId === orderId) &&
                    each.updatedAt >= (time.updatedSince ?? 0) &&
                    each.createdAt >= (time.createdFrom ?? 0) &&
                    each.createdAt < (time.createdBefore ?? Infinity),
                );
                const query = { sort, type, status, needsReview, orderId, ...time };
                const walked = await walk(ledger, { ...query, limit: orderId === undefined ? 5 : 1 });
                assert.deepEqual(idsOf(walked), idsOf(matching), JSON.stringify(query));
              }
            }
          }
        }
      }
    }
    assert.deepEqual(await walk(ledger, { limit: 3 }), all);
  });

  it('a list by a finished status has only those, skips none, and ends only at the end', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (let n = 0; n < 157; n += 1) {
      const id = await openPending(ledger, { orderId: `A${n}` });
      await ledger.observe(id, verified(n < 150 ? 'succeeded' : 'failed'));
      skip(n % 2);
    }
    for (const [sort, sizes] of [
      ['updatedAt', [5, 2]],
      ['createdAt', [5, 2]],
      ['-createdAt', [5, 2]],
    ] as const) {
      const all = await walk(ledger, { sort, limit: 157 });
      for (const status of ['FAILED', 'SUCCESS'] as const) {
        const pages = await pagesOf(ledger, { sort, status, limit: 5 });
        const matching = all.filter(({ stage }) => STAGES[stage].status === status);
        assert.deepEqual(idsOf(pages.flat()), idsOf(matching), `${sort} ${status}`);
        if (status === 'SUCCESS') continue;
        assert.deepEqual(
          pages.map(({ length }) => length),
          sizes,
        );
      }
    }
  });

  it('paging by creation returns each transaction once, whatever changes meanwhile', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    const names = ['a', 'B', 'b', '_', 'Z', '10'];
    for (const orderId of names) await openPending(ledger, { orderId });
    for (const sort of ['createdAt', '-createdAt'] as const) {
      const changing = [...names];
      const seen = await walk(ledger, { sort, limit: 2 }, async () => {
        skip(S);
        for (const id of changing.splice(0, 3)) {
          await ledger.observe(id, verified('succeeded'));
          await openPending(ledger, { orderId: `${id} ${sort}` });
        }
      });
      const times = Map.groupBy(seen, ({ id }) => id);
      assert.deepEqual(
        names.map((id) => times.get(id)?.length),
        names.map(() => 1),
      );
    }
  });

  it('a cursor of a list in another order is passed over', async (t) => {
    const { ledger } = await setUp(t);
    for (const orderId of ['A', 'B']) await openPending(ledger, { orderId });
    for (const sort of ['updatedAt', 'createdAt', '-createdAt'] as const) {
      const { nextCursor } = await ledger.transactions({ sort, limit: 1 });
      for (const other of ['updatedAt', 'createdAt', '-createdAt'] as const) {
        const { transactions } = await ledger.transactions({ sort: other, limit: 9, cursor: nextCursor ?? '' });
        assert.equal(transactions.length, other === sort ? 1 : 2, `${sort} ${other}`);
        assert.equal(isCursorOf(nextCursor ?? '', other), other === sort);
      }
    }
  });

  it('paging returns each unchanged transaction once, and one that changes meanwhile again at its new time', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    const names = ['a', 'B', 'b', '_', '-', '~', 'Z', '10', '9', 'ä'];
    for (const orderId of names) await openPending(ledger, { orderId });
    for (const filter of [{}, { status: 'PROCESSING' }, { type: 'PAY' }, { needsReview: false }] as const) {
      const changing = ['B', '9'];
      const seen = await walk(ledger, { ...filter, limit: 2 }, async () => {
        skip(1);
        const id = changing.pop();
        const isIdentified = id !== undefined && (await read(ledger, id)).answer === 'identified';
        if (id !== undefined) await ledger.record(id, { ...PENDING, paymentId: isIdentified ? null : '111' });
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
}

export function countsContract({ it, runs, setUp }: Suite): void {
  const ids = ['A', 'B', 'C'];
  const COUNTED = `select type || ' ' || rank as name, count(*) as count from transactions where rank < 4 group by type, rank
    union all select 'planned', count(*) from transactions where next_check_at is not null
    union all select 'review', count(*) from transactions where needs_review = 1
    union all select 'in-review', count(*) from transactions where needs_review = 1 and rank < 4
    union all select 'unmatched', count(*) from ipns where matched = 0 and reading is not null
    union all select state, count(*) from webhooks where state <> 'delivered' group by state`;
  const SINCE = NOON + D;
  const summed = (rows: string) =>
    `select type, currency, rank, needs_review, success_seen, resolved, closed, lost, failed, count(*) as count, sum(amount_minor) as sum from (
      select *, (select count(closed_at) from orders where order_id = t.order_id) as closed,
        case when method <> 'DIRECT' and answer not in ('identified', 'accepted', 'refused') then 1 else 0 end as lost,
        case when failed_at is null then 0 else 1 end as failed from transactions t
    ) rows where ${rows} group by type, currency, rank, needs_review, success_seen, resolved, closed, lost, failed`;
  type Summed = Record<
    | 'type'
    | 'currency'
    | 'rank'
    | 'needs_review'
    | 'success_seen'
    | 'resolved'
    | 'closed'
    | 'lost'
    | 'failed'
    | 'count'
    | 'sum',
    string | number
  >;
  /** Of each kind, how many and how much. */
  const totals = (kinds: readonly (readonly [kind: readonly unknown[], count: number, sum: number])[]) =>
    Object.fromEntries(
      [...Map.groupBy(kinds, ([kind]) => kind.join(' '))].map(([kind, same]) => [
        kind,
        [same.reduce((all, [, count]) => all + count, 0), same.reduce((all, [, , sum]) => all + sum, 0)],
      ]),
    );

  /** What a transaction may go through. Each is tried whatever the state; a refusal changes nothing. */
  const ACTIONS: ((setup: Setup, id: string, n: number) => Promise<unknown>)[] = [
    ({ ledger }, orderId) => ledger.openPayment(payment({ orderId }), LIMITS),
    ({ ledger }, orderId) => ledger.openPayout({ ...PAYOUT, orderId: `payout ${orderId}` }),
    ({ ledger }, id) => ledger.record(id, PENDING),
    async ({ ledger }, _id, n) => {
      const orderId = `closed ${n}`;
      await ledger.openPayment(payment({ orderId }), LIMITS);
      await ledger.closeOrder({ orderId, reason: null, ifUnpaidSince: null });
    },
    ({ ledger }, id) => ledger.record(id, { stage: 'rejected', detail: 'HTTP 400' }),
    ({ ledger }, id) => ledger.observe(id, verified('succeeded')),
    ({ ledger }, id) => ledger.observe(id, verified('failed')),
    ({ ledger }, id) => ledger.observe(id, differing()),
    ({ ledger }, id) => ledger.resolve(id, { status: 'FAILED', by: 'ada', note: 'asked' }),
    ({ ledger }, id, n) =>
      ledger.receiveIpn({ id: `${id} ${n % 3}`, body: '', reading: { ...BARE_READING, transactionId: id } }),
    ({ ledger }, _id, n) => ledger.receiveIpn({ id: `unreadable ${n % 3}`, body: '?', reading: undefined }),
    ({ ledger }) => ledger.claimChecks(2, LEASE_MS),
    async ({ ledger }, _id, n) => {
      const [webhook] = await ledger.claimWebhooks(1, LEASE_MS);
      const end = [{ state: 'delivered' }, { state: 'dead' }, { state: 'pending', afterMs: 0 }] as const;
      if (webhook) await ledger.recordDelivery(webhook, { ...(end[n % 3] ?? end[0]), answer: '200' });
      if (webhook && n % 2 === 0) await ledger.redeliver(webhook.id);
    },
    ({ ledger }) => ledger.recover(),
    ({ skip, ledger }) => (skip(8 * D), ledger.prune()),
  ];

  it('counts() and sums() equal those of all rows, whatever happened before', async (t) => {
    const action = fc.tuple(fc.nat(ACTIONS.length - 1), fc.constantFrom(...ids), fc.nat(9));
    const setup = await setUp(t);
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
        for (const [which, id, n] of actions) {
          await ACTIONS[which]?.(setup, id, n).catch((error: unknown) => {
            // No such transaction, or the ledger refuses.
            assert.ok(error instanceof assert.AssertionError || (error as Error).name === 'Refusal', String(error));
          });
        }
        const counted = new Map<string, number>();
        for (const { name, count } of await setup.rows<{ name: string; count: number | string }>(COUNTED)) {
          const [type, rank] = name.split(' ');
          const key = rank === undefined ? name : `${type} ${STAGES[stageOf(Number(rank))].status}`;
          if (Number(count) > 0) counted.set(key, (counted.get(key) ?? 0) + Number(count));
        }
        const { transactions, needReview, unmatchedIpns, checks, webhooks } = await setup.ledger.counts();
        const counts: [string, number][] = [
          ...transactions.map(({ type, status, count }): [string, number] => [`${type} ${status}`, count]),
          ...[...checks, ...webhooks].map(({ state, count }): [string, number] => [state, count]),
          ['review', needReview],
          ['in-review', transactions.reduce((sum, { inReview }) => sum + inReview, 0)],
          ['unmatched', unmatchedIpns],
        ];
        const found = counts.filter(([name, count]) => count > 0 && name !== 'due');
        assert.deepEqual(Object.fromEntries(found), Object.fromEntries(counted));
        const { created, open, isWhole } = await setup.ledger.sums(SINCE);
        assert.equal(isWhole, true);
        for (const [sums, rows] of [
          [created, await setup.rows<Summed>(summed(`created_at >= ${SINCE}`))],
          [open, await setup.rows<Summed>(summed('rank < 4'))],
        ] as const) {
          assert.deepEqual(
            totals(
              sums.map(
                ({ type, currency, status, isAwaited, isBeingChecked, isClosed, isDenied, count, amountMinor }) => [
                  [type, currency, status, isAwaited, isBeingChecked, isClosed, isDenied],
                  count,
                  amountMinor,
                ],
              ),
            ),
            totals(
              rows.map(({ type, currency, rank, needs_review: review, resolved, closed, count, sum, ...row }) => {
                const stage = stageOf(Number(rank));
                const isChecked = Number(review) === 1 && Number(row.success_seen) === 1;
                const isAwaited =
                  type === 'PAY'
                    ? Number(rank) < 4 && !isChecked && Number(row.lost) === 0
                    : stage === 'pending' && Number(review) === 0 && Number(row.failed) === 0;
                const isDenied = stage === 'succeeded' && resolved === 'declined' && Number(review) === 0;
                const isDoubted = stage === 'uncertain' || (stage === 'pending' && Number(row.failed) === 1);
                const isBeingChecked = type !== 'PAY' && Number(review) === 0 && isDoubted;
                const { status } = STAGES[stage];
                const kind = [type, currency, status, isAwaited, isBeingChecked, Number(closed) === 1, isDenied];
                return [kind, Number(count), Number(sum)];
              }),
            ),
          );
        }
      }),
      { numRuns: runs },
    );
  });
}
