// The operator's lists: transactions with their filters, and webhooks, which are sent again from them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { transactionsPage, webhookPage, webhookTable, webhooksPage } from '../../../backend-proxy/admin/lists.ts';
import { S } from '../time.ts';
import { placeOf, signedIn, textOf, WEBHOOK } from './admin-kit.ts';

it('a webhook that was given up is found from the overview and sent again', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  world.receiver.answers = [410];
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1');
  await world.settle();
  const first = await operator.open('/admin');
  assert.match(textOf(first), /Waiting – Webhooks failed 1 to send again Latest transactions Show all/);
  assert.match(
    textOf(first),
    /1 thing needs attention As of .* Pause Webhook failed A-1 · payment\.succeeded · \d+ \w+ old Your server did not take it: HTTP 410\. Send again/,
  );
  await operator.says(
    '/admin/webhooks?state=dead',
    /payment\.succeeded A-1 €10\.10 Failed 1 attempt HTTP 410 Send again /,
  );
  const [, path = ''] = /href="(\/admin\/webhooks\/msg_\w+)"/.exec(first) ?? [];
  await operator.says(path, /Failed 1 attempt .* Last answer HTTP 410/);
  world.receiver.answers = [200];
  const sent = await operator.send(`${path}/redeliver`);
  assert.deepEqual([sent.status, placeOf(sent)], [303, `${path}?done=redelivered`]);
  const shown = sent.headers.get('location') ?? '';
  await operator.says(shown, / The webhook is being sent again now\. /);
  await world.settle();
  assert.equal(placeOf(await operator.request(shown)), path, 'it is sent by now');
  await operator.says(path, /Delivered 1 attempt/);
  assert.equal((await operator.send('/admin/webhooks/msg_none/redeliver')).status, 404);
  await operator.says(
    '/admin/transactions/A-1',
    /State Action Created, UTC payment\.succeeded Delivered 1 attempt · HTTP 200/,
  );
  await operator.says('/admin/webhooks?state=dead', /No failed webhooks\./);
  await operator.says(
    '/admin/webhooks',
    /All Failed Queued Delivered .* Created, UTC payment\.succeeded A-1 €10\.10 Delivered 1 attempt · HTTP 200 20 Nov/,
  );
});

it('a webhook is sent again from its page, and from a list if it failed, but not once its body was erased', async () => {
  for (const [body, isOffered] of [
    ['{}', true],
    ['', false],
  ] as const) {
    // prettier-ignore
    const webhook = { ...WEBHOOK, body };
    assert.equal(String(await webhookPage(webhook, 'x', 0)).includes('Send again'), isOffered);
    for (const state of ['dead', 'delivered', 'pending'] as const) {
      const table = String(await webhookTable('Webhooks', [{ ...webhook, state }], { form: 'x', now: 0 }));
      assert.equal(table.includes('Send again'), isOffered && state === 'dead', state);
      assert.ok(table.includes('<a href="/admin/transactions/A-1">A-1</a>'), 'it leads to its transaction');
      assert.match(textOf(table), / A-1 – /, 'the amount is known from the body only');
      const second = webhookTable('Webhooks', [{ ...webhook, transactionId: 'A-1-2' }], { form: 'x', now: 0 });
      assert.match(textOf(String(await second)), / A-1-2 – /);
    }
  }
});

it('the list of transactions is filtered, paged newest first, and says what is wrong with a filter', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  for (let n = 0; n < 52; n += 1) {
    await world.start(world.token({ orderId: `A-${n}` }), { method: 'QR' });
    world.skip(S);
  }
  const idsOf = (html: string) => [...html.matchAll(/scope="row">\s*<a href="[^"]+">([^<]+)</g)].map(([, id]) => id);
  const first = await operator.open('/admin/transactions');
  assert.deepEqual(
    idsOf(first),
    Array.from({ length: 50 }, (_, n) => `A-${51 - n}`),
  );
  assert.match(textOf(first), / 50 transactions on this page, newest first /);
  const [, older = ''] = /href="([^"]+)">Older</.exec(first) ?? [];
  await operator.says('/admin/transactions?orderId=A-7', / 1 transaction found, newest first /);
  assert.deepEqual(idsOf(await operator.open(older.replaceAll('&amp;', '&'))), ['A-1', 'A-0']);
  assert.deepEqual(idsOf(await operator.open('/admin/transactions?orderId=A-7&type=&status=&from=&to=')), ['A-7']);
  await world.start(world.token({ orderId: 'A-7' }), { method: 'QR' }, 'again');
  const byId = await operator.request('/admin/transactions?orderId=%20A-7-2%20');
  assert.deepEqual(
    [byId.status, placeOf(byId)],
    [303, '/admin/transactions/A-7-2'],
    'an id at the gateway, as it was pasted',
  );
  await operator.says('/admin/transactions?status=SUCCESS', / No transaction matches\. $/);
  await operator.says('/admin/transactions?orderId=a-5', / 3 transactions found among the newest 200, newest first /);
  assert.deepEqual(idsOf(await operator.open('/admin/transactions?orderId=7-2')), ['A-7-2'], 'the end of an id');
  await world.start(world.token({ orderId: 'C-1', amount: '1200.50' }), { method: 'QR' });
  await world.settleAfter('approve', 'C-1', '23456789');
  for (const typed of ['1,200.50', '1200,50', '%E2%82%AC1,2%20c-', '6789', '23456789', '2345%206789', '2345-6789'])
    assert.deepEqual(idsOf(await operator.open(`/admin/transactions?orderId=${typed}`)), ['C-1'], typed);
  await operator.says(
    '/admin/transactions?orderId=B',
    / No transaction matches\. Anything but a whole ID is looked for in the newest 200 only\. $/,
  );
  assert.equal(idsOf(await operator.open('/admin/transactions?from=2026-11-20&to=2026-11-20')).length, 50);
  assert.deepEqual(idsOf(await operator.open('/admin/transactions?from=2026-11-21')), []);
  for (const query of ['from=2026-02-30', 'from=2026-11-21&to=2026-11-20', 'type=X', 'orderId=a%00b', 'cursor=x']) {
    const response = await operator.request(`/admin/transactions?${query}`);
    assert.equal(response.status, 400, query);
    assert.match(await response.text(), /role="alert"/);
  }
});

it('a page of webhooks leads to the newest and to older ones of the same state', async () => {
  const list = {
    state: 'dead',
    webhooks: [WEBHOOK],
    cursor: '2~msg_2',
    nextCursor: '1~msg_1',
    form: 'x',
    now: 0,
  } as const;
  const linksOf = async (more: object) =>
    [...String(await webhooksPage({ ...list, ...more })).matchAll(/href="([^"]+)">(Newest|Older)</g)].map((link) =>
      link.slice(1).join(' '),
    );
  const older = '/admin/webhooks?state=dead&amp;cursor=1%7Emsg_1 Older';
  assert.deepEqual(await linksOf({}), ['/admin/webhooks?state=dead Newest', older]);
  assert.deepEqual(await linksOf({ cursor: '' }), [older]);
  assert.deepEqual(await linksOf({ cursor: '', nextCursor: null }), []);
});

it('a webhook that waits is queued, being sent, or tried again at a time', async () => {
  const stateOf = async (more: object) =>
    textOf(
      String(await webhookTable('Webhooks', [{ ...WEBHOOK, state: 'pending', ...more }], { form: 'x', now: 60 * S })),
    );
  assert.match(await stateOf({ attempts: 0, lastAnswer: null }), / Queued /);
  assert.match(await stateOf({ lastAnswer: null }), / Being sent 1 attempt /);
  assert.match(await stateOf({ lastAnswer: 'HTTP 503', nextAt: 90 * S }), / Retry at 00:01 1 attempt HTTP 503 /);
  assert.match(await stateOf({ lastAnswer: 'HTTP 503', nextAt: 60 * S }), / Retry due 1 attempt HTTP 503 /);
  const due = { ...WEBHOOK, state: 'pending', lastAnswer: 'HTTP 503', nextAt: 60 * S } as const;
  for (const [now, isShown] of [
    [59 * S, true],
    [60 * S, false],
  ] as const)
    assert.equal(String(await webhookPage(due, 'x', now)).includes('Next attempt'), isShown);
  assert.match(
    await stateOf({ state: 'dead', lastAnswer: 'ECONNREFUSED' }),
    / Failed 1 attempt no answer \(ECONNREFUSED\) /,
  );
});

it('a webhook whose last attempt failed is shown as retrying, with its answer, until it is delivered or given up', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  world.receiver.answers = [503, 503, 410];
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1');
  await world.settle();
  const page = await operator.open('/admin');
  assert.match(textOf(page), / Webhooks failed None retrying, HTTP 503 Latest /);
  assert.match(page, /<dd class="status warn"><a href="\/admin\/webhooks\?state=pending">retrying/);
  await operator.says(
    '/admin/health',
    /but something needs attention\. .* ! Webhooks None failed, 1 queued, the oldest for \w+ \w+: retrying, HTTP 503 ✓ IPNs/,
  );
});

it('an empty page of the list says whether older transactions may match', async () => {
  const said = async (nextCursor: string | null, status = 'FAILED') =>
    textOf(String(await transactionsPage({ status }, { transactions: [], nextCursor }, new Map())));
  assert.match(await said(null, ''), /No transaction yet\./);
  assert.match(await said(null), /No transaction matches\./);
  assert.match(await said('1~A-1'), /None among those looked at\. Older ones may match: Older/);
  assert.doesNotMatch(await said('1~A-1'), /No transaction matches\./);
});

it('of a payment that was replaced, its page and the webhook of its end say so, and that it may still be paid', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  const token = world.token();
  for (const key of ['first', 'next']) await world.start(token, { method: 'QR' }, key);
  await world.settle();
  const page = await operator.open('/admin/transactions/A-1');
  assert.match(textOf(page), / Order A-1 The customer started another payment\. If it is still paid, it counts\. /);
  assert.match(page, /<b>Replaced<\/b> by <a href="\/admin\/transactions\/A-1-2">A-1-2<\/a>/);
  for (const path of ['/admin/transactions/A-1', '/admin/webhooks'])
    await operator.says(path, / payment\.failed Replaced .*Delivered/);
  const [, webhook = ''] = /href="(\/admin\/webhooks\/msg_\w+)"/.exec(page) ?? [];
  await operator.says(
    webhook,
    / Transaction A-1 · QR code · 20 Nov 2026 .* Reason Replaced\. The customer started another payment\. /,
  );
  await world.settleAfter('approve', 'A-1-2');
  await operator.says('/admin/transactions/A-1', /another payment\. Money that still comes has to be refunded\. /);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' }, 'b');
  await world.settleAfter('decline', 'B-1');
  await operator.says('/admin/webhooks', / payment\.failed B-1 /);
});
