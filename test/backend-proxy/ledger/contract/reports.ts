// What each report of the gateway does, for each answer to our POST and each way of paying: every combination of
// protocol/verify.ts, through the ledger.
import assert from 'node:assert/strict';
import type { ShortFact } from '../by-id.ts';
import {
  INCOMPLETE,
  PENDING,
  PAYOUT,
  type Suite,
  UNKNOWN,
  differing,
  openSent,
  read,
  uncertain,
  verified,
} from '../ledger-kit.ts';

const WALLET = '12345678';

const ANSWERS: Record<string, ShortFact | null> = {
  identified: PENDING,
  accepted: { ...PENDING, paymentId: null },
  refused: { stage: 'rejected', detail: 'HTTP 400 X' },
  foreign: uncertain('foreign'),
  lost: uncertain('lost'),
  unreached: { stage: 'not_created', detail: 'ECONNREFUSED' },
  duplicate: uncertain('duplicate'),
  // Our POST is still under way.
  none: null,
};

const REPORTS = {
  pending: verified('pending'),
  failed: verified('failed'),
  success: verified('succeeded'),
  'other wallet': verified('succeeded', null, '99999999'),
  differs: differing(),
  'success differs': { kind: 'report', report: { outcome: 'succeeded', amount: '0.07' } },
  incomplete: INCOMPLETE,
  unknown: UNKNOWN,
} as const;

const METHODS = { payout: [null], prompt: ['DIRECT'], shown: ['CHECKOUT', 'JETGO', 'QR'] } as const;

/** Stage, then `m`ismatch, `c`onflict, needs `r`eview, is `k`ept from a new start (checking). */
// prettier-ignore
const EXPECTED = `
answer     | way    | pending     | failed      | success         | other wallet    | differs       | success differs | incomplete  | unknown
identified | payout | pending     | pending     | succeeded       | pending m r k   | pending m r   | pending m r k   | pending     | pending
identified | prompt | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
identified | shown  | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
accepted   | payout | pending     | pending     | succeeded       | pending m r k   | pending m r   | pending m r k   | pending     | pending
accepted   | prompt | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
accepted   | shown  | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
refused    | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
refused    | prompt | rejected    | declined    | rejected c r k  | rejected c r k  | rejected m r  | rejected m r k  | rejected    | rejected
refused    | shown  | rejected    | declined    | rejected c r k  | rejected c r k  | rejected m r  | rejected m r k  | rejected    | rejected
foreign    | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
foreign    | prompt | pending     | declined    | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
foreign    | shown  | pending     | declined    | uncertain r k   | uncertain r k   | uncertain m r | uncertain m r k | uncertain   | uncertain
lost       | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
lost       | prompt | pending     | declined    | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
lost       | shown  | pending     | declined    | uncertain r k   | uncertain r k   | uncertain m r | uncertain m r k | uncertain   | uncertain
unreached  | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
unreached  | prompt | not_created | not_created | not_created r k | not_created r k | not_created   | not_created     | not_created | not_created
unreached  | shown  | not_created | not_created | not_created r k | not_created r k | not_created   | not_created     | not_created | not_created
duplicate  | payout | uncertain   | uncertain   | uncertain r k   | uncertain r k   | uncertain     | uncertain r k   | uncertain   | uncertain
duplicate  | prompt | uncertain   | uncertain   | uncertain r k   | uncertain r k   | rejected      | rejected        | uncertain   | uncertain
duplicate  | shown  | uncertain   | uncertain   | uncertain r k   | uncertain r k   | rejected      | rejected        | uncertain   | uncertain
none       | payout | sending     | sending     | sending         | sending         | sending       | sending         | sending     | sending
none       | prompt | sending     | sending     | sending         | sending         | sending       | sending         | sending     | sending
none       | shown  | sending     | sending     | sending         | sending         | sending       | sending         | sending     | sending
`;

export function reportsContract({ it, setUp }: Suite): void {
  it('each report does what the table says, for each answer and each method', async (t) => {
    const { ledger } = await setUp(t);
    const seen = [['answer', 'way', ...Object.keys(REPORTS)]];
    let n = 0;
    for (const [answer, fact] of Object.entries(ANSWERS)) {
      for (const [way, methods] of Object.entries(METHODS)) {
        const rows: string[][] = [];
        for (const method of methods) {
          const cells: string[] = [];
          for (const report of Object.values(REPORTS)) {
            const orderId = `O-${(n += 1)}`;
            // Each has a wallet of its own, because prompts are limited.
            const customer = `${WALLET}${n}`;
            if (method === null) await ledger.openPayout({ ...PAYOUT, orderId, customer });
            else await openSent(ledger, { orderId, method, customer: way === 'prompt' ? customer : null });
            const refusal = { ...uncertain('refused'), ...(answer === 'unreached' && uncertain('unreached')) };
            const isRefusal = answer === 'refused' || answer === 'unreached';
            if (fact !== null) await ledger.record(orderId, method === null && isRefusal ? refusal : fact);
            await ledger.observe(orderId, report);
            const { stage, mismatch, conflict, needsReview, checking } = await read(ledger, orderId);
            const flags = [mismatch && 'm', conflict && 'c', needsReview && 'r', checking && 'k'].filter(Boolean);
            cells.push([stage, ...flags].join(' '));
          }
          rows.push(cells);
        }
        for (const cells of rows) assert.deepEqual(cells, rows[0], `${answer} ${way}: the same for each method`);
        seen.push([answer, way, ...(rows[0] ?? [])]);
      }
    }
    const expected = EXPECTED.trim().split('\n');
    assert.deepEqual(
      seen,
      expected.map((line) => line.split('|').map((cell) => cell.trim())),
    );
  });
}
