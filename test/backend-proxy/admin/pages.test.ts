// What the operator sees and does: refunds and closings; and what every page keeps.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { backOf } from '../../../backend-proxy/admin/decisions.ts';
import { unavailable } from '../../../backend-proxy/errors.ts';
import { walletEnd } from '../../../backend-proxy/admin/values.ts';
import { webhookPage } from '../../../backend-proxy/admin/lists.ts';
import { transactionPage } from '../../../backend-proxy/admin/transaction-page.ts';
import { M, S } from '../time.ts';
import { REFUNDS_QR } from '../world.ts';
import { ADA, createMismatch, fieldsOf, placeOf, resolve, signedIn, textOf, WEBHOOK } from './admin-kit.ts';

it('an order is closed in two steps, of which the first says what will happen and changes nothing', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.start(world.token(), { method: 'QR' });
  const path = '/admin/transactions/A-1';
  assert.match(await operator.open(path), /href="\/admin\/transactions\/A-1\/close">Close the order…</);
  const first = await operator.open(`${path}/close`);
  const says =
    /Close A-1\? A-1 · QR code · 20 Nov 2026 , [\d :]+ UTC · €10\.10 · Waiting What .* it cannot be opened again\. .* A-1 may still be paid\. Money that still comes has to be refunded.*Your name/;
  assert.match(textOf(first), says);
  const refused = await operator.send(`${path}/close`, { reason: 'out of <stock>', by: ' ' });
  const again = await refused.text();
  assert.equal(refused.status, 400);
  assert.match(textOf(again), /Your name Enter your name\./);
  assert.match(again, /value="out of &lt;stock&gt;"/);
  assert.equal((await world.ledger.order('A-1'))?.closed, null);
  const typed = { reason: 'out of <stock>', by: 'Marta K.' };
  const done = await operator.send(`${path}/close`, { ...fieldsOf(first), ...typed });
  assert.deepEqual([done.status, placeOf(done)], [303, `${path}?done=closed`]);
  assert.equal((await world.ledger.order('A-1'))?.closed?.reason, 'by Marta K.: out of <stock>');
  const page = await operator.open(path);
  const history = /Waiting at the gateway [\d:]+ Order closed · by Marta K\.: out of &lt;stock&gt; Webhooks /;
  assert.match(textOf(page), history);
  assert.doesNotMatch(page, /Close the order/);
  assert.deepEqual(operator.logged.at(-1), { level: 'info', event: 'operator closed', orderId: 'A-1' });
});

it('a payment is refunded in two steps: the second names amount and wallet, and sends once however often', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await world.paid({ amount: '10.00' }, '23456789');
  const path = '/admin/transactions/A-1';
  await operator.says(path, /€10\.00 can be refunded to the wallet .*, •••• 6789 ?\. Refund… Amount \(whole EUR\)/);
  for (const [typed, problem] of [
    [{ amount: '1e1' }, /An amount in EUR, such as 4\./],
    [{ amount: '999.00' }, /At most €10\.00 can be refunded\./],
    [{ amount: '0.00' }, /More than 0\./],
    [{ amount: '4.50' }, /A whole amount: the gateway sends no decimals\./],
    [{ amount: '4', note: 'a\tb' }, /At most 200 characters/],
    [{ amount: '4', by: ' ' }, /Your name Enter your name\./],
  ] as const) {
    const refused = await operator.send(`${path}/refund`, { by: 'Marta K.', ...typed });
    assert.equal(refused.status, 400);
    assert.match(textOf(await refused.text()), problem);
  }
  const ask = async (amount: string) =>
    (await operator.send(`${path}/refund`, { amount, note: 'cold <cup>', by: 'Marta K.' })).text();
  const [first, others] = [await ask('4.00'), await ask('4.00')];
  assert.match(
    textOf(first),
    /Refund €4\.00 to •••• 6789\? A-1 · QR code •••• 6789 · 20 Nov 2026 , [\d :]+ UTC · €10\.00 .* Can still be refunded €6\.00 .* Note to the customer “cold &lt;cup&gt;” .*Refund €4\.00 Cancel/,
  );
  assert.equal(await world.gatewayHas('A-1-r1'), undefined, 'nothing is sent yet');
  const fields = { ...fieldsOf(first), note: 'cold <cup>' };
  const sent = await Promise.all([1, 2, 3].map(() => operator.send(`${path}/refund`, fields)));
  const places = sent.map((answer) => [answer.status, placeOf(answer)]);
  assert.deepEqual(new Set(places.map(String)), new Set(['303,/admin/transactions/A-1-r1?done=refunded']));
  assert.equal((await world.gatewayHas('A-1-r1'))?.createRequests, 1);
  const [{ headers }] = sent as [Response];
  await operator.says(
    headers.get('location') ?? '',
    / The refund has started\. Its status is below\. −€4\.00 On its way A-1-r1 · Refund to •••• 6789 · 20 Nov .* As of .* Reload · Pause /,
  );
  const asked = await operator.send(`${path}/refund`, { ...fieldsOf(others), note: 'cold <cup>' });
  const again = await asked.text();
  assert.equal(asked.status, 409, 'another person has sent one meanwhile');
  assert.match(textOf(again), /Nothing was done: what can be refunded has changed .* Can still be refunded €2\.00 /);
  assert.equal(await world.gatewayHas('A-1-r2'), undefined);
  const refund = await world.ledger.transaction('A-1-r1');
  const [started] = refund?.history ?? [];
  assert.deepEqual([refund?.note, started?.source, started?.detail], ['cold <cup>', 'person', 'Marta K.']);
  await operator.says('/admin/transactions/A-1-r1', /Started by Marta K\./);
  const back = await operator.open('/admin/transactions/A-1-r1');
  assert.match(back, /<title>A-1-r1 · [^]*Refund of<\/dt>\s*<dd><a href="\/admin\/transactions\/A-1">/);
  assert.match(
    textOf(back),
    /Details Our ID at the gateway A-1-r1 The gateway’s number \d+ Refund of A-1 · QR code •••• 6789 · 20 Nov 2026 , [\d :]+ UTC Note /,
  );
  await operator.says(path, /€6\.00 can be refunded/);
  await operator.send(`${path}/refund`, fieldsOf(await ask('6')));
  await operator.says(path, / €10\.00 is on its way\. Details /);
  assert.match(
    textOf(await ask('6')),
    / Refunds Nothing was sent: it was refunded or settled since you looked\. Refunds, oldest first /,
  );
  await operator.says(
    '/admin/transactions',
    / A-1-r2 Refund to •••• \d{4} −€6\.00 .* A-1-r1 Refund to •••• \d{4} −€4\.00 .* A-1 QR code •••• \d{4} €10\.00 Paid · €10\.00 refund on its way /,
  );
  await world.settleAfter('approve', 'A-1-r1');
  await operator.says(path, / −€4\.00 Refunded 20 Nov 2026 , 12:00 :00 UTC A-1-r2 −€6\.00 On its way started 20 Nov /);
  const old = await operator.request(headers.get('location') ?? '');
  assert.deepEqual([old.status, placeOf(old)], [303, '/admin/transactions/A-1-r1'], 'it is not only started');
  await operator.says(
    '/admin',
    /A-1 QR code •••• \d{4} €10\.00 Partly refunded · €4\.00 refunded · €6\.00 refund on its way /,
  );
  await operator.says(
    path,
    / Paid · confirmed by the gateway [\d:]+ Refund of €4\.00 started · A-1-r1 [\d:]+ Refund of €6\.00 started · A-1-r2 [\d:]+ €4\.00 refunded · A-1-r1 Webhooks /,
  );
  const [payment, now] = [await world.ledger.transaction('A-1'), await world.ledger.orderAt('A-1')];
  const refunds = now.order?.refunds.map((each) => ({ ...each, needsReview: true })) ?? [];
  const at = { ...now, order: now.order && { ...now.order, refunds } };
  const [transaction, rules] = [
    payment ?? assert.fail(),
    { refundMethods: new Set(['QR'] as const), payoutDecimals: false },
  ];
  assert.deepEqual(
    backOf(transaction, at, rules),
    ['warn', 'Paid · €10.00 refund under review', ''],
    'also the one that arrived',
  );
  const shown = { transaction, at, refundRules: rules, webhooks: [], form: 'x', name: '', now: 0 };
  assert.match(textOf(String(await transactionPage(shown))), / €10\.00 is under review\. Details /);
  world.skip(S);
  await world.settleAfter('approve', 'A-1-r2');
  await operator.says(
    path,
    / A-1-r2 −€6\.00 Refunded 20 Nov 2026 , 12:00 :01 UTC .* 12:00:01 €6\.00 refunded · A-1-r2 /,
  );
  for (const place of ['/admin', '/admin/transactions', path])
    assert.match(await operator.open(place), /status over">Refunded</, place);
  await operator.says(path, / All of it is refunded\. Details /);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'CHECKOUT' }, 'b');
  await operator.says('/admin', /Waiting €10\.10 1 payment .* B-1 Wallet website €10\.10 Waiting /);
  await world.ledger.closeOrder({ orderId: 'B-1', reason: null, ifUnpaidSince: null });
  await operator.says('/admin', /Waiting – 1 closed , not counted Webhooks/);
  for (const place of ['/admin', '/admin/transactions', '/admin/transactions/B-1'])
    assert.match(await operator.open(place), /status over long">Closed\s· may still be paid</, place);
  await world.settleAfter('approve', 'B-1', '23456789');
  await operator.says(
    '/admin/transactions/B-1',
    /The order was closed before\. Refund €10\.00 of €10\.10: the gateway sends whole amounts only\./,
  );
});

it('a paid order and a payout have nothing to close', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.paid();
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' });
  for (const id of ['A-1', 'P-1']) {
    assert.doesNotMatch(await operator.open(`/admin/transactions/${id}`), /Close the order/);
    const refused = await operator.send(`/admin/transactions/${id}/close`, { confirmed: 'yes' });
    assert.ok(refused.status >= 400, id);
  }
});

it('every text of others is escaped, on every page, and no page may run a script of theirs', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  const evil = `<img/src=x>"'&<b>`;
  await createMismatch(world, evil);
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678', note: evil }); // prettier-ignore
  await world.ipn({ orderId: `${evil}2`, type: 'PAY', amount: 1, currency: 'EUR', status: 'SUCCESS' });
  await resolve(operator, evil, { ...ADA, by: evil, note: evil }).then((response) => response.text());
  const pages = ['/admin', '/admin/transactions', `/admin/transactions/${encodeURIComponent(evil)}`, '/admin/transactions/P-1', '/admin/ipns', '/admin/webhooks?state=pending', `/admin/transactions?orderId=${encodeURIComponent(evil)}&type=${encodeURIComponent(evil)}`]; // prettier-ignore
  for (const path of pages) {
    const response = await operator.request(path);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self';/);
    const html = await response.text();
    assert.doesNotMatch(html, /<img/, path);
    assert.ok(html.includes('&lt;img/src=x&gt;'), path);
  }
  await operator.says('/admin/ipns', / Payment 1 EUR Paid 20 Nov /);
  const confirmation = await (await resolve(operator, evil, { ...ADA, by: evil, note: evil })).text();
  assert.doesNotMatch(confirmation, /<img/);
});

it('no page shows more of a wallet id than its last four digits', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '98765432' });
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1');
  await world.pass(M);
  const payer = (await world.ledger.order('A-1'))?.payments[0]?.payer ?? assert.fail('no payer');
  const { webhooks } = await world.ledger.webhooks(undefined, 10);
  for (const [id, walletId] of [
    ['P-1', '98765432'],
    ['A-1', payer],
  ] as const) {
    const webhook = webhooks.find(({ orderId }) => orderId === id);
    for (const path of [`/admin/transactions/${id}`, `/admin/webhooks/${webhook?.id}`]) {
      const html = await operator.open(path);
      assert.ok(!html.includes(walletId) && html.includes(`•••• ${walletId.slice(-4)}`), path);
    }
    for (const path of ['/admin', '/admin/transactions'])
      assert.ok(!(await operator.open(path)).includes(walletId), path);
  }
});

it('at most half of a short wallet id is shown', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  for (const [id, customer] of [
    ['P-4', '1234'],
    ['P-1', '7'],
  ] as const) {
    // prettier-ignore
    await world.merchant('POST', '/payouts', { orderId: id, amount: 5, currency: 'EUR', customer });
  }
  assert.equal(walletEnd('1234'), '34');
  assert.deepEqual(['', '7', '12345', '1234567', '12345678'].map(walletEnd), ['', '', '45', '567', '5678']);
  assert.match(await operator.open('/admin/transactions/P-4'), /•••• 34</);
  const body = JSON.stringify({ data: { customer: '1234' } });
  assert.match(String(await webhookPage({ ...WEBHOOK, body }, 'x', 0)), /•••• 34&quot;/);
});

it('only known words of the address become a message', async (t) => {
  const operator = await signedIn(t);
  for (const word of ['constructor', '__proto__', 'toString', 'x']) {
    assert.doesNotMatch(await operator.open(`/admin?done=${word}`), /role="status"/, word);
  }
  for (const word of ['resolved', 'refunded', 'closed.forged']) {
    assert.doesNotMatch(await operator.open(`/admin?done=${word}`), /role="status"/, `${word}: anybody may write it`);
  }
});

it('the pages stay useful while the database fails: health says so, others say to try again', async (t) => {
  let isBroken = false;
  const operator = await signedIn(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      ping: () => (isBroken ? Promise.reject(unavailable(new Error('secret text'))) : ledger.ping()),
      transactions: (query) => (isBroken ? Promise.reject(new Error('secret text')) : ledger.transactions(query)),
    }),
  });
  await operator.says('/admin/health', /The proxy is ready.*Proxy 1\.2\.3/);
  isBroken = true;
  operator.world.skip(1_000);
  const page = textOf(await operator.open('/admin/health'));
  assert.match(page, /cannot serve\. ! Payments The database cannot be written: the log says why\./);
  const response = await operator.request('/admin/transactions');
  assert.equal(response.status, 500);
  assert.ok(!(await response.text()).includes('secret text'));
});

it('what is not found keeps the head of the page, and leads back to its list', async (t) => {
  const operator = await signedIn(t);
  for (const [path, said] of [
    ['/admin/transactions/none', /Sign out Not found There is no such transaction\. Back to transactions $/],
    ['/admin/webhooks/none', /Sign out Not found There is no such webhook\. Back to webhooks $/],
    ['/admin/none', /Sign out Not found There is no such page\. Back to overview $/],
    ['/none', /^ Not found · Payments Not found There is no such page\. Back to the overview $/],
  ] as const) {
    const response = await operator.request(path);
    assert.equal(response.status, 404);
    const html = await response.text();
    assert.match(textOf(html), said);
    assert.doesNotMatch(html, /aria-current/);
  }
});

it('the browser checks no form in words of its own', async (t) => {
  const operator = await signedIn(t);
  await createMismatch(operator.world);
  const forms = [await operator.open('/admin/transactions/A-1'), await operator.open('/admin/transactions/A-1/close')];
  for (const html of forms) assert.match(html, /action="\/admin\/transactions\/A-1\/\w+" novalidate>/);
  operator.cookie = '';
  const login = await operator.send('/admin/login', { token: '' });
  assert.match(
    await login.text(),
    /class="name">\s*Payments <span class="host">pay\.shop\.example<[^]*>Test<[^]*<h1>Operator’s page<[^]*novalidate>[^]*aria-describedby="token-problem"[^]*role="alert">Enter the token\.</,
  );
});

it('several payments of an order have names that tell them apart, in the list and on their pages', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  const token = world.token({ customerReferenceNo: 'c-1' });
  await world.start(token, { method: 'DIRECT', customer: '23456789' }, 'a');
  world.skip(M);
  // An ID that no wallet has: the gateway answers with its website.
  await world.start(token, { method: 'DIRECT', customer: '99990000' }, 'b');
  for (const [id, name, time] of [
    ['A-1', 'Wallet app , asked •••• 6789', '12:00 :0\\d'],
    ['A-1-2', 'Wallet website , entered •••• 0000', '12:01 :0\\d'],
  ] as const) {
    await operator.says('/admin/transactions', new RegExp(` ${id} ${name} €10\\.10 .* 20 Nov 2026 , ${time} UTC`));
    const own = new RegExp(` ${id} · ${name} · 20 Nov 2026 , ${time} UTC · Order A-1 `);
    await operator.says(`/admin/transactions/${id}`, own);
  }
  await operator.says('/admin/transactions/A-1-2', / Asked for Wallet app History /);
  assert.doesNotMatch(await operator.open('/admin/transactions/A-1'), /Asked for|Wallet (asked|ID entered)/);
  const asked = (await world.ledger.transaction('A-1')) ?? assert.fail();
  const rules = { refundMethods: new Set<never>(), payoutDecimals: false };
  const shown = { at: undefined, refundRules: rules, webhooks: [], form: 'x', name: '', now: 0 };
  const page = textOf(String(await transactionPage({ ...shown, transaction: { ...asked, payer: '12345678' } })));
  assert.match(page, / A-1 · Wallet app •••• 5678 · .* Wallet asked •••• 6789 History /);
  const entered = { ...asked, method: 'CHECKOUT', payer: '12345678' } as const;
  const other = textOf(String(await transactionPage({ ...shown, transaction: entered })));
  assert.match(other, / A-1 · Wallet website •••• 5678 · .* Wallet ID entered •••• 6789 History /);
});
