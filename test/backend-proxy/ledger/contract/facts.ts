// A fact raises the stage or changes nothing; a success pays once.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { STAGES, type Stage } from '../../../../backend-proxy/protocol/transaction.ts';
import { S } from '../../time.ts';
import {
  BRING_TO,
  LIMITS,
  PAYMENT,
  PAYOUT,
  PENDING,
  type Suite,
  differing,
  openPending,
  openSent,
  openSentPayout,
  payment,
  read,
  stageOf,
  uncertain,
  verified,
  webhookTypes,
  type LedgerById,
  type Seen,
  type ShortFact,
} from '../ledger-kit.ts';
import { inWords } from '../../in-words.ts';

/** The stage after a fact: the higher of the two. */
const advance = (current: Stage, fact: Stage): Stage => (STAGES[fact].rank > STAGES[current].rank ? fact : current);

/** Each fact about a payment, and the stage that it leads to. */
const FACTS: { fact: Stage; raise: (ledger: LedgerById, id: string) => Promise<unknown> }[] = [
  { fact: 'uncertain', raise: (ledger, id) => ledger.record(id, { stage: 'uncertain', detail: 'reset' }) },
  { fact: 'pending', raise: (ledger, id) => ledger.record(id, { ...PENDING, paymentId: null }) },
  { fact: 'rejected', raise: (ledger, id) => ledger.record(id, { stage: 'rejected', detail: 'HTTP 400' }) },
  { fact: 'pending', raise: (ledger, id) => ledger.observe(id, verified('pending')) },
  { fact: 'declined', raise: (ledger, id) => ledger.observe(id, verified('failed')) },
  { fact: 'succeeded', raise: (ledger, id) => ledger.observe(id, verified('succeeded')) },
];

const SAYS = {
  SUCCESS: { status: 'SUCCESS', by: 'ada', note: 'on the statement' },
  FAILED: { status: 'FAILED', by: 'ada', note: 'not on the statement' },
} as const;

export function factsContract({ it, runs, setUp }: Suite): void {
  it('every fact raises the stage or changes nothing, from every stage', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    const check = async (from: Stage, at: number): Promise<void> => {
      const { fact, raise } = FACTS[at]!;
      const [orderId, pair] = [`${from}-${at}`, `${from}, then ${fact}`];
      await ledger.openPayment(payment({ orderId, method: 'DIRECT', customer: orderId }), LIMITS);
      await BRING_TO[from](setup, orderId);
      const before = await read(ledger, orderId);
      assert.equal(before.stage, from);
      const raised = await raise(ledger, orderId);
      const after = await read(ledger, orderId);
      // A refusal does not end a payment that a check has found.
      const isFound = from === 'expired' && fact === 'rejected';
      const isRefused = from === 'rejected' && fact === 'succeeded';
      assert.equal(after.stage, isFound || isRefused ? from : advance(from, fact), pair);
      if (typeof raised === 'boolean') assert.equal(raised, after.stage !== from, pair);
      const news = after.history.slice(before.history.length).map(({ event }) => event);
      const conflicts = isRefused || (from === 'succeeded' && fact === 'declined');
      assert.deepEqual(news, conflicts ? ['conflict', 'needs_review'] : after.stage === from ? [] : [fact], pair);
      assert.equal(after.late, fact === 'succeeded' && STAGES[from].ended && !isRefused, pair);
    };
    // A report waits for the answer.
    const mustWait = (from: Stage, at: number) => from === 'sending' && at >= FACTS.length - 3;
    // One after the other, because some stages take time to reach.
    for (const from of Object.keys(STAGES) as Stage[])
      for (const at of FACTS.keys()) if (!mustWait(from, at)) await check(from, at);
  });

  it('facts in any order and number lead to the same stage, for one answer to the one POST', async (t) => {
    const { ledger } = await setUp(t);
    let orders = 0;
    const indexes = fc.array(fc.nat(FACTS.length - 1), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(indexes, fc.infiniteStream(fc.nat()), async (drawn, shuffle) => {
        // The one POST is not both accepted and refused.
        const facts = drawn.filter((at) => FACTS[at]!.fact !== 'rejected');
        const repeated = [...facts, ...facts]
          .map((at) => [shuffle.next().value, at] as const)
          .toSorted(([a], [b]) => a - b);
        const ends: Stage[] = [];
        for (const order of [facts, repeated.map(([, at]) => at)]) {
          const orderId = `O${(orders += 1)}`;
          await openPending(ledger, { orderId, method: 'DIRECT', customer: orderId }, uncertain('lost'));
          for (const at of order) await FACTS[at]!.raise(ledger, orderId);
          ends.push(await stageOf(ledger, orderId));
        }
        const expected = facts.reduce<Stage>((stage, at) => advance(stage, FACTS[at]!.fact), 'uncertain');
        assert.deepEqual(ends, [expected, expected]);
      }),
      { numRuns: runs },
    );
  });

  it('an answer is stored at any stage, with its payment id, and raises the version once', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openSent(ledger);
    skip(45 * S);
    await ledger.observe('A', verified('pending'));
    const { version } = (await ledger.order('A'))!;
    const qr = { text: 'https://wallet.example', size: 21, modules: 'AA' };
    const fact: ShortFact = { ...PENDING, paymentId: '222', method: 'JETGO', qr, appUrl: 'jetgo://pay' };
    assert.equal(await ledger.record('A', fact), false);
    const order = (await ledger.order('A'))!;
    const { paymentId, method, qr: kept, appUrl, expiresAt } = order.payments[0]!;
    assert.deepEqual([paymentId, method, kept, appUrl, expiresAt], ['222', 'JETGO', qr, 'jetgo://pay', null]);
    assert.ok(order.version > version);
    await ledger.record('A', fact);
    assert.deepEqual(await ledger.order('A'), order, 'a repeated answer changes nothing, not even the version');
  });

  it('an answer whose row a restored database has lost writes the row again', async (t) => {
    const { ledger, change, skip } = await setUp(t);
    const metadata = { invoice: 'R-17' };
    await ledger.openPayment(payment({ customer: '12345678', metadata }), LIMITS);
    const [paid, sent] = [await read(ledger, 'A'), await ledger.openPayout({ ...PAYOUT, note: 'Thanks' })];
    skip(S);
    await change('delete from history; delete from transactions; delete from orders');
    await ledger.ledger.record(paid, { ...PENDING, method: 'JETGO' });
    await ledger.ledger.record(sent, { stage: 'uncertain', answer: 'lost', detail: 'reset' });
    const [payment_, payout] = [await read(ledger, 'A'), (await ledger.payout('P'))!];
    assert.deepEqual(
      [payment_.stage, payment_.paymentId, payment_.method, payment_.amountMinor, payment_.customer],
      ['pending', '111', 'JETGO', 1010, '12345678'],
    );
    assert.deepEqual(payment_.metadata, metadata);
    assert.deepEqual([payout.stage, payout.amountMinor, payout.note], ['uncertain', 5000, 'Thanks']);
    assert.deepEqual(await ledger.openPayout({ ...PAYOUT, note: 'Thanks' }), payout, 'the retry finds the payout');
    await ledger.observe('A', verified('succeeded'));
    assert.equal((await ledger.order('A'))?.paidBy, 'A');
  });

  it('an answer says nothing of another call that has taken its id in a restored database', async (t) => {
    const { ledger, change, skip } = await setUp(t);
    await ledger.openPayment(payment(), LIMITS);
    const lost = await read(ledger, 'A');
    skip(S);
    await change('delete from history; delete from transactions; delete from orders');
    await ledger.openPayment(payment(), LIMITS);
    await ledger.ledger.record(lost, { stage: 'rejected', answer: 'refused', detail: 'HTTP 403 WALLET_BLOCKED' });
    assert.equal((await read(ledger, 'A')).stage, 'sending');
    await ledger.record('A', PENDING);
    assert.equal((await read(ledger, 'A')).stage, 'pending');
  });

  it('recordUnsent() records of the row of one start, and says whether it is there', async (t) => {
    const { ledger } = (await setUp(t)).ledger;
    const [ours, others] = [
      { by: 'host:1', id: 'ours' },
      { by: 'host:1', id: 'others' },
    ];
    const pay = { type: 'PAY', orderId: 'A' } as const;
    const payOut = { type: 'PAYOUT', orderId: 'P' } as const;
    const unsent = { answer: 'unreached', detail: 'not sent' } as const;
    const record = async (start: typeof ours) => [
      await ledger.recordUnsent(pay, start, { stage: 'not_created', ...unsent }),
      await ledger.recordUnsent(payOut, start, { stage: 'uncertain', ...unsent }),
    ];
    assert.deepEqual(await record(ours), [false, false]);
    await ledger.openPayment({ ...PAYMENT, iat: null, terms: 'terms', start: ours }, LIMITS);
    await ledger.openPayout({ ...PAYOUT, start: ours });
    assert.deepEqual(await record(others), [false, false]);
    assert.deepEqual(await record(ours), [true, true]);
    const ends = [(await ledger.order('A'))?.payments[0], await ledger.payout('P')];
    assert.deepEqual(
      ends.map((each) => [each?.stage, each?.answer]),
      [
        ['not_created', 'unreached'],
        ['uncertain', 'unreached'],
      ],
    );
  });

  it('a refusal does not end a payment that a check has found', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (const [orderId, paymentId] of [
      ['A', null],
      ['B', '7'],
    ] as const) {
      await openSent(ledger, { orderId });
      skip(45 * S);
      await ledger.observe(orderId, verified('pending', paymentId));
      assert.equal(await ledger.record(orderId, { stage: 'rejected', detail: 'HTTP 400 X' }), false);
      assert.deepEqual([orderId, await stageOf(ledger, orderId)], [orderId, 'pending']);
    }
  });

  it('the first success pays the order; a second one is reported as surplus instead', async (t) => {
    const { ledger, skip } = await setUp(t);
    const first = await openPending(ledger);
    const second = await openPending(ledger);
    await ledger.observe(second, verified('succeeded'));
    skip(S);
    await ledger.observe(first, verified('succeeded'));
    await ledger.observe(first, verified('succeeded'));
    const order = (await ledger.order('A'))!;
    assert.equal(order.paidBy, second);
    assert.deepEqual(inWords(order.payments, 'stage', 'late', 'surplus'), [
      'succeeded true true',
      'succeeded false false',
    ]);
    assert.deepEqual(await webhookTypes(ledger), ['payment.failed', 'payment.succeeded', 'payment.surplus']);
    const surplus = (await ledger.webhooks(undefined, 10)).webhooks.find(({ type }) => type === 'payment.surplus')!;
    const { data } = JSON.parse(surplus.body) as { data: Record<string, unknown> };
    assert.deepEqual([data['gatewayOrderId'], data['surplus'], data['late']], [first, true, true]);
  });

  it('a success that several processes see at once is reported once', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    const id = await openPending(ledger);
    await Promise.all([ledger, other, ledger, other].map((either) => either.observe(id, verified('succeeded'))));
    assert.deepEqual(await webhookTypes(ledger), ['payment.succeeded']);
    assert.equal((await read(ledger, id)).history.filter(({ event }) => event === 'succeeded').length, 1);
  });

  it('concurrent successes of two payments pay the order by one of them', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    const first = await openPending(ledger);
    const second = await openPending(ledger);
    await Promise.all([ledger.observe(first, verified('succeeded')), other.observe(second, verified('succeeded'))]);
    assert.deepEqual(await webhookTypes(ledger), ['payment.failed', 'payment.succeeded', 'payment.surplus']);
    const order = (await ledger.order('A'))!;
    assert.equal(order.payments.filter(({ surplus }) => surplus).length, 1);
    assert.equal(order.payments.find(({ surplus }) => !surplus)?.id, order.paidBy);
  });

  it('the payer is who a verified SUCCESS names, and never the wallet that was typed', async (t) => {
    const { ledger } = await setUp(t);
    const typed = { method: 'DIRECT', customer: '11111111' } as const;
    await openPending(ledger, typed, { ...PENDING, method: 'CHECKOUT' });
    await ledger.observe('A', verified('pending', null, '33333333'));
    assert.equal((await read(ledger, 'A')).payer, null, 'nobody has paid yet');
    await ledger.observe('A', verified('succeeded', null, '22222222'));
    await ledger.observe('A', verified('succeeded', null, '33333333'));
    await ledger.observe('A', verified('succeeded'));
    const { customer, payer } = await read(ledger, 'A');
    assert.deepEqual({ customer, payer }, { customer: typed.customer, payer: '22222222' });
    const [webhook] = (await ledger.webhooks('pending', 10)).webhooks;
    assert.partialDeepStrictEqual(JSON.parse(webhook!.body), { data: { customer, payer } });
  });

  it('the payer is unknown where a SUCCESS names no whole wallet, or no status check has reported it', async (t) => {
    const { ledger } = await setUp(t);
    const typed = { method: 'DIRECT', customer: '11111111' } as const;
    const payers: Record<string, string | null> = {};
    const settle = async (orderId: string, seen: Seen) => {
      await openPending(ledger, { ...typed, orderId });
      await ledger.observe(orderId, seen);
      const { stage, payer } = await read(ledger, orderId);
      assert.equal(stage, 'succeeded');
      payers[orderId] = payer;
    };
    await settle('nobody', verified('succeeded'));
    await settle('masked', verified('succeeded', null, '****1111'));
    await settle('weaker-mode', { ...verified('succeeded', null, '11111111'), isIpn: true });
    await openPending(ledger, { ...typed, orderId: 'person' });
    await ledger.observe('person', differing());
    await ledger.resolve('person', { status: 'SUCCESS', by: 'ada', note: 'seen' });
    payers['person'] = (await read(ledger, 'person')).payer;
    assert.deepEqual(payers, { nobody: null, masked: null, 'weaker-mode': null, person: null });
    for (const id of ['nobody', 'person']) {
      const { version } = await read(ledger, id);
      await ledger.observe(id, verified('succeeded', null, '22222222'));
      const later = await read(ledger, id);
      assert.deepEqual([later.payer, later.version], ['22222222', version + 1], `${id}: a later report names them`);
    }
  });

  it('while the payment that paid is in doubt, another SUCCESS is no surplus: a person says which one pays', async (t) => {
    const { ledger } = await setUp(t);
    const [paying, other] = [await openPending(ledger), await openPending(ledger)];
    await ledger.observe(paying, verified('succeeded', null, '11111111'));
    await ledger.observe(paying, verified('failed'));
    await ledger.observe(other, verified('succeeded', null, '22222222'));
    const { stage, surplus, needsReview } = await read(ledger, other);
    assert.deepEqual([stage, surplus, needsReview], ['succeeded', false, true]);
    assert.equal((await ledger.order('A'))?.paidBy, paying);
    assert.ok(!(await webhookTypes(ledger)).includes('payment.surplus'));
    assert.equal((await ledger.preview(other, SAYS.SUCCESS))?.webhook, 'payment.succeeded');
    await ledger.resolve(other, SAYS.SUCCESS);
    assert.equal((await ledger.order('A'))?.paidBy, other);
    await ledger.resolve(paying, { ...SAYS.SUCCESS, gatewayReports: 'FAILED' });
    const flags = (await ledger.order('A'))?.payments.map((each) => [each.id, each.surplus, each.needsReview]);
    assert.deepEqual(flags, [
      [paying, true, false],
      [other, false, false],
    ]);
    const types = (await webhookTypes(ledger)).filter((type) => /succeeded|surplus/.test(type));
    assert.deepEqual(types, ['payment.succeeded', 'payment.succeeded', 'payment.surplus']);
  });

  for (const [word, surplus] of [
    ['SUCCESS', true],
    ['FAILED', false],
  ] as const) {
    it(`after a person has called a payment in conflict ${word}, another SUCCESS is ${surplus ? '' : 'no '}surplus`, async (t) => {
      const { ledger } = await setUp(t);
      const [paying, other] = [await openPending(ledger), await openPending(ledger)];
      await ledger.observe(paying, verified('succeeded'));
      await ledger.observe(paying, verified('failed'));
      await ledger.resolve(paying, { ...SAYS[word], gatewayReports: 'FAILED' });
      await ledger.observe(other, verified('succeeded', null, '22222222'));
      const seen = await read(ledger, other);
      assert.deepEqual([seen.surplus, seen.needsReview], [surplus, !surplus]);
      if (surplus) return;
      await ledger.resolve(other, { ...SAYS.FAILED, gatewayReports: 'SUCCESS' });
      assert.equal((await ledger.order('A'))?.paidBy, paying, 'nothing else pays it');
    });
  }

  it('FAILED after SUCCESS is one conflict with a review: the payment stays paid, and the payout sent', async (t) => {
    const { ledger } = await setUp(t);
    const ids = [await openPending(ledger), await openSentPayout(ledger, 'P', PENDING)];
    for (const id of ids) {
      for (const outcome of ['succeeded', 'failed', 'failed'] as const)
        await ledger.observe(id, verified(outcome, null, PAYOUT.customer));
      const { stage, conflict, payer, history } = await read(ledger, id);
      const conflicts = history.filter(({ event }) => event === 'conflict').length;
      assert.deepEqual([stage, conflict, conflicts], ['succeeded', true, 1]);
      assert.equal(payer, id === 'P' ? null : PAYOUT.customer, 'a payout has a receiver and no payer');
    }
    const types = ['payment', 'payout'].flatMap((of) => [`${of}.conflict`, `${of}.needs_review`, `${of}.succeeded`]);
    assert.deepEqual(await webhookTypes(ledger), types);
    assert.equal((await ledger.order('A'))?.paidBy, 'A');
  });
}
