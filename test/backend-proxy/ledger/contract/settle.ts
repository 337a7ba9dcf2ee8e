// resolve() with SETTLED: money that pays no order is not owed any more, and cannot be refunded.
import assert from 'node:assert/strict';
import { D } from '../../time.ts';
import { openPending, read, refusal, verified, type Suite } from '../ledger-kit.ts';
import { PAYER, fail, left, refund } from './refunds.ts';

export function settleContract({ it, setUp }: Suite): void {
  it('SETTLED ends what is owed of money that pays no order, and a refund that fails later is to refund again', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    const ids = [await openPending(ledger), await openPending(ledger)];
    for (const id of ids) await ledger.observe(id, verified('succeeded', null, PAYER));
    assert.equal((await read(ledger, 'A-2')).surplus, true);
    const settled = { status: 'SETTLED', by: 'ada', note: 'in cash' } as const;
    const owed = async () => (await ledger.owed(9)).map(({ id }) => id);
    const settledOf = async () => (await read(ledger, 'A-2')).settledMinor;
    assert.equal((await refusal(ledger.resolve('A', settled))).kind, 'no_review_needed', 'it pays the order');
    await ledger.observe('A-2', verified('failed'));
    assert.equal((await refusal(ledger.resolve('A-2', settled))).kind, 'no_review_needed', 'it is in doubt');
    await ledger.resolve('A-2', { ...settled, status: 'SUCCESS', gatewayReports: 'FAILED' });
    const { id: sent } = (await refund(ledger, { transactionId: 'A-2', amount: '10' })).refund;
    assert.deepEqual(await owed(), ['A-2']);
    const { expected, webhook, gatewayReports } = (await ledger.preview('A-2', settled)) ?? assert.fail();
    assert.deepEqual([expected.owed, webhook, gatewayReports], [10, null, null]);
    const other = { ...expected, owed: 1010 };
    assert.equal((await refusal(ledger.resolve('A-2', settled, other))).kind, 'version_changed');
    for (let n = 0; n < 2; n += 1) await ledger.resolve('A-2', settled, n === 0 ? expected : undefined);
    assert.deepEqual([await settledOf(), await left(ledger, 'A-2'), await owed()], [10, 0, []]);
    assert.equal((await refusal(ledger.resolve('A-2', { ...settled, by: 'bob' }))).kind, 'no_review_needed');
    const none = await refusal(refund(ledger, { transactionId: 'A-2' }));
    assert.deepEqual(none.members, { refundable: '0.00' });
    await fail(setup, sent);
    assert.deepEqual([await left(ledger, 'A-2'), await owed()], [1000, ['A-2']]);
    assert.deepEqual((await refusal(refund(ledger, { transactionId: 'A-2', amount: '10.10' }))).members, {
      refundable: '10.00',
    });
    await ledger.resolve('A-2', settled);
    const { history, resolved } = await read(ledger, 'A-2');
    assert.deepEqual([await settledOf(), await owed(), resolved], [1010, [], 'succeeded']);
    const said = history.flatMap(({ event, detail }) => (event === 'resolved' ? [detail] : []));
    assert.deepEqual(
      said,
      ['SUCCESS', 'SETTLED', 'SETTLED'].map((word) => `${word} by ada: in cash`),
    );
  });

  it('SETTLED ends the review of what came after the closing, and its erased entry stays SETTLED', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.closeOrder({ orderId: 'A', reason: null, ifUnpaidSince: null });
    await ledger.observe(id, verified('succeeded', null, PAYER));
    const [both, other] = [await openPending(ledger, { orderId: 'B' }), { by: 'ada', note: 'in cash' }];
    await ledger.closeOrder({ orderId: 'B', reason: null, ifUnpaidSince: null });
    await ledger.observe(both, verified('succeeded', null, PAYER));
    const confirmed = await ledger.resolve(both, { ...other, status: 'SUCCESS' });
    assert.deepEqual([confirmed?.needsReview, confirmed?.settledMinor, await left(ledger, 'B', 'B')], [false, 0, 1010]);
    await ledger.resolve(both, { ...other, status: 'SETTLED' });
    const resolved = await ledger.resolve(id, { ...other, status: 'SETTLED' });
    assert.deepEqual([resolved?.needsReview, resolved?.settledMinor, resolved?.resolved], [false, 1010, null]);
    assert.deepEqual(await ledger.owed(9), []);
    skip(8 * D);
    await ledger.observe(id, verified('succeeded', null, PAYER));
    await ledger.erase('A', { sendsWebhooks: false });
    assert.equal((await read(ledger, id)).history.find(({ event }) => event === 'resolved')?.detail, 'SETTLED');
  });
}
