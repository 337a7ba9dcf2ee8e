// What the operator sees and does: reviews, refunds and closings; and what every page keeps.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unavailable } from '../../../backend-proxy/errors.ts';
import { eventName, explanationOf, walletEnd } from '../../../backend-proxy/admin/words.ts';
import { heading } from '../../../backend-proxy/admin/transaction-page.ts';
import { webhookPage } from '../../../backend-proxy/admin/lists.ts';
import { differing, verified, endCheck, type Seen } from '../ledger/ledger-kit.ts';
import { M, S } from '../time.ts';
import { REFUNDS_QR, type World } from '../world.ts';
import { createMismatch, placeOf, signedIn, textOf, WEBHOOK, type Operator } from './admin-kit.ts';

async function resolve(operator: Operator, id: string, fields: Record<string, string>): Promise<Response> {
  const { version } = (await operator.world.ledger.transaction(id)) ?? {};
  return operator.send(`/admin/transactions/${id}/resolve`, { version: String(version), ...fields });
}

const ADA = { status: 'SUCCESS', by: 'Ada', note: 'on the statement' };

/** The hidden fields of a page's form. */
const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries([...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])); // prettier-ignore

it('a review is resolved in two steps: the first says what will happen and changes nothing', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await createMismatch(world);
  const why = 'The gateway reported €0\\.07 instead of €10\\.10\\.';
  const what = 'Ask the gateway’s support before you ship\\.';
  await operator.says(
    '/admin/health',
    /but something needs attention\. .* ! Reviews 1 to review ✓ To send back No money\./,
  );
  await operator.says('/admin', new RegExp(`1 payment to review Needs review A-1 · QR code · open for \\d+ \\w+ ${why} ${what} €10\\.10 Review`)); // prettier-ignore
  assert.match(
    await operator.open('/admin/transactions?status=REVIEW'),
    new RegExp(`Needs review</span>\\s*<small class="reason">${why}</small>`),
  );
  const first = await resolve(operator, 'A-1', ADA);
  const said = textOf(await first.text());
  assert.equal(first.status, 200);
  assert.match(said, /Record €10\.10 as received\? .*Order A-1 becomes paid\. It counts as €10\.10.*payment\.succeeded: “The order is paid: ship it”.*Money moved, says Ada: on the statement/); // prettier-ignore
  assert.equal((await world.ledger.transaction('A-1'))?.needsReview, true);
  const second = await resolve(operator, 'A-1', { ...ADA, confirmed: 'yes' });
  assert.deepEqual([second.status, placeOf(second)], [303, '/admin/transactions/A-1?done=resolved']);
  const transaction = await world.ledger.transaction('A-1');
  assert.deepEqual([transaction?.stage, transaction?.needsReview], ['succeeded', false]);
  const resolved = transaction?.history.find(({ event }) => event === 'resolved');
  assert.deepEqual(resolved, {
    at: world.now(),
    event: 'resolved',
    source: 'person',
    detail: 'SUCCESS by Ada: on the statement',
  });
  await operator.says(
    '/admin/transactions/A-1',
    / Needs review [\d:]+ Money moved, says Ada · on the statement Details /,
  );
  await world.settle();
  assert.ok(world.receiver.received.some(({ payload }) => payload.type === 'payment.succeeded'));
  await operator.says('/admin', /Nothing to review or send back/);
  await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
  assert.match(
    await operator.open('/admin/transactions/A-2/close'),
    /name="by"\s+value="Ada"/,
    'the name is remembered',
  );
  await operator.send('/admin/logout');
  await operator.signIn();
  assert.match(await operator.open('/admin/transactions/A-2/close'), /name="by"\s+value=""/);
  await createMismatch(world, 'A-3');
  await observe(world, 'A-3', verified('succeeded'), 'later');
  await operator.says('/admin/transactions/A-3', / Paid, needs review .*reported €0\.07 instead of €10\.10, and the right one later\. Asked €10\.10 · .* Reported €0\.07, waiting · .* UTC Paid, as asked · .*say what you know\. What happened\? The money was received It is already counted as received\. This only ends the review\. No money was received It stays counted as received, but cannot be refunded\. /); // prettier-ignore
  await operator.says('/admin', / and the right one later\. The payment counts as paid\. Not shipped yet\? Ask the gateway’s support first\. /); // prettier-ignore
  const asked = await (await resolve(operator, 'A-3', { ...ADA, status: 'FAILED' })).text();
  assert.match(
    textOf(asked),
    / Note that no money was received\? .* What happens It stays counted as received, but cannot be refunded\. Your server gets no webhook\. Your shop still counts it as paid: stop the order there\. /,
  );
  assert.match(asked, /<button\s+class="danger">Note that no money was received<\/button>/);
  assert.match(await (await resolve(operator, 'A-3', ADA)).text(), /<button\s*>Record as received</);
  await operator.send('/admin/transactions/A-3/resolve', fieldsOf(asked));
  await operator.says('/admin/transactions/A-3', / Paid, denied QR code .* It cannot be refunded, because the gateway has contradicted itself or a person about it\. /); // prettier-ignore
});

it('a form with a missing or wrong field is shown again with what was typed and what is allowed', async (t) => {
  const operator = await signedIn(t);
  await createMismatch(operator.world);
  for (const [fields, problem] of [
    [{ ...ADA, status: '' }, 'Choose one.'],
    [{ ...ADA, by: ' ' }, 'Enter your name.'],
    [{ ...ADA, note: '' }, 'Say how.'],
    [{ ...ADA, note: 'x'.repeat(501) }, '1 to 500 characters'],
    [{ ...ADA, note: 'two\nlines' }, 'no control characters'],
  ] as const) {
    const response = await resolve(operator, 'A-1', { ...fields, confirmed: 'yes' });
    const html = await response.text();
    assert.equal(response.status, 400);
    assert.match(
      html,
      new RegExp(`aria-describedby="([\\w-]+)"\\s+autofocus[^]*id="\\1"\\s+role="alert">[^<]*${problem}`),
    );
    assert.ok(html.includes(`value="${fields.by}"`));
  }
  assert.equal((await operator.world.ledger.transaction('A-1'))?.needsReview, true);
});

it('a decision about a transaction that has changed since it was shown is refused', async (t) => {
  const operator = await signedIn(t);
  await createMismatch(operator.world);
  const response = await operator.send('/admin/transactions/A-1/resolve', { version: '1', ...ADA, confirmed: 'yes' });
  assert.equal(response.status, 409);
  assert.match(textOf(await response.text()), /It changed while you were deciding\./);
  await resolve(operator, 'A-1', { ...ADA, confirmed: 'yes' });
  assert.equal((await resolve(operator, 'A-1', { ...ADA, note: 'or not', confirmed: 'yes' })).status, 409);
});

const MEANWHILE: Record<string, { does(world: World): Promise<unknown>; said: RegExp; after: object }> = {
  paid: {
    does: (world) => observe(world, 'A-1-2', verified('succeeded'), 'other'),
    said: /Nothing was done: .* has changed .*Your server gets payment\.surplus/,
    after: { needsReview: false, surplus: true },
  },
  closed: {
    does: (world) => world.merchant('POST', '/orders/A-1/close', {}),
    said: /Nothing was done: .* stays unpaid: .*Your server gets payment\.after_close/,
    after: { needsReview: false, afterClose: true },
  },
};
for (const [what, { does, said, after }] of Object.entries(MEANWHILE)) {
  it(`if the order is ${what} between the page and its button, nothing is done until the new effect is confirmed`, async (t) => {
    const operator = await signedIn(t);
    const { world } = operator;
    await createMismatch(world);
    await world.start(world.token(), { method: 'CHECKOUT' });
    const first = await (await resolve(operator, 'A-1', ADA)).text();
    assert.match(first, /payment\.succeeded/);
    await does(world);
    const second = await operator.send('/admin/transactions/A-1/resolve', fieldsOf(first));
    const again = await second.text();
    assert.equal(second.status, 409);
    assert.match(textOf(again), said);
    assert.equal((await world.ledger.transaction('A-1'))?.needsReview, true);
    assert.equal((await operator.send('/admin/transactions/A-1/resolve', fieldsOf(again))).status, 303);
    assert.partialDeepStrictEqual(await world.ledger.transaction('A-1'), after);
  });
}

it('an order is closed in two steps, of which the first says what will happen and changes nothing', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.start(world.token(), { method: 'QR' });
  const path = '/admin/transactions/A-1';
  assert.match(await operator.open(path), /href="\/admin\/transactions\/A-1\/close">Close the order…</);
  const first = await operator.open(`${path}/close`);
  const says =
    /it cannot be opened again\. .* A-1 may still be paid\. Money that still comes has to be sent back.*Your name/;
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
  const history = /Waiting at the gateway [\d:]+ Order closed · by Marta K\.: out of &lt;stock&gt; Details /;
  assert.match(textOf(page), history);
  assert.doesNotMatch(page, /Close the order/);
  assert.deepEqual(operator.logged.at(-1), { level: 'info', event: 'operator closed', orderId: 'A-1' });
});

it('a payment is refunded in two steps: the second names amount and wallet, and sends once however often', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await world.paid({ amount: '10.00' }, '23456789');
  const path = '/admin/transactions/A-1';
  await operator.says(path, /€10\.00 can be sent back to the wallet .*, •••• 6789 ?\. Send back… Amount \(whole EUR\)/);
  for (const [typed, problem] of [
    [{ amount: '1e1' }, /An amount in EUR, such as 4\./],
    [{ amount: '999.00' }, /At most €10\.00 can be sent back\./],
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
    /Send €4\.00 to •••• 6789\? QR code · A-1 · €10\.00 paid by •••• 6789 .* Can still be sent back €6\.00 .* Note to the customer “cold &lt;cup&gt;” .*Send €4\.00 Cancel/,
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
    / The refund has started\. Its status is below\. −€4\.00 On its way Refund .* Reload to see the newest\. /,
  );
  const asked = await operator.send(`${path}/refund`, { ...fieldsOf(others), note: 'cold <cup>' });
  const again = await asked.text();
  assert.equal(asked.status, 409, 'another person has sent one meanwhile');
  assert.match(textOf(again), /Nothing was done: what can be sent back has changed .* Can still be sent back €2\.00 /);
  assert.equal(await world.gatewayHas('A-1-r2'), undefined);
  const refund = await world.ledger.transaction('A-1-r1');
  const [started] = refund?.history ?? [];
  assert.deepEqual([refund?.note, started?.source, started?.detail], ['cold <cup>', 'person', 'Marta K.']);
  await operator.says('/admin/transactions/A-1-r1', /Started by Marta K\./);
  assert.match(
    await operator.open('/admin/transactions/A-1-r1'),
    /Refund of<\/dt>\s*<dd><a href="\/admin\/transactions\/A-1">/,
  );
  await operator.says(path, /€6\.00 can be sent back/);
  await operator.send(`${path}/refund`, fieldsOf(await ask('6')));
  await operator.says(path, /All of it is refunded, or on its way/);
  await operator.says(
    '/admin/transactions',
    / A-1-r2 Refund •••• \d{4} −€6\.00 .* A-1-r1 Refund •••• \d{4} −€4\.00 .* A-1 QR code •••• \d{4} €10\.00 Paid · €10\.00 on its way back /,
  );
  await world.settleAfter('approve', 'A-1-r1');
  const old = await operator.request(headers.get('location') ?? '');
  assert.deepEqual([old.status, placeOf(old)], [303, '/admin/transactions/A-1-r1'], 'it is not only started');
  await operator.says('/admin', /A-1 QR code •••• \d{4} €10\.00 Paid · €4\.00 sent back · €6\.00 on its way back /);
  await operator.says(path, / Paid · confirmed by the gateway [\d:]+ €4\.00 sent back · A-1-r1 Details /);
  await world.settleAfter('approve', 'A-1-r2');
  for (const at of ['/admin', '/admin/transactions', path])
    assert.match(await operator.open(at), /status over long">Refunded\s· €10\.00</, at);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'CHECKOUT' }, 'b');
  await operator.says('/admin', /Waiting €10\.10 1 payment .* B-1 Wallet website €10\.10 Waiting /);
  await world.ledger.closeOrder({ orderId: 'B-1', reason: null, ifUnpaidSince: null });
  await operator.says('/admin', /Waiting – and 1 closed Webhooks/);
  for (const at of ['/admin', '/admin/transactions', '/admin/transactions/B-1'])
    assert.match(await operator.open(at), /status over long">Closed\s· may still be paid</, at);
  await world.settleAfter('approve', 'B-1', '23456789');
  await operator.says(
    '/admin/transactions/B-1',
    /The order was closed before\. Send back €10\.00 of €10\.10: the gateway sends whole amounts only\./,
  );
});

it('a payment whose id the gateway had before says what that means, and what to do', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.faults({ pay: { status: 409 } });
  await world.start(world.token(), { method: 'QR' });
  const said = textOf(await operator.open('/admin/transactions/A-1'));
  assert.match(said, /had this id before\. What it reports may be somebody else’s payment, so it pays nothing here\./);
  assert.match(said, /Ask the gateway’s support, then say what you know/);
  assert.match(said, /No clear answer, checking · the gateway has this id already \(HTTP 409/);
  await observe(world, 'A-1', differing(), 'first');
  await observe(world, 'A-1', verified('succeeded'), 'second');
  await operator.says(
    '/admin/transactions/A-1',
    / Reported €0\.07, waiting · 20 Nov [^€]* €10\.10, paid · 20 Nov .* Refused by the gateway · a duplicate, and not ours, as amount differs: €0\.07, not €10\.10 /,
  );
  const later =
    / The gateway reported €0\.07, waiting · 20 Nov [^€]* €10\.10, paid · 20 Nov .* Later It cannot be refunded here, because the gateway reported its id as a duplicate\. The history says /;
  assert.match(textOf(await (await resolve(operator, 'A-1', ADA)).text()), later);
  const denied = await resolve(operator, 'A-1', { ...ADA, status: 'FAILED' });
  assert.doesNotMatch(textOf(await denied.text()), / Later /);
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

it('a review of a wrong amount says that the gateway declined the payment later', async (t) => {
  const operator = await signedIn(t);
  await createMismatch(operator.world);
  await observe(operator.world, 'A-1', verified('failed'), 'later');
  await operator.says('/admin/transactions/A-1', / instead of €10\.10, and declined it later\. Asked /);
});

it('a resolution against what the gateway reports needs a confirmation that names the report', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.start(world.token(), { method: 'QR' });
  for (const outcome of ['succeeded', 'failed'] as const) await observe(world, 'A-1', verified(outcome), outcome);
  const first = await (await resolve(operator, 'A-1', ADA)).text();
  assert.match(textOf(first), /The gateway reports that no money moved, and you say that money moved\./);
  assert.match(textOf(first), /If we are wrong Only a different report of the gateway brings this back for review\./);
  const { gatewayReports, ...unknowing } = fieldsOf(first);
  const second = await operator.send('/admin/transactions/A-1/resolve', unknowing);
  assert.deepEqual([gatewayReports, second.status], ['FAILED', 409]);
  assert.match(textOf(await second.text()), /Nothing was done: .*The gateway reports that no money moved/);
  assert.equal((await operator.send('/admin/transactions/A-1/resolve', fieldsOf(first))).status, 303);
  assert.equal((await world.ledger.transaction('A-1'))?.needsReview, false);
});

async function observe(world: World, id: string, seen: Seen, ipn: string): Promise<void> {
  const none = { paymentId: null, customer: null, amount: null, currency: null };
  world.skip(30 * S);
  const reading = { transactionId: id, type: 'PAY', ...none, outcome: 'succeeded' } as const;
  const { claim } = await world.ledger.receiveIpn({ id: ipn, body: ipn, reading }, 45_000);
  assert.ok(claim, ipn);
  await endCheck(world.ledger, claim, seen);
}

it('a payment after the closing says what to do: send it back, or where nothing can be sent, settle it', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  for (const [orderId, amount] of [
    ['A-1', '10.10'],
    ['A-2', '0.50'],
  ]) {
    await world.start(world.token({ orderId, amount }), { method: 'QR' });
    await world.merchant('POST', `/orders/${orderId}/close`, {});
    await world.settleAfter('approve', orderId ?? '', '23456789');
  }
  const said = textOf(await operator.open('/admin/transactions/A-1'));
  assert.match(
    said,
    / Paid after closing QR code .* To send back The order was closed before\. Send back €10\.00 of .* Came in €10\.10 · .* From •••• 6789 Order closed [^€]* Amount \(whole EUR\) Your name [^€]* Continue /,
  );
  assert.doesNotMatch(said, /Ask the gateway|The money was received|Needs review/);
  const much = await operator.send('/admin/transactions/A-1/refund', { by: 'Ada', amount: '10.10' });
  assert.match(textOf(await much.text()), /At most €10\.00 can be sent back: the gateway sends whole amounts only\./);
  const why = 'The order was closed before\\. Settle €0\\.50 another way: the gateway sends whole amounts only\\.';
  await operator.says('/admin', new RegExp(`1 payment to send back, 1 to settle .* A-2 · .* ${why} €0\\.50 Settle`));
  await operator.says(
    '/admin/transactions/A-2',
    new RegExp(`Paid after closing QR code .* Still owed €0\\.50 ${why} Came in .* Your .* Continue (?!.* Refunds )`),
  );
  await operator.says('/admin/transactions?status=REVIEW', /No transaction matches/);
  const settled = { status: 'SETTLED', by: 'Ada', note: '' };
  const wrong = textOf(await (await resolve(operator, 'A-2', settled)).text());
  assert.match(wrong, / Still owed €0\.50 .* How it was settled Say how\. Continue /);
  const first = await (await resolve(operator, 'A-2', { ...settled, note: 'in cash' })).text();
  assert.match(
    textOf(first),
    /Record €0\.50 as settled\? .* cannot be refunded any more\. The history says Settled another way, says Ada: in cash .* Record as settled Cancel/,
  );
  const { owed, ...others } = fieldsOf(first);
  const before = await operator.send('/admin/transactions/A-2/resolve', { ...others, owed: `${owed}0` });
  assert.equal(before.status, 409);
  const done = await operator.send('/admin/transactions/A-2/resolve', { ...others, owed: owed ?? '' });
  await operator.says(
    done.headers.get('location') ?? '',
    /Recorded\..* Paid after closing · €0\.50 settled another way .* Refunds €0\.50 was settled another way\. .* Settled another way, says Ada · in cash /,
  );
  await operator.says('/admin', / 1 payment to send back Paid after closing A-1 (?!.* Settle )/);
  world.skip(3 * M);
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '4', idempotencyKey: 'back' });
  await operator.says('/admin', /A-1 · QR code · •••• 6789 · open for 3 min /);
  await operator.says(
    '/admin/transactions/A-1',
    / To send back The order was closed before\. Send back €6\.00 of €6\.10: /,
  );
});

it('what a colleague decided is said of the payment, and a payout that failed says why', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  for (const [orderId, status] of [
    ['A-1', 'SUCCESS'],
    ['A-2', 'FAILED'],
  ] as const) {
    await createMismatch(world, orderId);
    world.skip(3 * M);
    if (status === 'SUCCESS') await resolve(operator, orderId, { ...ADA, status, confirmed: 'yes' });
    else await world.merchant('POST', `/transactions/${orderId}/resolve`, { ...ADA, status });
  }
  await operator.says(
    '/admin/transactions/A-1',
    / €10\.10 Paid · confirmed by Ada QR code · A-1 Ada confirmed that the money moved, on 20 Nov 2026, 12:03:00 UTC\. The gateway’s report came on 20 Nov 2026, 12:00:00 UTC\. /,
  );
  assert.match((await world.view(world.token())).payment?.paidAt ?? '', /T12:00:/, 'not when Ada said so');
  await operator.says(
    '/admin/transactions/A-2',
    / €10\.10 Not paid · confirmed by Ada QR code · A-2 Ada confirmed that no money moved, on 20 Nov 2026, 12:06:00 UTC\. .* Close the order/,
  );
  await operator.says('/admin/transactions', / Not paid · confirmed by Ada 20 Nov .* Paid · confirmed by Ada 20 Nov /);
  await createMismatch(world, 'A-3');
  await observe(world, 'A-3', verified('succeeded'), 'later');
  const first = await (await resolve(operator, 'A-3', { ...ADA, status: 'FAILED' })).text();
  await operator.send('/admin/transactions/A-3/resolve', fieldsOf(first));
  await operator.says(
    '/admin/transactions/A-3',
    / Paid, denied QR code · A-3 Ada denied that the money moved, on .*\. The gateway’s report came on /,
  );
  for (const path of ['/admin', '/admin/transactions', '/admin/transactions/A-3'])
    assert.match(await operator.open(path), /class="status warn">Paid, denied</, path);
  const failed = (await world.ledger.transaction('A-2')) ?? assert.fail();
  for (const [detail, words] of [
    ['UNKNOWN_CUSTOMER', 'No such customer. No money moved.'],
    ['HTTP 400 WALLET_NOT_FOUND', 'No such customer. No money moved.'],
    ['INSUFFICIENT_BALANCE', 'Balance too low at the gateway. No money moved.'],
    [null, 'Declined by the gateway. No money moved.'],
  ] as const) {
    const entry = { at: 0, event: 'declined', source: 'check', detail } as const;
    const payout = { ...failed, type: 'PAYOUT' as const, resolved: null, endedBy: null, history: [entry] };
    assert.equal(textOf(String(await heading(payout))), ' −€10.10 Failed ');
    assert.equal(explanationOf(payout), words);
    assert.equal(eventName(entry, payout), 'Failed at the gateway');
  }
});

it('every text of others is escaped, on every page, and no page may run a script', async (t) => {
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
  assert.match(String(await webhookPage({ ...WEBHOOK, body }, 'x')), /•••• 34&quot;/);
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
