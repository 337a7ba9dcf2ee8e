// Totals: what they add up, exactly and in a bounded number at once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { daysIn } from '../../../backend-proxy/reports/calendar-days.ts';
import type { Refusal } from '../../../backend-proxy/errors.ts';
import type { Counted, CountedQuery } from '../../../backend-proxy/ledger/ledger.ts';
import { DIMENSIONS, createTotals, type TotalsQuery } from '../../../backend-proxy/reports/totals.ts';

const AT = Date.parse('2026-11-20T23:30Z');
const counted = (n: number, given: Partial<Counted> = {}): Counted => ({
  at: AT + n,
  id: String(n).padStart(6, '0'),
  type: 'PAY',
  method: 'QR',
  currency: 'EUR',
  amountMinor: 1010,
  status: 'SUCCESS',
  ...given,
});

/** Pages of these, as the ledger would return them. */
function ledgerOf(all: readonly Counted[]) {
  const asked: CountedQuery[] = [];
  return {
    asked,
    async counted(query: CountedQuery): Promise<Counted[]> {
      asked.push(query);
      const isIn = ({ at, id }: Counted) =>
        (at > query.after.at || (at === query.after.at && id > query.after.id)) && at < query.before;
      return all.filter(isIn).slice(0, query.limit);
    },
  };
}

const QUERY: TotalsQuery = { basis: 'paid', from: '2026-11-20', to: '2026-11-22', days: daysIn('UTC'), by: DIMENSIONS };

it('totals add up to the minor unit, beyond what a float holds', async () => {
  const big = Array.from({ length: 1_001 }, (_, n) => counted(n, { amountMinor: 999_999_999_999_999 }));
  const [total] = await createTotals(ledgerOf(big)).read(QUERY);
  assert.deepEqual([total?.count, total?.amount], [1_001, '10009999999999989.99']);
});

it('totals are divided by day of the zone, type, currency, method and status, in this order', async () => {
  const all = [
    counted(0),
    counted(1, { method: 'DIRECT' }),
    counted(2, { currency: 'JPY', amountMinor: 7 }),
    counted(3, { type: 'PAYOUT', method: null, status: 'FAILED' }),
    counted(3_600_000),
  ];
  const read = async (query: Partial<TotalsQuery>) =>
    (await createTotals(ledgerOf(all)).read({ ...QUERY, ...query })).map((each) => Object.values(each).join(' '));
  assert.deepEqual(await read({}), [
    '2026-11-20 PAY DIRECT SUCCESS EUR 1 10.10',
    '2026-11-20 PAY QR SUCCESS EUR 1 10.10',
    '2026-11-20 PAY QR SUCCESS JPY 1 7',
    '2026-11-20 PAYOUT  FAILED EUR 1 10.10',
    '2026-11-21 PAY QR SUCCESS EUR 1 10.10',
  ]);
  assert.deepEqual(await read({ by: [] }), [' PAY   EUR 3 30.30', ' PAY   JPY 1 7', ' PAYOUT   EUR 1 10.10']);
  assert.deepEqual(await read({ by: ['day'], days: daysIn('Europe/Berlin'), currency: 'EUR' }), [
    '2026-11-21 PAY   EUR 3 30.30',
    '2026-11-21 PAYOUT   EUR 1 10.10',
  ]);
});

it('totals read pages between the first moments of the days, and let others run in between', async () => {
  const ledger = ledgerOf(Array.from({ length: 1_200 }, (_, n) => counted(n)));
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 0);
  await createTotals(ledger).read({ ...QUERY, days: daysIn('Europe/Berlin') });
  clearInterval(turn);
  assert.equal(ledger.asked.length, 3);
  assert.deepEqual(ledger.asked[0]?.after, { at: Date.parse('2026-11-19T23:00Z'), id: '' });
  assert.equal(ledger.asked[0]?.before, Date.parse('2026-11-21T23:00Z'));
  assert.ok(turns > 0);
});

it('two totals are made at once; a third is refused until one ends or its caller goes away', async () => {
  const ledger = ledgerOf([]);
  const totals = createTotals(ledger);
  const first = totals.read(QUERY);
  const second = totals.read(QUERY, AbortSignal.abort()).catch((error: Error) => error.name);
  await assert.rejects(
    totals.read(QUERY),
    ({ kind, retryAfterS }: Refusal) => kind === 'too_many_requests' && !!retryAfterS,
  );
  assert.deepEqual(await Promise.all([first, second]), [[], 'AbortError']);
  assert.deepEqual(await totals.read(QUERY), []);
});
