// receiveIpn() and claimChecks(): what an IPN requests, and which check is claimed first.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { IpnReading } from '../../../../backend-proxy/protocol/verify.ts';
import { D, H, M, NOON, S } from '../../time.ts';
import {
  BARE_READING,
  LEASE_MS,
  LIMITS,
  PAYOUT,
  PENDING,
  UNAVAILABLE,
  UNKNOWN,
  openPending,
  payment,
  type Suite,
  verified,
  sendIpn,
  claimIds,
  type LedgerById,
} from '../ledger-kit.ts';

export function ipnsContract({ it, setUp }: Suite): void {
  describe('receiveIpn()', () => {
    const reading: IpnReading = { ...BARE_READING, outcome: 'succeeded' };
    const due = async (ledger: LedgerById) => await claimIds(ledger, 100);

    it('receiveIpn() requests a check in the same commit', async (t) => {
      const { ledger, skip } = await setUp(t);
      await openPending(ledger);
      assert.deepEqual(await due(ledger), []);
      skip(S);
      await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
      assert.deepEqual(await due(ledger), ['A']);
      assert.deepEqual(await ledger.newIpns('A'), [{ reading, n: 1 }]);
    });

    it('a repeated IPN is stored once, counted twice, and requests another check', async (t) => {
      const { ledger, rows, skip } = await setUp(t);
      await openPending(ledger);
      for (let n = 0; n < 3; n += 1) {
        skip(S);
        await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
        assert.deepEqual(await due(ledger), ['A']);
        assert.deepEqual(await ledger.newIpns('A'), [{ reading, n: n + 1 }]);
        await ledger.observe('A', verified('pending'));
        assert.deepEqual(await ledger.newIpns('A'), [], 'a check has answered it');
      }
      assert.deepEqual(await rows('select seen, first_at, last_at, matched from ipns'), [
        { seen: 3, first_at: NOON + S, last_at: NOON + 3 * S, matched: 1 },
      ]);
    });

    it('an IPN that arrives before its row is kept, and requests a check after the answer to the POST', async (t) => {
      const { ledger, rows, skip } = await setUp(t);
      await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
      await ledger.receiveIpn({ id: 'i2', body: '{}', reading: { ...reading, transactionId: 'P', type: 'PAYOUT' } });
      assert.deepEqual(await due(ledger), []);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.openPayout(PAYOUT);
      skip(S);
      assert.deepEqual(await due(ledger), [], 'not before the answer, which may report a duplicate');
      for (const id of ['A', 'P']) await ledger.record(id, { ...PENDING, paymentId: null });
      assert.deepEqual((await due(ledger)).toSorted(), ['A', 'P']);
      assert.deepEqual(await rows('select matched from ipns'), [{ matched: 1 }, { matched: 1 }]);
    });

    it('an "unknown" does not answer an IPN, which has named the transaction: it is asked about again soon', async (t) => {
      const { ledger, skip } = await setUp(t);
      await openPending(ledger);
      skip(H);
      await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
      assert.deepEqual(await due(ledger), ['A']);
      await ledger.observe('A', UNKNOWN);
      assert.deepEqual(await ledger.newIpns('A'), [{ reading, n: 1 }]);
      skip(5 * S);
      assert.deepEqual(await due(ledger), ['A']);
      await ledger.observe('A', verified('pending'));
      assert.deepEqual(await ledger.newIpns('A'), [], 'a report answers it');
    });

    it('prune() deletes an unmatched IPN 7 days after it was last seen, and keeps matched ones', async (t) => {
      const { ledger, rows, skip } = await setUp(t);
      await openPending(ledger);
      await ledger.receiveIpn({ id: 'matched', body: '{}', reading });
      await ledger.receiveIpn({ id: 'once', body: '{}', reading: { ...reading, transactionId: 'B' } });
      await ledger.receiveIpn({ id: 'again', body: '{}', reading: undefined });
      skip(S);
      await ledger.receiveIpn({ id: 'again', body: '{}', reading: undefined });
      const left = async () => {
        await ledger.prune();
        return (await rows<{ id: string }>('select id from ipns order by id')).map(({ id }) => id);
      };
      skip(7 * D - S);
      assert.deepEqual(await left(), ['again', 'matched', 'once']);
      skip(1);
      assert.deepEqual(await left(), ['again', 'matched']);
      skip(S);
      assert.deepEqual(await left(), ['matched']);
    });
  });

  it('claimChecks() returns at most as many as asked for, those due longest first', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (const orderId of ['C', 'A', 'B']) {
      await openPending(ledger, { orderId });
      skip(S);
    }
    skip(20 * S);
    const claimed = await ledger.claimChecks(2, LEASE_MS);
    assert.deepEqual(claimed.map(({ id, stage }) => `${id} ${stage}`).toSorted(), ['A pending', 'C pending']);
    assert.deepEqual(await claimIds(ledger, 2), ['B']);
    assert.deepEqual(await ledger.claimChecks(2, LEASE_MS), []);
  });

  it('claimChecks() returns those with a recent IPN before the sweep, the newest IPN first', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (const orderId of ['A', 'B', 'C', 'D']) {
      await openPending(ledger, { orderId });
      skip(S);
    }
    skip(M);
    await sendIpn(ledger, 'C');
    skip(S);
    await sendIpn(ledger, 'B');
    const order: string[] = [];
    for (let n = 0; n < 4; n += 1) order.push(...(await claimIds(ledger, 1)));
    assert.deepEqual(order, ['B', 'C', 'A', 'D']);
  });

  it('claimChecks() returns a transaction again only after its lease or its check ends', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    const other = await open(now);
    await openPending(ledger);
    skip(15 * S);
    assert.equal((await ledger.claimChecks(1, LEASE_MS)).length, 1);
    skip(LEASE_MS - 1);
    assert.equal((await other.claimChecks(1, LEASE_MS)).length, 0);
    skip(1);
    assert.equal((await other.claimChecks(1, LEASE_MS)).length, 1);
    await other.observe('A', UNAVAILABLE);
    skip(M);
    assert.equal((await ledger.claimChecks(1, LEASE_MS)).length, 1);
  });

  it('concurrent calls of claimChecks() never claim a transaction twice', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    const other = await open(now);
    const ids = Array.from({ length: 40 }, (_, n) => `O${n}`);
    for (const orderId of ids) await openPending(ledger, { orderId });
    skip(15 * S);
    const rounds = await Promise.all(
      Array.from({ length: 16 }, (_, n) => (n % 2 ? ledger : other).claimChecks(5, LEASE_MS)),
    );
    const claimed = rounds.flat().map(({ id }) => id);
    assert.equal(new Set(claimed).size, claimed.length, 'none twice');
    while (claimed.length < ids.length) {
      const more = await ledger.claimChecks(5, LEASE_MS);
      assert.ok(more.length > 0, 'none lost');
      claimed.push(...more.map(({ id }) => id));
    }
    assert.deepEqual(claimed.toSorted(), ids.toSorted());
  });

  it('claimChecks() never begins a sixth check of a transaction within a minute', async (t) => {
    const { ledger, rows, skip } = await setUp(t);
    await openPending(ledger);
    const reading = BARE_READING;
    let made = 0;
    for (let n = 0; n < 60; n += 1) {
      skip(S);
      await ledger.receiveIpn({ id: `i${n}`, body: '{}', reading });
      if ((await ledger.claimChecks(1, LEASE_MS)).length === 1) {
        made += 1;
        await ledger.observe('A', verified('pending'));
      }
    }
    assert.equal(made, 5);
    const [row] = await rows<{ checks: string }>('select checks from transactions');
    assert.deepEqual(
      JSON.parse(row!.checks),
      [1, 2, 3, 4, 5].map((n) => ({ at: NOON + n * S, byIpn: true })),
    );
  });
}
