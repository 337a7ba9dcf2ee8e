// The counts of what is open.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { STAGES, stageOf } from '../../../../backend-proxy/protocol/transaction.ts';
import { D } from '../../time.ts';
import {
  BARE_READING,
  LEASE_MS,
  LIMITS,
  PAYOUT,
  PENDING,
  payment,
  verified,
  type Setup,
  type Suite,
  differing,
} from '../ledger-kit.ts';

export function countsContract({ it, runs, setUp }: Suite): void {
  const ids = ['A', 'B', 'C'];
  const COUNTED = `select type || ' ' || rank as name, count(*) as count from transactions where rank < 4 group by type, rank
    union all select 'planned', count(*) from transactions where next_check_at is not null
    union all select 'review', count(*) from transactions where needs_review = 1
    union all select 'in-review', count(*) from transactions where needs_review = 1 and rank < 4
    union all select 'unmatched', count(*) from ipns where matched = 0 and reading is not null
    union all select state, count(*) from webhooks where state <> 'delivered' group by state`;

  /** What a transaction may go through. Each is tried whatever the state; a refusal changes nothing. */
  const ACTIONS: ((setup: Setup, id: string, n: number) => Promise<unknown>)[] = [
    ({ ledger }, orderId) => ledger.openPayment(payment({ orderId }), LIMITS),
    ({ ledger }, orderId) => ledger.openPayout({ ...PAYOUT, orderId: `payout ${orderId}` }),
    ({ ledger }, id) => ledger.record(id, PENDING),
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

  it('counts() equals a count of all rows, whatever happened before', async (t) => {
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
      }),
      { numRuns: runs },
    );
  });
}
