// Reviews on the operator's page: what is asked, what each answer does, and what is settled.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventName, explanationOf, failureOf } from '../../../backend-proxy/admin/words.ts';
import { heading } from '../../../backend-proxy/admin/transaction-page.ts';
import { enFlow } from '../../../widget/locales/en-flow.ts';
import { differing, verified, endCheck, type Seen } from '../ledger/ledger-kit.ts';
import { M, S } from '../time.ts';
import { REFUNDS_QR, type World } from '../world.ts';
import { ADA, createMismatch, fieldsOf, placeOf, resolve, signedIn, textOf } from './admin-kit.ts';

it('a review is resolved in two steps: the first says what will happen and changes nothing', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await createMismatch(world);
  const why = 'Nobody has paid yet\\. The gateway named €0\\.07 for a request of €10\\.10\\.';
  await operator.says(
    '/admin/health',
    /but something needs attention\. .* ! Reviews 1 to review ✓ To refund Nothing\./,
  );
  await operator.says('/admin', new RegExp(`1 payment to review As of .* Pause Waiting, needs review A-1 · QR code · open for \\d+ \\w+ ${why} Wait until it is paid or ends\\. €10\\.10 Review`)); // prettier-ignore
  assert.match(
    await operator.open('/admin/transactions?status=REVIEW'),
    new RegExp(`Waiting, needs review</span>\\s*<small class="reason">${why}</small>`),
  );
  const [, href = ''] = /"(\/admin\/transactions\?[^"]+)"\s*>1 payment</.exec(await operator.open('/admin')) ?? [];
  await operator.says(
    href.replaceAll('&amp;', '&'),
    / 1 transaction found, .* A-1 QR code €10\.10 Waiting, needs review /,
  );
  await operator.says(
    '/admin/transactions/A-1',
    / Wait until it is paid or ends\. Say what happened .* The money was received Order A-1 becomes paid\. No money was received The payment of order A-1 counts as unpaid\. /,
  );
  const first = await resolve(operator, 'A-1', ADA);
  const said = textOf(await first.text());
  assert.equal(first.status, 200);
  assert.match(said, /Record €10\.10 as received\? .*Order A-1 becomes paid\. It counts as €10\.10.*payment\.succeeded: “The order is paid: ship it, unless it needs review”.* If the amount differs Only all or nothing can be recorded: settle a difference another way\. .*Money moved, says Ada: on the statement/); // prettier-ignore
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
    / Needs review [\d:]+ Money moved, says Ada · on the statement Webhooks /,
  );
  await world.settle();
  assert.ok(world.receiver.received.some(({ payload }) => payload.type === 'payment.succeeded'));
  await operator.says('/admin', /Nothing to review, refund or settle/);
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
  await operator.says('/admin/transactions/A-3', / Paid, needs review .*reported €0\.07 instead of €10\.10, and the right one later\. Reported €0\.07, waiting · 20 Nov [^€]* UTC €10\.10, paid, as asked · [^€]* Our ID at the gateway A-3 The gateway’s number \d+ It counts as paid\. [^€]*say what you know\. What happened\? The money was received It is already counted as received\. This only ends the review\. No money was received It is listed as denied, is not counted, and cannot be refunded\. /); // prettier-ignore
  await operator.says('/admin', / and the right one later\. It counts as paid\. Not shipped yet\? Ask the gateway’s support first\. /); // prettier-ignore
  const asked = await (await resolve(operator, 'A-3', { ...ADA, status: 'FAILED' })).text();
  assert.match(
    textOf(asked),
    / Note that no money was received\? .* What happens It is listed as denied, is not counted, and cannot be refunded\. Your server gets no webhook of this\. payment\.succeeded was queued on 20 Nov 2026, .* UTC and is not delivered\. It stays SUCCESS in the API\. If it was shipped or counted as paid, stop the order and tell the customer\. /,
  );
  assert.ok(textOf(asked).includes(` The shopper sees ${enFlow.RESOLVED}. `), 'in the widget’s words');
  assert.match(
    textOf(await (await resolve(operator, 'A-3', { ...ADA, status: 'SUCCESS' })).text()),
    / This only ends the review\. Your server gets no webhook of this, so tell your shop that it can ship\. /,
  );
  assert.match(asked, /<button\s+class="danger">Note that no money was received<\/button>/);
  assert.match(await (await resolve(operator, 'A-3', ADA)).text(), /<button\s*>Record as received</);
  await operator.send('/admin/transactions/A-3/resolve', fieldsOf(asked));
  await operator.says('/admin', / Received today , UTC €10\.10 1 payment, 1 denied Sent today /);
  assert.match(await operator.open('/admin'), /A-3<[^]*?class="unmoved"><span class="amount">€10\.10[^]*Paid, denied</);
  await operator.says('/admin/transactions/A-3', / Paid, denied A-3 · QR code .* It cannot be refunded, because the gateway or a person has said that no money moved\. /); // prettier-ignore
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

it('a payment whose id the gateway had before says what that means, and what to do', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.faults({ pay: { status: 409 } });
  await world.start(world.token(), { method: 'QR' });
  const said = textOf(await operator.open('/admin/transactions/A-1'));
  assert.match(said, /had this id before\. What it reports may be somebody else’s payment, so it pays nothing here\./);
  assert.match(said, /Ask the gateway’s support what was paid\. Then say what you know/);
  assert.match(said, /Refused, being checked · the gateway has this id already \(HTTP 409/);
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

it('a review of a wrong amount says that the payment ended unpaid, also where it expired', async (t) => {
  const operator = await signedIn(t);
  await createMismatch(operator.world);
  await observe(operator.world, 'A-1', verified('failed'), 'later');
  await operator.says(
    '/admin/transactions/A-1',
    / instead of €10\.10, and it ended unpaid\. Reported €0\.07, waiting · /,
  );
});

it('a resolution against what the gateway reports needs a confirmation that names the report', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  await world.start(world.token(), { method: 'QR' });
  for (const outcome of ['succeeded', 'failed'] as const) await observe(world, 'A-1', verified(outcome), outcome);
  const first = await (await resolve(operator, 'A-1', ADA)).text();
  assert.match(textOf(first), /The gateway reports that no money moved, and you say that money moved\./);
  assert.match(textOf(first), /If this is wrong Only a different report of the gateway brings this back for review\./);
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
  const reading = {
    transactionId: id,
    type: 'PAY',
    ...none,
    outcome: 'succeeded',
  } as const;
  const { claim } = await world.ledger.receiveIpn({ id: ipn, body: ipn, reading }, 45_000);
  assert.ok(claim, ipn);
  await endCheck(world.ledger, claim, seen);
}

it('a payment after the closing says what to do: refund it, or where nothing can be sent, settle it', async (t) => {
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
    / Paid after closing A-1 · QR code .* To refund The order was closed before\. Refund €10\.00 of .* Came in €10\.10 · .* From •••• 6789 Order closed [^€]* Amount \(whole EUR\) Your name [^€]* Continue /,
  );
  assert.doesNotMatch(said, /Ask the gateway|The money was received|Needs review/);
  const much = await operator.send('/admin/transactions/A-1/refund', { by: 'Ada', amount: '10.10' });
  assert.match(textOf(await much.text()), /At most €10\.00 can be refunded: the gateway sends whole amounts only\./);
  const why = 'The order was closed before\\. Settle €0\\.50 another way: the gateway sends whole amounts only\\.';
  await operator.says('/admin', new RegExp(`1 payment to refund, 1 to settle .* A-2 · .* ${why} €0\\.50 Settle`));
  await operator.says(
    '/admin/transactions/A-2',
    new RegExp(
      `Paid after closing A-2 · QR code .* Still owed €0\\.50 ${why} Came in .* Your .* Continue (?!.* Refunds )`,
    ),
  );
  await operator.says('/admin/transactions?status=REVIEW', / 2 transactions found, /);
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
  assert.match(await operator.open('/admin'), /status over long">Paid after closing\s· €0\.50 settled another way</);
  await operator.says('/admin', / 1 payment to refund As of .* Pause Paid after closing A-1 (?!.* Settle )/);
  world.skip(3 * M);
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '4', idempotencyKey: 'back' });
  await operator.says('/admin', /A-1 · QR code •••• 6789 · open for 3 min /);
  await operator.says('/admin/transactions/A-1', / To refund The order was closed before\. Refund €6\.00 of €6\.10: /);
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
    / €10\.10 Paid · confirmed by Ada A-1 · QR code · 20 Nov 2026 , [\d :]+ UTC · Order A-1 Ada confirmed that the money moved, on 20 Nov 2026, 12:03:00 UTC\. The gateway’s report came on 20 Nov 2026, 12:00:00 UTC\. /,
  );
  assert.match((await world.view(world.token())).payment?.paidAt ?? '', /T12:00:/, 'not when Ada said so');
  await operator.says(
    '/admin/transactions/A-2',
    / €10\.10 Not paid · confirmed by Ada A-2 · QR code · 20 Nov 2026 , [\d :]+ UTC · Order A-2 Ada confirmed that no money moved, on 20 Nov 2026, 12:06:00 UTC\. .* Close the order/,
  );
  await operator.says('/admin/transactions', / Not paid · confirmed by Ada 20 Nov .* Paid · confirmed by Ada 20 Nov /);
  await createMismatch(world, 'A-3');
  await observe(world, 'A-3', verified('succeeded'), 'later');
  const first = await (await resolve(operator, 'A-3', { ...ADA, status: 'FAILED' })).text();
  await operator.send('/admin/transactions/A-3/resolve', fieldsOf(first));
  await operator.says(
    '/admin/transactions/A-3',
    / Paid, denied A-3 · QR code · 20 Nov 2026 , [\d :]+ UTC · Order A-3 Ada denied that the money moved, on .*\. The gateway’s report came on .* UTC\. If it was shipped or counted as paid, stop the order and tell the customer\. /,
  );
  for (const path of ['/admin', '/admin/transactions', '/admin/transactions/A-3'])
    assert.match(await operator.open(path), /class="status warn long">Paid, denied</, path);
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' });
  const reportFailed = async () => {
    world.skip(M);
    const claims = await world.ledger.claimChecks(10, 45_000);
    await endCheck(
      world.ledger,
      claims.find(({ transaction }) => transaction.id === 'P-1'),
      verified('failed'),
    );
  };
  await reportFailed();
  await operator.says('/admin/transactions/P-1', / −€5\.00 Reported failed, being checked .* Reported failed · checked once more /); // prettier-ignore
  await reportFailed();
  await operator.says('/admin/transactions/P-1', / −€5\.00 Failed .* Reported failed · checked once more .* Failed at the gateway /); // prettier-ignore
  await operator.says('/admin/transactions', / P-1 Payout to •••• 5678 −€5\.00 Failed Declined by the gateway\. No money moved\. 20 Nov /); // prettier-ignore
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
    assert.equal(explanationOf(payout), `${words} To send the money all the same, start a new payout in your shop.`);
    assert.equal(failureOf(payout), words);
    assert.equal(explanationOf({ ...payout, type: 'REFUND' }), words);
    assert.equal(eventName(entry, payout), 'Failed at the gateway');
  }
});
