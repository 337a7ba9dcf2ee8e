// The overview, the sandbox's page for developers: what it shows of transactions, requests and faults, and that each
// of its controls does what the same control does for tests over HTTP.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { PRESETS } from '../../../demo/sandbox/fault-presets.ts';
import { METHODS, NAMES } from '../../../demo/sandbox/methods.ts';
import { enFlow } from '../../../widget/locales/en-flow.ts';
import { Browser, collection, HOME, openOverview, openSandbox, type Opened, payout } from './sandbox-fixture.ts';

async function activeFaults(opened: Opened): Promise<unknown> {
  const { faults } = await (await opened.request('/_sandbox/faults')).json();
  return faults;
}

async function statusOf(opened: Opened, orderId: string): Promise<unknown[]> {
  const { status, message } = await opened.transaction(orderId);
  return [status, message];
}

/** The row of a transaction, without its markup. */
function rowOf(browser: Browser, orderId: string): string {
  const rows = [
    ...browser.html.matchAll(/<li class="transaction\b.*?(?=<li class="transaction\b|<section|<\/main>)/gs),
  ];
  const [row = ''] = rows.find(([html]) => html.includes(`>${orderId}<`)) ?? [];
  return row.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
}

describe('the overview of transactions', () => {
  it('before the first transaction, the page says how to start one', async () => {
    const opened = openSandbox();
    const first = / Waiting 0 Buy something in the shop\. /;
    assert.match((await openOverview(opened)).text, first);
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve');
    const { text } = await openOverview(opened);
    assert.doesNotMatch(text, first);
    assert.match(text, / Waiting 0 Nothing waits\. /);
  });

  it('gateway page and phone lead to the merchant’s pages, if their addresses are known', async () => {
    const [shopUrl, deskUrl] = ['https://shop.example', 'https://shop.example/desk'];
    const operatorUrl = 'https://pay.shop.example/admin';
    for (const known of [{ shopUrl, deskUrl, operatorUrl }, {}]) {
      const opened = openSandbox(known);
      const links = async (path: string) => {
        const browser = new Browser(opened);
        await browser.open(path);
        return [...browser.html.matchAll(/href="(https:[^"]+)"[^>]*>([^<]+)</g)].map(
          ([, to, name]) => `${name}: ${to}`,
        );
      };
      const [shop, desk, start] = [`Shop: ${shopUrl}`, `Desk: ${deskUrl}`, `the shop: ${shopUrl}`];
      const isKnown = 'shopUrl' in known;
      assert.deepEqual(await links('/'), isKnown ? [shop, desk, `Operator: ${operatorUrl}`, start] : []);
      for (const path of ['/wallet', '/wallet?as=12345678']) assert.deepEqual(await links(path), isKnown ? [shop] : []);
    }
  });

  it('a row says in words what a transaction is and how it stands, and its details in words and in the codes of the gateway', async () => {
    const opened = openSandbox();
    opened.merchant.answer = () => new Response(null, { status: 418 });
    await opened.send('pay', collection('QR'));
    await opened.send('pay', collection('CHECKOUT'));
    await opened.send('payout', payout());
    await opened.control('transactions/order-QR/approve');
    await opened.control('transactions/order-CHECKOUT/expire');
    await opened.pass(0);
    const browser = await openOverview(opened);
    assert.match(
      rowOf(browser, 'order-QR'),
      /€10\.50 order-QR QR code · Ada Keller · 12:00 Paid IPN waiting answer 418/,
    );
    assert.match(rowOf(browser, 'order-CHECKOUT'), /€10\.50 order-CHECKOUT Wallet website · 12:00 Expired IPN/);
    assert.match(rowOf(browser, 'order-CHECKOUT'), /12:00:00 Expired CHECKOUT FAILED TOKEN_EXPIRED/);
    assert.match(
      rowOf(browser, 'payout-1'),
      /−€25\.00 payout-1 Payout · Ada Keller · 12:00 Open the phone 12:00:00 Waiting PAYOUT INITIALIZED/,
    );
    assert.match(browser.text, / Waiting 1 .* Ended 2 /);
  });

  it('a payout that sends a payment back is called a refund, as the payment says; one with another order id is not', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve', { customer: '12345678' });
    await opened.send('payout', payout({ orderId: 'order-QR-r1', amount: 4 }));
    await opened.pass(1_000);
    const browser = await openOverview(opened);
    assert.match(rowOf(browser, 'order-QR'), / Ada Keller · 12:00 · IPN ✓ Paid Refunded €4\.00 of €10\.50 /);
    await opened.send('payout', payout({ orderId: 'order-QR-r3', amount: 6 }));
    await opened.pass(1_000);
    await browser.open('/');
    assert.match(rowOf(browser, 'order-QR'), / IPN ✓ Paid Refunded €10\.00 of €10\.50 /, 'whatever can still go back');
    for (const orderId of ['order-QR-r2', 'order-XY-r1']) await opened.send('payout', payout({ orderId }));
    await opened.pass(1_000);
    await browser.open('/');
    assert.match(rowOf(browser, 'order-QR-r2'), /−€25\.00 order-QR-r2 Refund · Ada Keller · 12:00 · IPN ✓ Refunded /);
    assert.match(rowOf(browser, 'order-XY-r1'), /−€25\.00 order-XY-r1 Payout · Ada Keller · 12:00 · IPN ✓ Paid out /);
    assert.match(rowOf(browser, 'order-QR'), / QR code · Ada Keller · 12:00 · IPN ✓ Refunded (?!.*Refunded €)/);
  });

  it('what failed says so, and why beside the method if its chip does not say that', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.send('payout', payout({ customer: '99999999' }));
    await opened.pass(1_000);
    const phone = new Browser(opened);
    await phone.open('/wallet?as=34567890');
    const { code } = await opened.transaction('order-QR');
    await phone.open(`/wallet/scan?code=${String(code)}`);
    await phone.submit('/wallet/answer', { answer: 'approve' });
    const browser = await openOverview(opened);
    assert.match(
      rowOf(browser, 'payout-1'),
      / Payout · wallet 99999999 · No such customer · 12:00 · IPN ✓ Failed .* Failed · No such customer PAYOUT FAILED UNKNOWN_CUSTOMER/,
    );
    assert.match(rowOf(browser, 'order-QR'), / QR code · Chiyo Mori · 12:00 Balance too low /);
  });

  for (const [action, expected] of [
    ['approve', ['SUCCESS', 'SUCCESS']],
    ['decline', ['FAILED', 'DECLINED']],
    ['expire', ['FAILED', 'TOKEN_EXPIRED']],
  ] as const) {
    it(`the overview has a button to ${action}`, async () => {
      const opened = openSandbox();
      await opened.send('pay', collection('CHECKOUT'));
      const browser = await openOverview(opened);
      await browser.submit(`/overview/${action}`);
      assert.deepEqual(await statusOf(opened, 'order-CHECKOUT'), expected);
      assert.equal(browser.url, `${HOME}/`);
    });
  }

  it('what waits is approved or declined without opening it, above what has ended, the newest first', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('DIRECT'));
    await opened.send('pay', collection('CHECKOUT'));
    await opened.send('pay', collection('QR'));
    await opened.send('pay', collection('JETGO'));
    await opened.control('transactions/order-JETGO/approve');
    const { html } = await openOverview(opened);
    const shown = [...html.matchAll(/class="order">([\w-]+)</g)].map(([, orderId]) => orderId);
    assert.deepEqual(
      shown,
      ['order-QR', 'order-CHECKOUT', 'order-DIRECT', 'order-JETGO'],
      'what waits is above what has ended',
    );
    const buttons = html.replace(/<details.*?<\/details>/gs, '').matchAll(/aria-label="([\w ]+ order-\w+)"/g);
    assert.deepEqual(
      [...buttons].map(([, name]) => name),
      [
        'Decline order-QR',
        'Approve as Ada order-QR',
        'Decline order-CHECKOUT',
        'Approve as Ada order-CHECKOUT',
        'Decline order-DIRECT',
        'Approve order-DIRECT',
      ],
    );
  });

  it('what ended last is at the top of what has ended, and stands out for a moment', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('CHECKOUT'));
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve');
    await opened.pass(60_000);
    await opened.control('transactions/order-CHECKOUT/approve');
    const browser = await openOverview(opened);
    const shown = () => [...browser.html.matchAll(/<li class="transaction ?(news)?">.*?class="order">([\w-]+)</gs)];
    const rows = shown().map(([, news, orderId]) => [orderId, news]);
    assert.deepEqual(rows, [
      ['order-CHECKOUT', 'news'],
      ['order-QR', undefined],
    ]);
    await opened.pass(10_000);
    await browser.open('/');
    assert.equal(shown()[0]?.[1], undefined, 'after that it looks as the others');
    assert.doesNotMatch(browser.html, /<h3>20 Nov/, 'what ended today has no date');
    await browser.submit('/overview/clock', { ms: '86400000' });
    await opened.send('pay', collection('JETGO'));
    await opened.control('transactions/order-JETGO/decline');
    await browser.open('/');
    assert.match(
      browser.text.replace(/ Latest requests .*/, ''),
      / Ended 3 €10\.50 order-JETGO .* Nov 20, 2026, UTC €10\.50 order-CHECKOUT (?!.*2026, UTC).* order-QR /,
    );
  });

  it('the details of a hosted checkout that waits say when it expires, and the other methods have no such time', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.send('pay', collection('CHECKOUT'));
    const browser = await openOverview(opened);
    assert.match(rowOf(browser, 'order-CHECKOUT'), /nobody yet · 12:00 Open checkout Expire expires in 15:00 /);
    assert.doesNotMatch(rowOf(browser, 'order-QR'), /expires/);
    await browser.submit('/overview/clock', { ms: '60000' });
    assert.match(rowOf(browser, 'order-CHECKOUT'), /expires in 14:00/);
  });

  it('the methods have the names of the widget’s receipt', () => {
    assert.deepEqual(
      METHODS.map((method) => NAMES[method]),
      // Of a wallet without a name of its own.
      METHODS.map((method) => enFlow[method].replace(/\[(.*)\|.*\]/, '$1')),
    );
  });

  it('a row says who has logged in at the checkout or scanned the code, and changes on open pages', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('CHECKOUT'));
    const overview = await openOverview(opened);
    const [, version = ''] = /data-version="([^"]+)"/.exec(overview.html) ?? [];
    const checkout = new Browser(opened);
    await checkout.open(String(json['checkout']));
    await checkout.submit('/pay/login', { wallet: '23456789', password: 'sandbox' });
    assert.equal((await opened.request(`/overview/live?since=${version}`)).status, 200);
    await overview.open('/');
    assert.match(rowOf(overview, 'order-CHECKOUT'), /Wallet website · Bruno Costa · 12:00 Opened/);
    await checkout.open('/wallet?as=23456789');
    assert.doesNotMatch(checkout.text, /Approve/, 'it is confirmed at the checkout, not on the phone');
    await overview.submit('/overview/approve');
    assert.equal((await opened.transaction('order-CHECKOUT')).customer, '23456789');
  });

  it('a row says who pays if its wallet is nobody’s', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('DIRECT', { customer: '99999999' }));
    const row = rowOf(await openOverview(opened), 'order-DIRECT');
    assert.match(row, /wallet 99999999 .* Approve as Ada/);
    assert.doesNotMatch(row, /Open the phone/, 'nobody has it');
  });

  it('a row names what the balance lacks, and the button and the choice of who pays that it is topped up', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('DIRECT', { customer: '34567890' }));
    await opened.send('pay', collection('QR'));
    const browser = await openOverview(opened);
    assert.match(
      rowOf(browser, 'order-DIRECT'),
      /Chiyo Mori · Missing €6\.30 · 12:00 Open the phone .* Top up and approve/,
    );
    assert.match(rowOf(browser, 'order-QR'), /Bruno Costa Chiyo Mori, top up €6\.30 .* Approve as Ada/);
    const chiyo = new Browser(opened);
    await chiyo.open('/wallet?as=34567890');
    await chiyo.open(`/wallet/scan?code=${String((await opened.transaction('order-QR'))['code'])}`);
    await browser.open('/');
    assert.match(rowOf(browser, 'order-QR'), /Chiyo Mori · Missing €6\.30 .* Top up and approve/);
    assert.match(browser.html, /<option value="34567890" selected>/);
    await browser.submit('/overview/approve');
    assert.doesNotMatch(rowOf(browser, 'order-QR'), /Missing/);
  });

  it('a row no longer names who has left the checkout, or was logged out there by wrong codes, and stays opened', async () => {
    for (const [step, times] of [
      ['leave', 1],
      ['verify', 5],
    ] as const) {
      const opened = openSandbox();
      const { json } = await opened.send('pay', collection('CHECKOUT'));
      const checkout = new Browser(opened);
      await checkout.open(String(json['checkout']));
      await checkout.submit('/pay/login', { wallet: '23456789', password: 'sandbox' });
      for (let time = 0; time < times; time += 1) await checkout.submit(`/pay/${step}`, { code: '000000' });
      const row = rowOf(await openOverview(opened), 'order-CHECKOUT');
      assert.match(
        row,
        /Wallet website · logged out · 12:00 Opened .* Opened CHECKOUT PROCESSING .* Approve as Ada/,
        step,
      );
    }
  });

  it('a row names who has canceled at the checkout, not the wallet that was asked for and does not exist', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('DIRECT', { customer: '99990000' }));
    const checkout = new Browser(opened);
    await checkout.open(String(json['checkout']));
    await checkout.submit('/pay/login', { wallet: '23456789', password: 'sandbox' });
    await checkout.submit('/pay/cancel');
    assert.match(rowOf(await openOverview(opened), 'order-DIRECT'), /Wallet website · Bruno Costa · 12:00 .*Canceled/);
  });

  it('of many that wait the newest five are shown, and the others behind a button', async () => {
    const opened = openSandbox();
    for (let number = 1; number <= 6; number++) await opened.send('pay', collection('QR', { orderId: `o-${number}` }));
    assert.doesNotMatch((await openOverview(opened)).html, /Show all/, 'one alone is not hidden');
    await opened.send('pay', collection('QR', { orderId: 'o-7' }));
    const [shown = '', more = ''] = (await openOverview(opened)).html.split('<details id="more-waiting"');
    const idsIn = (html: string) => [...html.matchAll(/class="order">([\w-]+)</g)].map(([, orderId]) => orderId);
    assert.deepEqual(idsIn(shown), ['o-7', 'o-6', 'o-5', 'o-4', 'o-3']);
    assert.match(more, /Show all 7/);
    assert.deepEqual(idsIn(more), ['o-2', 'o-1']);
  });

  it('a second request to create a payment is marked in its row and explained in its details', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.send('pay', collection('QR'));
    const row = rowOf(await openOverview(opened), 'order-QR');
    assert.match(row, /Requested 2 times 2 requests came to create it\. One was accepted\./);
  });

  it('what a fault has changed in an answer is in its row and, with its time, in its details, once until it differs', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.control('faults', { status: { tamper: { amount: 0.01 } } });
    for (let check = 0; check < 2; check++) await opened.send('status', { orderId: 'order-QR', type: 'PAY' });
    await opened.control('faults', { status: { tamper: { status: 'FAILED' } } });
    await opened.send('status', { orderId: 'order-QR', type: 'PAY' });
    await opened.control('faults', {});
    await opened.send('status', { orderId: 'order-QR', type: 'PAY' });
    const said = rowOf(await openOverview(opened), 'order-QR').match(/(12:00:00)? Reported \w+ [\w.&;]+/g);
    const [amount, status] = [' Reported amount 0.01', ' Reported status &quot;FAILED&quot;'];
    assert.deepEqual(said, [amount, status, `12:00:00${amount}`, `12:00:00${status}`]);
    await opened.pass(1_000);
    await opened.control('transactions/order-QR/approve');
    await opened.pass(0);
    const row = rowOf(await openOverview(opened), 'order-QR');
    assert.match(row, /Waiting QR .*12:00:00 Reported .*12:00:01 Paid .*12:00:01 IPN sent/, 'as it happened');
  });

  it('an IPN that was answered at once is a check mark, and any other says how it went', async () => {
    const opened = openSandbox();
    const checkMark = /aria-label="IPN delivered"/;
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve');
    assert.doesNotMatch((await openOverview(opened)).html, checkMark, 'not sent yet');
    await opened.pass(0);
    const simple = await openOverview(opened);
    assert.match(simple.html, checkMark);
    assert.match(rowOf(simple, 'order-QR'), /Ada Keller · 12:00 · IPN ✓ Paid Send IPN again/);
    opened.merchant.answer = () => new Response(null, { status: 503 });
    await simple.submit('/overview/ipn');
    await opened.pass(0);
    opened.merchant.answer = () => new Response(null, { status: 200 });
    await opened.pass(2_000);
    // One that was simple is not said beside one that was not.
    const repeated = await openOverview(opened);
    assert.doesNotMatch(repeated.html, checkMark);
    assert.match(
      rowOf(repeated, 'order-QR'),
      / IPN delivered, sent 2 times Send .* IPN sent answer 503 .* IPN sent answer 200 /,
    );
  });

  it('an IPN without an answer yet is no error', async () => {
    const opened = openSandbox();
    const answer = Promise.withResolvers<Response>();
    opened.merchant.answer = () => answer.promise;
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve');
    const isSent = opened.pass(0);
    await setImmediate();
    const asked = await openOverview(opened);
    assert.match(rowOf(asked, 'order-QR'), / IPN waiting no answer yet .* IPN sent no answer yet /);
    assert.doesNotMatch(asked.html, /chip bad/);
    answer.resolve(new Response(null, { status: 500 }));
    await isSent;
    assert.match(
      (await openOverview(opened)).html,
      /IPN waiting <span class="chip bad">answer 500 Internal Server Error</,
    );
  });

  it('the overview sends the IPN of a final transaction again', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve');
    await opened.pass(0);
    const browser = await openOverview(opened);
    await browser.submit('/overview/ipn');
    await opened.pass(0);
    assert.equal(opened.merchant.ipns.length, 2);
  });
});

describe('the test controls of the overview', () => {
  it('the overview shows the active faults in words, or as JSON if they have none, and hides the IPN secret', async () => {
    const opened = openSandbox();
    await opened.control('faults', { pay: { dropAnswer: true, delayMs: 5_000 }, status: { lagMs: 7 }, times: 7 });
    const browser = await openOverview(opened);
    assert.match(
      browser.text,
      /The gateway misbehaves Answer payment requests 5 s late · Lose answers to payment requests 7 .* Notifications \(IPNs\) go to .* UTC End all faults /,
    );
    assert.match(browser.text, /Status checks {&quot;lagMs&quot;:7} 7 more times/);
    assert.match(browser.text, /http:\/\/merchant\.example\/ipn\/…/);
    assert.doesNotMatch(browser.html, /ipn\/secret/);
  });

  for (const { id, target, words, fault } of PRESETS) {
    it(`the button “${words}” switches its fault on, and off again`, async () => {
      const opened = openSandbox();
      const browser = await openOverview(opened);
      const button = (pressed: boolean) =>
        new RegExp(`id="${id}"\\s+aria-pressed="${pressed}"\\s*>\\s*<span>\\s*${words}`);
      assert.match(browser.html, button(false));
      await browser.submit('/overview/fault', { fault: id, times: '' });
      assert.deepEqual(await activeFaults(opened), [{ target, fault, left: null }]);
      assert.match(browser.html, button(true));
      assert.match(browser.html, /<title>The gateway misbehaves/);
      assert.match(browser.text, / Test controls a fault is on /, 'what a phone folds');
      await browser.submit('/overview/fault', { fault: id, times: '' });
      assert.deepEqual(await activeFaults(opened), []);
    });
  }

  for (const [target, first, second] of [
    ['ipn', ['ipn-repeat', { repeat: 3 }], ['ipn-never', { never: true }]],
    ['payout', ['payout-refused', { status: 422 }], ['payout-held', { hold: true }]],
  ] as const) {
    it(`of ${first[0]} and ${second[0]}, which contradict each other, each switches the other off`, async () => {
      const opened = openSandbox();
      const browser = await openOverview(opened);
      for (const [id, fault] of [first, second, first]) {
        await browser.submit('/overview/fault', { fault: id, times: '' });
        assert.deepEqual(await activeFaults(opened), [{ target, fault, left: null }]);
      }
    });
  }

  it('how often a fault applies stays as chosen after it has applied, and on the next pages', async () => {
    const opened = openSandbox();
    const browser = await openOverview(opened);
    await browser.submit('/overview/fault', { fault: 'ipn-never', times: '1' });
    await opened.send('pay', collection('QR'));
    await browser.open('/');
    await browser.submit('/overview/approve');
    assert.deepEqual(await activeFaults(opened), []);
    assert.match(browser.html, /value="1"\s+checked/);
  });

  it('the overview advances the clock, says by how much, and tells open pages', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('CHECKOUT'));
    const browser = await openOverview(opened);
    const [, version = ''] = /data-version="([^"]+)"/.exec(browser.html) ?? [];
    await browser.submit('/overview/clock', { ms: '900000' });
    assert.match(browser.text, /12:15:00 UTC 15 minutes ahead Waiting .*only the gateway’s time, until it restarts\./);
    assert.deepEqual(await statusOf(opened, 'order-CHECKOUT'), ['FAILED', 'TOKEN_EXPIRED']);
    assert.equal((await opened.request(`/overview/live?since=${version}`)).status, 200);
  });
});
