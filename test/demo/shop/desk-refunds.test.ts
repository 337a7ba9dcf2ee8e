// Refunds in the desk's list: what is to refund, and each below its payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk, payment, refund, said } from './desk-fixture.ts';

test('what was paid after the closing is to refund, and to review once the gateway contradicts itself', async () => {
  const { shop, staff } = await openDesk();
  const closed = [said('after_close', null), said('needs_review', 'SUCCESS after the order was closed')];
  const late = payment('ST-1', { status: 'SUCCESS', amount: '12.90', afterClose: true, needsReview: true, history: closed }); // prettier-ignore
  const says = async (transactions: object[], text: RegExp) => {
    shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
    assert.match((await staff.get('/desk/list')).text, text);
  };
  const all =
    / Paid after closing<[^]*<p>The order was closed before\. Refund €12\.00 of €12\.90: the gateway sends whole amounts only\.<\/p>\s*<a [^>]*>Refund</;
  await says([late], all);
  await says([{ ...late, needsReview: false }], all);
  await says(
    [{ ...late, amount: '12.00' }],
    /<h2>To refund<\/h2>[^]*<b class="amount">€12\.00<\/b>\s*<p>The order was closed before\.<\/p>\s*<a [^>]*>Refund</,
  );
  await says(
    [late, refund('ST-1', { amount: '5.00' })],
    /<b class="amount">€7\.90<[^]*<p>The order was closed before\. Refund €7\.00 of €7\.90: /,
  );
  await says([{ ...late, payer: null }], /Still owed<[^]*<p>The order was closed before\. It cannot be refunded, because the gateway did not name the whole wallet that paid\.<\/p>\s*<a [^>]*\/ST-1" aria-label="Settle ST-1">Settle</); // prettier-ignore
  const done = { ...late, needsReview: false };
  // The shop puts the cents on the card by itself.
  const nothing = /^(?![^]*(To refund|Still owed|coffee card|<p>))/;
  await says([{ ...late, amount: '0.90' }], nothing);
  await says([done, refund('ST-1', { amount: '12.00' })], /^(?![^]*(Still owed|coffee card))[^]*chip wait">[^]* Paid after closing, refund on its way</); // prettier-ignore
  await says([done, refund('ST-1', { amount: '12.00', needsReview: true })], /^(?![^]*(To refund|Still owed|coffee card))[^]*chip warn">[^]* Paid after closing, refund under review</); // prettier-ignore
  const settledBy = (detail: string) => ({ ...done, settled: '0.90', history: [...closed, said('resolved', detail)] });
  const all12 = refund('ST-1', { amount: '12.00', status: 'SUCCESS' });
  const settled = settledBy('SETTLED by Ada: in cash');
  await says(
    [settled, all12],
    /^(?![^]*(Still owed|coffee card))[^]*chip over">[^]* Paid after closing, refunded<[^]*€0\.90 settled another way</,
  );
  await says(
    [settledBy('SETTLED by the shop: on the coffee card'), all12],
    /^(?![^]*(Still owed|another way))[^]*chip over">[^]* Paid after closing, refunded<[^]*€0\.90 is on the customer’s coffee card/,
  );
  await says(
    [{ ...settled, settled: '12.90', payer: null }],
    /^(?![^]*Still owed)[^]*chip over">[^]* Paid after closing</,
  );
  const history = [...closed, said('conflict', 'FAILED after SUCCESS'), said('needs_review', 'conflict')];
  await says(
    [{ ...late, history }],
    / Paid after closing, needs review<[^]*<p>The gateway says failed, but it had said paid\. Ask the gateway’s support before you refund it\.<[^]*>Review</,
  );
  const paid = [...closed, said('succeeded', null, '2026-11-18T12:02:00.000Z')];
  await says(
    [{ ...late, createdAt: '2026-11-18T12:00:00.000Z', history: paid }],
    /<time [^>]*>Nov\u00A018,\u00A012:02</,
  );
});

test('of an order that was paid twice, the payment that paid it offers no refund until that of the other is on its way', async () => {
  const { shop, staff } = await openDesk();
  const paid = payment('ST-1', { status: 'SUCCESS' });
  const other = payment('ST-2', { status: 'SUCCESS' });
  const twice = payment('ST-1', { gatewayOrderId: 'ST-1-2', status: 'SUCCESS', surplus: true });
  for (const [refunds, offered] of [
    [[], ['ST-1-2', 'ST-2']],
    [[refund('ST-1-2', { amount: '9.00' })], ['ST-1-2', 'ST-2']],
    [[refund('ST-1-2')], ['ST-1', 'ST-2']],
  ] as const) {
    const transactions = [...refunds, twice, paid, other];
    shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
    const { text } = await staff.get('/desk/list');
    assert.deepEqual(
      [...text.matchAll(/payment=([\w-]+)"/g)].map(([, id]) => id),
      offered,
    );
    assert.match(text, /find=ST-1">ST-1-2<\/a>[^]*find=ST-1">ST-1<\/a>/, 'each has its own id');
    assert.match(text, /<li id="ST-1"(?:(?!<li)[^])*<p>This payment pays the order: ST-1-2 is the one too many\.</);
    const labels = [...text.matchAll(/aria-label="([^"]* ST-[^"]*)"/g)].map(([, label]) => label);
    assert.deepEqual(
      labels,
      offered.map((id) => `Refund ${id === 'ST-1' ? 'as well ' : ''}${id}`),
    );
  }
  const transactions = [refund('ST-1-2', { status: 'SUCCESS' }), twice, paid];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  assert.match(text, /<li id="ST-1-2"(?:(?!<li)[^])*chip over">.*<\/span> Paid twice, refunded</);
  assert.match(text, /<li id="ST-1"(?:(?!<li|too many)[^])*aria-label="Refund ST-1"/, 'no other is left');
});

test('a refund is one line below its payment, and on another day, or to review, also a row of its own', async () => {
  const { shop, staff } = await openDesk();
  const paid = (at: string) => ({ status: 'SUCCESS', history: [said('succeeded', null, at)] });
  const older = { createdAt: '2026-11-18T09:29:00.000Z', ...paid('2026-11-18T09:30:00.000Z') };
  const transactions = [
    refund('ST-1-2', { amount: '5.00', note: 'Sorry', ...paid('2026-11-20T12:03:00.000Z') }),
    refund('ST-1', { amount: '4.00', status: 'FAILED', history: [said('declined', 'UNKNOWN_CUSTOMER')] }),
    refund('ST-2', { orderId: 'ST-2', amount: '6.00' }),
    refund('ST-3', { orderId: 'ST-3', amount: '7.00', needsReview: true }),
    payment('ST-1', { gatewayOrderId: 'ST-1-2', ...paid('2026-11-20T12:02:00.000Z') }),
    payment('ST-1', paid('2026-11-20T12:01:00.000Z')),
    payment('ST-3', { status: 'SUCCESS' }),
    payment('ST-2', older),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  const rows = text.split(/<li id="/).slice(1);
  const line = (row: string) =>
    /class="refund">([^]*?)<\/p>/
      .exec(row)?.[1]
      ?.replaceAll(/<[^>]*>|\s+/g, ' ')
      .trim();
  assert.deepEqual(
    rows.map((row) => [row.split('"')[0], line(row)?.replaceAll(/ +/g, ' ')]),
    [
      ['ST-3-r1', undefined],
      ['ST-1', '−€4.00 ✕ Failed · tried 12:00 · No such customer. No money moved. · ST-1-r1'],
      ['ST-1-2', '−€5.00 ✓ Refunded 12:03 · Sorry · ST-1-2-r1'],
      ['ST-2-r1', undefined],
      ['ST-3', '−€7.00 ! Needs review · started 12:00 · ST-3-r1'],
      ['ST-2', '−€6.00 … On its way · started Nov 20, 12:00 · ST-2-r1'],
    ],
  );
  assert.match(rows[4] ?? '', /chip warn">.*<\/span> Refund under review</);
  assert.match(rows[2] ?? '', /href="\/desk\?find=ST-1"/);
  assert.match(rows[3] ?? '', /href="\/desk\?find=ST-2"/);
  assert.doesNotMatch(rows[5] ?? '', /find=/, 'nothing else would be found');
  assert.match(text, /aria-label="Refund ST-1-2"/);
});

test('a payment whose last refund failed is to refund, until another refund is started', async () => {
  const { shop, staff } = await openDesk();
  const paid = payment('ST-1', { status: 'SUCCESS', amount: '25.50' });
  const failed = refund('ST-1', { amount: '5.00', status: 'FAILED', reason: 'DECLINED' });
  const says = async (transactions: object[], text: RegExp) => {
    shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
    assert.match((await staff.get('/desk/list')).text, text);
  };
  await says(
    [failed, paid],
    /<h2>To refund<[^]*<li id="ST-1" class="warn"[^]*chip warn">[^]* Refund failed<[^]*<b class="amount">€5\.00<\/b>\s*<p>The refund of €5\.00 failed\. Refund it again\.<\/p>\s*<a [^>]*>Refund</,
  );
  await says([refund('ST-1', { gatewayOrderId: 'ST-1-r2' }), failed, paid], /^(?![^]*(To refund|Refund it again))/);
  await says([failed, { ...paid, settled: '25.00' }], /^(?![^]*To refund)/);
  await says(
    [failed, { ...paid, payer: null }],
    /^(?![^]*(To refund|Still owed))[^]*<p>The refund of €5\.00 failed\. It cannot be refunded, because the gateway did not name/,
  );
  shop.proxy.answers['GET /orders/ST-1'] = { body: { orderId: 'ST-1', payments: [paid], refunds: [failed] } };
  assert.match((await staff.get('/desk/send?order=ST-1&payment=ST-1')).text, /name="amount" value="5"/);
});

test('a payment is not called paid or refunded while its refund is on its way, checked or under review', async () => {
  const { shop, staff } = await openDesk();
  const paid = payment('ST-1', { status: 'SUCCESS' });
  const twice = { ...paid, surplus: true };
  const reported = refund('ST-1', { reportedFailedAt: '2026-11-20T12:00:00.000Z' });
  const refused = refund('ST-1', { status: 'INITIALIZED', history: [said('uncertain', 'HTTP 422 SANDBOX_FAULT')] });
  for (const [of, back, tone, label] of [
    [paid, reported, 'wait', 'Refund being checked'],
    [paid, refused, 'wait', 'Refund being checked'],
    [twice, reported, 'wait', 'Paid twice, refund being checked'],
    [paid, { ...reported, needsReview: true }, 'warn', 'Refund under review'],
    [paid, refund('ST-1', { status: 'SUCCESS', needsReview: true }), 'warn', 'Refund under review'],
    [paid, refund('ST-1', { status: 'FAILED', needsReview: true }), 'warn', 'Refund under review'],
    [paid, refund('ST-1'), 'wait', 'Refund on its way'],
    [paid, refund('ST-1', { status: 'INITIALIZED' }), 'wait', 'Refund on its way'],
    [twice, refund('ST-1'), 'wait', 'Paid twice, refund on its way'],
    [paid, refund('ST-1', { status: 'SUCCESS' }), 'over', 'Refunded'],
  ] as const) {
    shop.proxy.answers['GET /transactions'] = { body: { transactions: [back, of], nextCursor: null } };
    const row = (await staff.get('/desk/list')).text.split('<li id="ST-1"')[1] ?? '';
    const [, ...badge] = /chip (\w+)">.*<\/span> (.*)<\/span>/.exec(row) ?? [];
    assert.deepEqual(badge, [tone, label]);
  }
});
