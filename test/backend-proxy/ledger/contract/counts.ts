// The counts that are kept beside the tables.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import fc from 'fast-check';
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
} from '../ledger-kit.ts';

export function countsContract({ it, runs, setUp }: Suite): void {
  describe('counts', () => {
    const ids = ['A', 'B', 'C'];
    const KEPT = `select name, sum(count) as count from counts group by name having sum(count) <> 0`;
    const COUNTED = `select type || ' ' || rank as name, count(*) as count from transactions group by type, rank
      union all select 'planned', count(*) from transactions where next_check_at is not null having count(*) > 0
      union all select 'review', count(*) from transactions where needs_review = 1 having count(*) > 0
      union all select 'unmatched', count(*) from ipns where matched = 0 having count(*) > 0
      union all select state, count(*) from webhooks group by state`;

    /** What a transaction may go through. Each is tried whatever the state; a refusal changes nothing. */
    const ACTIONS: ((setup: Setup, id: string, n: number) => Promise<unknown>)[] = [
      ({ ledger }, orderId) => ledger.openPayment(payment({ orderId }), LIMITS),
      ({ ledger }, orderId) => ledger.openPayout({ ...PAYOUT, orderId: `payout ${orderId}` }),
      ({ ledger }, id) => ledger.record(id, { stage: 'sending' }, 'shopper'),
      ({ ledger }, id) => ledger.record(id, PENDING, 'answer'),
      ({ ledger }, id) => ledger.record(id, { stage: 'rejected', detail: 'HTTP 400' }, 'answer'),
      ({ ledger }, id) => ledger.observe(id, verified('succeeded')),
      ({ ledger }, id) => ledger.observe(id, verified('failed')),
      ({ ledger }, id) => ledger.observe(id, { kind: 'mismatch', field: 'amount' }),
      ({ ledger }, id) => ledger.resolve(id, { status: 'FAILED', by: 'ada', note: 'asked' }),
      ({ ledger }, id, n) =>
        ledger.receiveIpn({ id: `${id} ${n % 3}`, body: '', reading: { ...BARE_READING, transactionId: id } }),
      ({ ledger }, _id, n) => ledger.receiveIpn({ id: `unreadable ${n % 3}`, body: '?', reading: undefined }),
      ({ ledger }) => ledger.claimChecks(2, LEASE_MS),
      async ({ ledger, now }, _id, n) => {
        const [webhook] = await ledger.claimWebhooks(1, LEASE_MS);
        const end = [{ state: 'delivered' }, { state: 'dead' }, { state: 'pending', nextAt: now() }] as const;
        if (webhook) await ledger.recordDelivery(webhook.id, { ...(end[n % 3] ?? end[0]), answer: '200' });
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
          const [kept, counted] = await Promise.all(
            [KEPT, COUNTED].map(async (text) => {
              const rows = await setup.rows<{ name: string; count: number | string }>(text);
              return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
            }),
          );
          assert.deepEqual(kept, counted);
          const { needReview, unmatchedIpns } = await setup.ledger.counts();
          assert.deepEqual([needReview, unmatchedIpns], [counted?.['review'] ?? 0, counted?.['unmatched'] ?? 0]);
        }),
        { numRuns: runs },
      );
    });
  });
}
