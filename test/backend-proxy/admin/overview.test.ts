// The operator's first page: what waits for a person, today's sums and what needs attention; health.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { healthPage, overview, titleOf } from '../../../backend-proxy/admin/overview.ts';
import { D, M, S, NOON } from '../time.ts';
import { REFUNDS_QR } from '../world.ts';
import { createMismatch, createOperator, signedIn, textOf } from './admin-kit.ts';

const HEALTH = {
  problem: undefined,
  warnings: [],
  silent: [],
  counts: {
    transactions: [],
    needReview: 0,
    unmatchedIpns: 0,
    checks: [],
    oldestDueCheckMs: 0,
    webhooks: [],
    oldestPendingWebhookMs: 0,
    oldestPendingWebhookAnswer: null,
  },
  owed: [],
  isTest: true,
  version: '1.2.3',
  now: NOON,
};

const SETTLE = 'Settle €0\\.10 another way: the gateway sends whole amounts only\\.';
const TOO_MANY =
  / This payment pays the order\. The one too many is A-1-2 · QR code •••• 6789 · 20 Nov 2026 , [\d :]+ UTC \. €10\.00 can be refunded .* Refund as well… /;
const OTHER = 'The other €0\\.10 cannot be refunded: the gateway sends whole amounts only\\.';
const OWED =
  '€0\\.10 is still owed to the customer: the gateway sends whole amounts only, so settle it another way once the refund has arrived\\.';

it('every page names the proxy, and says Test if no money moves at its gateway', async (t) => {
  const operator = await signedIn(t);
  await operator.says('/admin/webhooks', / Payments pay\.shop\.example Test Overview /);
  await operator.says('/admin/health', /✓ Gateway A test gateway: no money moves\./);
  for (const isTest of [true, false])
    assert.equal(/test gateway/.test(String(await healthPage({ ...HEALTH, isTest }))), isTest);
});

it('money that pays no order is in the list of reviews, with a count of its own, until it is sent back', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await createMismatch(world, 'B-1', 'succeeded');
  world.skip(S);
  await createMismatch(world, 'B-2', 'succeeded');
  await world.start(world.token(), { method: 'QR' });
  await world.start(world.token(), { method: 'QR' }, 'again');
  world.skip(S);
  for (const id of ['A-1', 'A-1-2']) await world.settleAfter('approve', id, '23456789');
  const said = textOf(await operator.open('/admin'));
  assert.match(
    said,
    /2 payments to review, 1 to refund .* B-1 · .* B-2 · .* Paid twice A-1-2 · QR code •••• 6789 · open for [\w ]+ The order was already paid\. Refund €10\.00 of €10\.10: the gateway sends whole amounts only\. €10\.10 Refund /,
  );
  assert.match(said, /Waiting – Webhooks failed/, 'a payment that was reported as paid is not counted as waiting');
  assert.equal(said.match(/Ask the gateway’s support what was paid\./g)?.length, 2);
  await operator.says('/admin/transactions', / A-1-2 QR code •••• 6789 €10\.10 Paid twice 20 Nov/);
  await operator.says(
    '/admin/transactions/A-1',
    /This payment pays the order\. Refund the other one first: A-1-2 · QR code •••• 6789 · 20 Nov 2026 , [\d :]+ UTC \. Details /,
  );
  await operator.says(
    '/admin/transactions/A-1-2',
    /To refund The order was already paid\. Refund €10\.00 of €10\.10: .* Came in €10\.10 · .* From •••• 6789 Order paid by A-1 · QR code •••• 6789 · 20 Nov 2026 , 12:00 :02 UTC Amount \(whole EUR\) /,
  );
  await operator.says('/admin/health', /! Reviews 2 to review ! To refund 1 payment ✓ To settle Nothing\./);
  await operator.says('/admin/transactions/A-1-2', /Paid · confirmed by the gateway/);
  await operator.says(
    '/admin/transactions/A-1',
    / €10\.10 Paid A-1 · QR code •••• 6789 · 20 Nov 2026 , [\d :]+ UTC · Order A-1 Replaced by the customer’s next payment, and paid nevertheless\./,
  );
  assert.doesNotMatch(await operator.open('/admin/transactions'), /\blate\b/);
  const part = await operator.send('/admin/transactions/A-1-2/refund', { by: 'Ada', amount: '7' });
  assert.match(
    textOf(await part.text()),
    new RegExp(
      ` cannot be called back\\. €3\\.00 is still to be refunded\\. ${OWED} The shopper sees .* Note to the customer None\\. If `,
    ),
  );
  const whole = await operator.send('/admin/transactions/A-1-2/refund', { by: 'Ada', amount: '10' });
  assert.match(textOf(await whole.text()), new RegExp(` cannot be called back\\. ${OWED} The shopper sees `));
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1-2', amount: '10', idempotencyKey: 'back' });
  await operator.says(
    '/admin',
    / 2 payments to review As of .* −€10\.00 On its way .* A-1-2 QR code •••• 6789 €10\.10 Paid twice · €10\.00 refund on its way 20 Nov /,
  );
  await operator.says('/admin/health', / ✓ To refund Nothing\. ✓ To settle Nothing\. /);
  await operator.says(
    '/admin/transactions/A-1-2',
    new RegExp(
      ` Refunds Refunds, oldest first .* ${OTHER} Settle it another way once the refund has arrived\\. .* Paid twice 1[\\d:]+ Refund of €10\\.00 started · A-1-2-r1 Webhooks `,
    ),
  );
  await operator.says('/admin/transactions/A-1', TOO_MANY);
  await world.settleAfter('approve', 'A-1-2-r1');
  await operator.says('/admin/transactions/A-1', / Refunds €10\.00 can be refunded .* Refund… /);
  const after = textOf(await operator.open('/admin'));
  assert.match(
    after,
    new RegExp(`2 payments to review, 1 to settle .* Paid twice A-1-2 · .* already paid\\. ${SETTLE} €0\\.10 Settle `),
  );
  for (const path of ['/admin', '/admin/transactions', '/admin/transactions/A-1-2'])
    assert.match(
      await operator.open(path),
      /status warn long">Paid twice\s· €10\.00 refunded\s· €0\.10 still owed</,
      path,
    );
  await operator.says(
    '/admin/transactions/A-1-2',
    new RegExp(` Still owed €0\\.10 .* ${SETTLE} .* −€10\\.00 Refunded .* How it was settled Continue `),
  );
  const own = await operator.send('/admin/transactions/A-1/refund', { by: 'Ada', amount: '10' });
  assert.match(textOf(await own.text()), new RegExp(` Can still be refunded ${OTHER} The shopper sees `));
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '10', idempotencyKey: 'own' });
  await world.settleAfter('approve', 'A-1-r1');
  await operator.says(
    '/admin/transactions/A-1',
    new RegExp(
      ` €10\\.10 Refunded · €10\\.00 A-1 · QR code .* ${OTHER} How you settle it with the customer is not recorded here\\. `,
    ),
  );
  await operator.says('/admin/transactions', new RegExp(` A-1 QR code .* Refunded · €10\\.00 ${OTHER} `));
  world.skip(S);
  const denial = { status: 'FAILED', by: 'Ada', note: 'not paid', gatewayReports: 'SUCCESS' } as const;
  for (const id of ['B-1', 'B-2']) await world.ledger.resolve(id, denial);
  await operator.says('/admin/transactions/B-1', / oldest first .* payment\.mismatch .* payment\.failed /);
  world.skip(30 * D);
  await operator.signIn();
  await operator.says('/admin', / 1 payment to settle As of .* Pause Paid twice A-1-2 /);
  await operator.says('/admin/health', / but something needs attention\. .* ✓ Reviews None\. ✓ To refund Nothing\. ! To settle 1 owed that cannot be refunded here /); // prettier-ignore
});

it('the overview sums up what came in and went out today, by currency, and each count leads to its list', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await operator.says('/admin', /Nothing to review, refund or settle As of .* Pause Received today , UTC – Sent today , UTC – Waiting – Webhooks failed None Latest transactions Show all Search No transaction yet/); // prettier-ignore
  await world.paid({ orderId: 'A-0' });
  world.skip(D);
  await operator.signIn();
  for (const orderId of ['A-1', 'A-2']) await world.paid({ orderId, amount: '10.00' }, '23456789');
  await world.paid({ orderId: 'A-3', amount: '900', currency: 'JPY' });
  await world.start(world.token({ orderId: 'A-4', amount: '1200.00' }), { method: 'QR' });
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' });
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '4', idempotencyKey: 'back' });
  await world.settleAfter('approve', 'A-1-r1');
  await world.start(world.token({ orderId: 'A-5', amount: '1.00' }), { method: 'QR' });
  await world.ledger.closeOrder({ orderId: 'A-5', reason: null, ifUnpaidSince: null });
  const page = await operator.open('/admin');
  assert.match(
    textOf(page),
    /Nothing to review, refund or settle As of .* Pause Received today , UTC €20\.00 ¥900 3 payments Sent today , UTC €4\.00 1 refund Waiting €1,200\.00 1 payment 1 closed , not counted On its way €5\.00 1 payout Webhooks/,
  );
  const rows = async (href = '') => [...(await operator.open(href.replaceAll('&amp;', '&'))).matchAll(/scope="row"/g)];
  assert.match(page, /closed=true"\s*>1 closed</);
  const unmoved = [...page.matchAll(/class="unmoved"><span class="amount">([^<]+)</g)].map(([, money]) => money);
  assert.deepEqual(unmoved, ['€1.00', '−€5.00', '€1,200.00'], 'what has not moved is not as bold');
  for (const [, href, count] of page.matchAll(/href="([^"]*type=[^"]*)"\s*>(\d) /g))
    assert.equal((await rows(href)).length, Number(count), href);
  await world.settleAfter('approve', 'P-1');
  await operator.says('/admin', /Sent today , UTC €9\.00 1 refund 1 payout /);
  await operator.says('/admin/transactions?type=PAY&status=PROCESSING', /Created, UTC A-4 (?!.* A-)/);
  await operator.says('/admin/transactions?type=PAY', /Created, UTC A-5 .* Closed · may still be paid .* A-4 /);
});

it('what came after the closing is to refund as what was paid twice is, in every figure', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await createMismatch(world, 'B-1', 'succeeded');
  await world.start(world.token(), { method: 'QR' });
  await world.ledger.closeOrder({ orderId: 'A-1', reason: null, ifUnpaidSince: null });
  await world.settleAfter('approve', 'A-1', '23456789');
  await operator.says(
    '/admin',
    / 1 payment to review, 1 to refund .* B-1 · .* Review Paid after closing A-1 · QR code •••• 6789 · open for [\w ]+ The order was closed before\. Refund €10\.00 of €10\.10: the gateway sends whole amounts only\. €10\.10 Refund Received/,
  );
  await operator.says('/admin/health', /! Reviews 1 to review ! To refund 1 payment/);
  // As the API's filter and the metric count it, until it is refunded.
  await operator.says('/admin/transactions?status=REVIEW', / 2 transactions found, .* Paid after closing .* B-1 /);
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '10', idempotencyKey: 'back' });
  await operator.says(
    '/admin',
    / 1 payment to review As of .* Pause Needs review B-1 .* Review Received .* A-1 QR code •••• 6789 €10\.10 Paid after closing · €10\.00 refund on its way 20 Nov /,
  );
  await operator.says('/admin/health', /! Reviews 1 to review ✓ To refund Nothing\. ✓ To settle Nothing\. /);
  await operator.says('/admin', / Waiting – On its way €10\.00 1 refund /);
  await operator.says('/admin/transactions?type=REFUND&status=PROCESSING', /Created, UTC A-1-r1 Refund /);
});

it('health says what is checked, and what needs attention', async () => {
  const said = async (more: object) => textOf(String(await healthPage({ ...HEALTH, ...more })));
  assert.match(
    await said({}),
    /^ As of 20 Nov .* Pause The proxy is ready, and nothing needs attention\. ✓ Payments .* ✓ Reviews None\. ✓ To refund Nothing\. /,
  );
  const counts = {
    ...HEALTH.counts,
    webhooks: [
      { state: 'dead', count: 2 },
      { state: 'pending', count: 3 },
    ],
    oldestPendingWebhookMs: 5 * M,
    checks: [
      { state: 'planned', count: 6 },
      { state: 'due', count: 2 },
    ],
    oldestDueCheckMs: 4 * M,
    unmatchedIpns: 4,
  };
  assert.match(
    await said({ counts, warnings: [{ warning: 'No <space>.', detail: '1 MB' }] }),
    /but something needs attention\. .* ! Status checks 6 planned, 2 due, the oldest for 4 min ! Webhooks 2 failed , 3 queued, the oldest for 5 min ! IPNs 4 without a transaction ! Warning No &lt;space&gt;\. \(1 MB\) Proxy 1\.2\.3/,
  );
});

it('the overview counts each thing that needs attention once, and also those that it only counts', async (t) => {
  const { world } = await createOperator(t);
  await createMismatch(world);
  const transaction = (await world.ledger.transaction('A-1')) ?? assert.fail();
  const counts = { ...(await world.ledger.counts()), needReview: 12, unmatchedIpns: 3 };
  const sums = await world.ledger.sums(0);
  const none = {
    sums,
    latest: [],
    backs: new Map(),
    owed: [],
    reviews: [],
    dead: [],
    problem: undefined,
    warnings: [],
    now: world.now(),
    form: 'x',
  };
  const shown = { ...none, counts, reviews: [transaction], warnings: [{ warning: 'No <metrics>.' }] };
  assert.equal(titleOf(shown), '12 payments to review');
  assert.equal(titleOf({ ...shown, reviews: [], counts: { ...counts, needReview: 0 } }), '2 things need attention');
  const said = textOf(String(await overview(shown)));
  const broken = String(await overview({ ...shown, problem: 'No disk.' }));
  assert.match(textOf(broken), /^ As of .* Pause The proxy cannot serve\. No disk\. .* Review /);
  assert.match(broken, /"attention urgent">(?:(?!<ul)[^])*Review[^]*"attention">[^]*See IPNs/);
  assert.match(
    said,
    /€10\.10 Review And 11 more to review Show all Not about money The gateway reports 3 transactions .* No &lt;metrics/,
  );
  const nothing = { ...none, counts: { ...counts, needReview: 0, unmatchedIpns: 0 } };
  assert.equal(titleOf(nothing), 'Nothing to review, refund or settle');
  const owed = [{ payment: transaction, left: 1010, sendable: 1000, cause: null, isComing: false, failed: undefined }];
  assert.equal(titleOf({ ...nothing, owed }), '1 payment to refund');
  const full = Array.from({ length: 50 }, () => owed).flat();
  assert.match(textOf(String(await overview({ ...nothing, owed: full }))), /Older ones follow as these end\. Received/);
});

it('a code nobody has is in no figure, and a refund being checked in one of its own and in the heading', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await world.paid({ orderId: 'A-1', amount: '10.00' }, '23456789');
  await world.faults({ pay: { dropAnswer: true } });
  await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' });
  await world.start(world.token({ orderId: 'C-1', customerReferenceNo: 'c' }), { method: 'DIRECT', customer: '12345678' }); // prettier-ignore
  await world.pass(5 * S);
  await world.faults({ payout: { status: 422 } });
  await world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '4', idempotencyKey: 'back' });
  const page = await operator.open('/admin');
  assert.match(
    textOf(page),
    / 1 refund being checked As of .* Waiting €10\.10 1 payment Being checked €4\.00 1 refund refused or unclear Webhooks failed /,
  );
  assert.match(page, /class="status wait long">Paid\s· €4\.00 refund being checked</);
  const [, checked = ''] = /"([^"]+)"\s*>1 refund refused or unclear</.exec(page) ?? [];
  await operator.says(checked.replaceAll('&amp;', '&'), / 1 transaction found, .* A-1-r1 .* Refused, being checked /);
  assert.match(textOf(page), / A-1-r1 Refund to •••• 6789 −€4\.00 Refused, being checked /);
  await operator.says(
    '/admin/transactions/A-1-r1',
    / It is checked again before it counts as failed, so there is nothing to do yet\. .* Refused, being checked · the gateway refused the request \(HTTP 422 SANDBOX_FAULT\) /,
  );
  await operator.says('/admin/transactions/A-1', / Refund of €4\.00 started · A-1-r1 /);
  assert.match(textOf(page), / B-1 QR code €10\.10 Not started .* Paid · €4\.00 refund being checked /);
  await operator.says('/admin/transactions?type=PAY&status=PROCESSING&awaited=yes', /Created, UTC C-1 (?!.* B-1 )/);
  await operator.says(
    '/admin/transactions/B-1',
    / Not started B-1 · .* way to pay\. The shopper reads that the payment was not started\. .* lost [\d:]+ The gateway has it Order /,
  );
  assert.doesNotMatch(await operator.open('/admin/transactions/B-1/close'), /may still be paid/);
  await world.faults({});
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' });
  await operator.says(
    '/admin',
    / On its way €5\.00 1 payout Being checked €4\.00 1 refund refused or unclear Webhooks failed /,
  );
  await world.settleAfter('decline', 'P-1');
  await operator.says(
    '/admin',
    / 2 transactions being checked As of .* Being checked €9\.00 1 refund refused or unclear 1 payout reported failed /,
  );
  await world.pass(M);
  await operator.says('/admin', / Being checked €4\.00 1 refund refused or unclear Webhooks failed /);
  await world.pass(20 * M);
  await operator.says(
    '/admin/transactions/A-1',
    / A-1-r1 −€4\.00 Failed The gateway refused it\. No money moved\. tried 20 Nov .* Refund of €4\.00 started · A-1-r1 [\d:]+ Refund of €4\.00 failed · A-1-r1 /,
  );
});

it('a payment whose last refund failed is to refund for 7 days, until another refund is started', async (t) => {
  const operator = await signedIn(t, { profile: REFUNDS_QR });
  const { world } = operator;
  await world.paid({ orderId: 'A-1', amount: '10.00' }, '23456789');
  const refund = (key: string) =>
    world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId: 'A-1', amount: '4', idempotencyKey: key });
  await refund('first');
  await world.settleAfter('decline', 'A-1-r1');
  await operator.says('/admin/health', / ✓ To refund Nothing\. /);
  const reported = / Refund of €4\.00 started · A-1-r1 [\d:]+ Refund of €4\.00 reported failed · A-1-r1 Webhooks /;
  await operator.says('/admin/transactions/A-1', reported);
  await world.pass(M);
  await operator.says(
    '/admin',
    / 1 payment to refund As of .* Pause Refund failed A-1 · QR code •••• 6789 · open for [\w ]+ The refund of €4\.00 failed\. Declined by the gateway\. No money moved\. Refund it again\. €4\.00 Refund Received /,
  );
  await operator.says('/admin/health', / ! To refund 1 payment ✓ To settle Nothing\. /);
  await operator.says(
    '/admin/transactions/A-1',
    / €10\.00 Paid · refund of €4\.00 failed A-1 .* To refund The refund of €4\.00 failed\. Refund it again\. Came in €10\.00 .* From •••• 6789 Refunds, oldest first .* Amount \(whole EUR\) /,
  );
  await operator.says('/admin/transactions', / Paid · refund of €4\.00 failed /);
  assert.match(await operator.open('/admin/transactions/A-1'), /name="amount"[^>]*value="4"/);
  await refund('again');
  await operator.says('/admin', /Nothing to review, refund or settle /);
  await world.settleAfter('decline', 'A-1-r2');
  await world.pass(M);
  await operator.says('/admin/health', / ! To refund 1 payment /);
  world.skip(8 * D);
  await operator.signIn();
  await operator.says('/admin/health', / ✓ To refund Nothing\. /);
  await world.paid({ orderId: 'B-1', amount: '7.00' }, '23456789');
  await world.proxy.refunds.start({ orderId: 'B-1', gatewayOrderId: 'B-1', amount: '7', idempotencyKey: 'all' });
  await world.settleAfter('decline', 'B-1-r1');
  assert.match(
    await operator.open('/admin/transactions/B-1'),
    /status wait long">Paid\s· €7\.00 refund being checked</,
  );
  await operator.says('/admin/transactions/B-1', / €7\.00 is being checked, so there is nothing to do yet\. /);
});

it('health and overview say since when the gateway does not answer, until it does', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  const silent = 'The gateway has given no usable answer since 20 Nov 2026, 12:00:00 UTC\\.';
  await world.faults({ pay: { status: 503 } });
  await world.start(world.token(), { method: 'QR' });
  world.skip(S);
  await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
  await operator.says(
    '/admin/health',
    new RegExp(` but something needs attention\\. .* ! Gateway ${silent} \\(HTTP 503`),
  );
  await operator.says('/admin', new RegExp(` 1 thing needs attention As of .* ${silent} HTTP 503[^.]*Open health `));
  await world.faults({ pay: { status: 422 } });
  await world.start(world.token({ orderId: 'A-3' }), { method: 'QR' });
  await operator.says('/admin/health', / ✓ Gateway A test gateway: no money moves\. /);
});
