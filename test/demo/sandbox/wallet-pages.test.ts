// The wallet phone, in a browser with cookies and forms but no script: requests, codes, activity and balances.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Browser, collection, LOGO, openSandbox, payout, statusOf, type Opened } from './sandbox-fixture.ts';

describe('the wallet phone', () => {
  async function phoneOf(opened: Opened, walletId = '12345678'): Promise<Browser> {
    const phone = new Browser(opened);
    await phone.open(`/wallet?as=${walletId}`);
    return phone;
  }

  it('the phone shows a DIRECT payment only to its customer, and approves it', async () => {
    const opened = openSandbox({ merchantLogo: LOGO });
    await opened.send('pay', collection('DIRECT'));
    const bruno = await phoneOf(opened, '23456789');
    assert.doesNotMatch(bruno.text, /Asked just now/);
    const ada = await phoneOf(opened);
    assert.ok(ada.html.includes(`<img class="avatar square" src="${LOGO}" alt="" />`));
    assert.match(ada.text, /Asked just now €10\.50 Order order-DIRECT Website shop\.example Balance after €2,489\.50/);
    assert.match(ada.text, / Decline Approve €10\.50/);
    assert.match(ada.text, /Balance €2,500\.00 Also \$1,800\.00 and £950\.00/);
    bruno.html = ada.html;
    await bruno.submit('/wallet/answer', { answer: 'approve' });
    assert.equal(bruno.status, 404);
    await ada.submit('/wallet/answer', { answer: 'approve' });
    assert.match(
      ada.text,
      /Paid €10\.50 Sent to Demo Shop\. Order order-DIRECT Paid on Nov 20, 2026, 12:00 PM UTC Balance now €2,489\.50/,
    );
    await ada.open('/wallet');
    assert.match(ada.text, /−€10\.50 order-DIRECT Wallet app just now/);
    await opened.pass(60_000);
    await ada.open('/wallet');
    assert.match(ada.text, /order-DIRECT Wallet app 1 min ago/);
    assert.doesNotMatch(ada.text, /Nov 20, 2026/, 'today has no date');
    await opened.pass(86_400_000);
    await ada.open('/wallet');
    assert.match(
      ada.text,
      /Activity Nov 20, 2026, UTC .* order-DIRECT Wallet app 12:00 (?!.*Nov 20).* Opening balance 12:00 /,
    );
    assert.deepEqual(await statusOf(opened, 'order-DIRECT'), ['SUCCESS', 'SUCCESS']);
  });

  for (const [method, paste] of [
    ['QR', 'the whole text'],
    ['JETGO', 'the code alone'],
  ] as const) {
    it(`the phone opens a ${method} code from ${paste}, sets PROCESSING, and declines it`, async () => {
      const opened = openSandbox();
      const { json } = await opened.send('pay', collection(method));
      const text = Buffer.from(String(json['qr']), 'base64').toString();
      const code = paste === 'the whole text' ? text : (new URL(text).searchParams.get('code') ?? '');
      const phone = await phoneOf(opened);
      await phone.open(`/wallet/scan?code=${encodeURIComponent(code)}`);
      assert.deepEqual(await statusOf(opened, `order-${method}`), ['PROCESSING', 'PROCESSING']);
      await phone.submit('/wallet/answer', { answer: 'decline' });
      assert.match(
        phone.text,
        /Not paid €10\.50 You declined this payment\. No money was taken\. Order order-\w+ Ended on Nov 20, 2026, 12:00 PM UTC Balance/,
      );
      await opened.pass(86_400_000);
      await phone.open(`/wallet/scan?code=${encodeURIComponent(code)}`);
      assert.match(
        phone.text,
        / Ended on Nov 20, 2026, 12:00 PM UTC /,
        'a code that is opened again is no new payment',
      );
      assert.deepEqual(await statusOf(opened, `order-${method}`), ['FAILED', 'DECLINED']);
      assert.equal((await opened.transaction(`order-${method}`))['customer'], '12345678');
    });
  }

  for (const [end, said] of [
    ['approve', 'Paid €10.50 Another wallet has paid this payment.'],
    ['decline', 'Not paid €10.50 This payment was declined. No money was taken.'],
  ] as const) {
    it(`a request that ends elsewhere by ${end} says so on the open phone, and to an answer that comes too late`, async () => {
      const opened = openSandbox();
      const { json } = await opened.send('pay', collection('QR'));
      const phone = await phoneOf(opened);
      await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
      const asked = phone.html;
      const [, live = '', version] = /data-live="([^"]+)"\s+data-version="([^"]+)"/.exec(asked) ?? [];
      await phone.open(`${live}?since=${version}`);
      assert.equal(phone.status, 204);
      await opened.pass(60_000);
      await phone.open(`${live}?since=${version}`);
      assert.match(JSON.parse(phone.html).regions.payment, /<dt>Asked<\/dt>\s*<dd>1 min ago</);
      await opened.control('transactions/order-QR/' + end, end === 'approve' ? { customer: '23456789' } : {});
      await phone.open(`${live}?since=${version}`);
      const words = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
      assert.ok(words(JSON.parse(phone.html).regions.payment).includes(said));
      for (const answer of ['approve', 'decline']) {
        phone.html = asked;
        await phone.submit('/wallet/answer', { answer });
        assert.ok(phone.text.includes(said), phone.text);
      }
    });
  }

  it('the phone says by how much the clock was moved, before and after it is opened', async () => {
    const opened = openSandbox();
    const phone = await phoneOf(opened);
    assert.doesNotMatch(phone.text, /clock/);
    const [, version] = /data-version="([^"]+)"/.exec(phone.html) ?? [];
    await opened.control('clock', { advanceMs: 900_000 });
    await phone.open(`/wallet/live?since=${version}`);
    assert.match(JSON.parse(phone.html).regions.banner, /The clock is 15 minutes ahead/);
    await phone.open('/wallet');
    assert.match(phone.text, /no money moves\. The clock is 15 minutes ahead\./);
    await phone.open('/wallet?as=');
    assert.match(phone.text, /The clock is 15 minutes ahead\. .*Whose phone is this\?/);
  });

  it('the phone names the website that asks, as the hosted checkout does', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    const phone = await phoneOf(opened);
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(phone.text, /Order order-QR Website shop\.example Asked just now/);
  });

  it('a code that is opened before it is known whose phone it is asks that below what is to pay, unless it is paid', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    const phone = new Browser(opened);
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(
      phone.text,
      /Pay Demo Shop €10\.50 Whose phone is this\? Choose Ada Keller, the demo’s customer, or another one\. /,
    );
    assert.deepEqual(await statusOf(opened, 'order-QR'), ['INITIALIZED', 'INITIALIZED'], 'nobody has opened it yet');
    await opened.control('transactions/order-QR/approve');
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(phone.text, /Whose phone is this\?/);
    assert.doesNotMatch(phone.text, /Pay Demo Shop/);
  });

  it('a code that somebody else has paid says so', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve', { customer: '12345678' });
    const phone = await phoneOf(opened, '23456789');
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(
      phone.text,
      /Paid €10\.50 Another wallet has paid this payment\. Order order-QR .* Balance now €640\.50/,
    );
    assert.doesNotMatch(phone.html, /data-live/);
  });

  it('of two phones that opened a code, each can pay, and the other then says that another wallet has paid', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    const code = Buffer.from(String(json['qr']), 'base64').toString();
    const ada = await phoneOf(opened);
    await ada.open(code);
    const [, live = ''] = /data-live="([^"]+)"/.exec(ada.html) ?? [];
    const bruno = await phoneOf(opened, '23456789');
    await bruno.open(code);
    await bruno.submit('/wallet/answer', { answer: 'approve' });
    assert.match(bruno.text, /Paid €10\.50 Sent to Demo Shop\./);
    await ada.open(live);
    assert.match(JSON.parse(ada.html).regions.payment, /Another wallet has paid this payment\./);
    await ada.open(live.replace('/live', ''));
    assert.match(ada.text, /Ada .*Paid €10\.50 Another wallet has paid this payment\. Order order-QR .*Done/);
  });

  it('the phone says of a request that its customer has already paid the order, and when', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR', { orderId: 'A-1' }));
    await opened.control('transactions/A-1/approve', { customer: '12345678' });
    await opened.pass(120_000);
    const { json } = await opened.send('pay', collection('QR', { orderId: 'A-1-2' }));
    const code = Buffer.from(String(json['qr']), 'base64').toString();
    const phone = await phoneOf(opened, '23456789');
    await phone.open(code);
    assert.doesNotMatch(phone.text, /already paid/, 'another customer paid it');
    await phone.open('/wallet?as=12345678');
    await phone.open(code);
    assert.match(phone.text, /€10\.50 You already paid this order 2 min ago\. Order A-1/);
    await phone.open('/wallet');
    assert.match(phone.text, /You already paid this order 2 min ago\. Decline Approve €10\.50 again/);
  });

  it('where the balance is too low, the main button of the phone tops it up', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    const phone = await phoneOf(opened, '34567890');
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(
      phone.text,
      /€10\.50 The balance is €6\.30 too low\. .* Balance €4\.20 Decline Top up and approve Test a decline: Approve anyway/,
    );
    assert.match(phone.html, /class="main">Top up and approve</);
    await phone.submit('/wallet/answer', { answer: 'approve' });
    await phone.open('/wallet');
    assert.match(phone.text, / Activity DS Demo Shop €10\.50 Balance too low order-QR just now /);
    const { json: next } = await opened.send('pay', collection('QR', { orderId: 'next' }));
    await phone.open(Buffer.from(String(next['qr']), 'base64').toString());
    await phone.submit('/wallet/answer', { answer: 'top-up' });
    assert.match(phone.text, /Paid €10\.50 Sent to Demo Shop\. Order next .* Balance now €0\.00/);
    await phone.open('/wallet');
    assert.match(phone.text, / −€10\.50 next QR code just now .* Money added \+€6\.30 Top-up just now/);
  });

  it('a DIRECT payment says who declined it: the person on the phone, or nobody there', async () => {
    const opened = openSandbox();
    const phone = await phoneOf(opened);
    for (const [orderId, said] of [
      ['here', 'You declined this payment.'],
      ['elsewhere', 'This payment was declined.'],
    ] as const) {
      const { json } = await opened.send('pay', collection('DIRECT', { orderId }));
      await phone.open('/wallet');
      if (orderId === 'here') {
        await phone.submit('/wallet/answer', { answer: 'decline' });
        assert.match(phone.html, /Back to Demo Shop<[^]*class="button main" href="\/wallet">Done</);
      } else await opened.control(`transactions/${orderId}/decline`);
      await phone.open(`/wallet/payments/${String(json['paymentId'])}`);
      assert.ok(phone.text.includes(said), phone.text);
    }
  });

  it('the phone names the order of a second payment and of a refund, and the balance that is left', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR', { orderId: 'A-1' }));
    const { json } = await opened.send('pay', collection('DIRECT', { orderId: 'A-1-2' }));
    const phone = await phoneOf(opened);
    assert.match(phone.text, /Asked just now €10\.50 Order A-1 Website shop\.example Balance after €2,489\.50/);
    await phone.submit('/wallet/answer', { answer: 'approve' });
    assert.match(
      phone.text,
      /Paid €10\.50 Sent to Demo Shop\. Order A-1 Paid on Nov 20, 2026, 12:00 PM UTC Balance now €2,489\.50 Back to Demo Shop Done/,
    );
    await opened.send('payout', payout({ orderId: 'A-1-2-r1', amount: 10, note: 'Torn' }));
    await opened.pass(1_000);
    const receipt = `/wallet/payments/${String(json['paymentId'])}`;
    await phone.open(receipt);
    assert.match(phone.text, /Paid €10\.50 .* Refunded €10\.00 of €10\.50 Balance now €2,499\.50/);
    await phone.open('/wallet');
    assert.match(phone.text, /−€10\.50 A-1 Wallet app Refunded €10\.00 of €10\.50 just now/);
    assert.match(phone.text, /\+€10\.00 Refund A-1 Torn just now/);
    await opened.send('payout', payout({ orderId: 'A-1-2-r2', amount: 1, note: 'Money back for A-1' }));
    await opened.pass(1_000);
    await phone.open('/wallet');
    assert.match(phone.text, /\+€1\.00 Money back for A-1 just now/, 'the order is named once');
    assert.match(phone.text, /−€10\.50 A-1 Wallet app Refunded just now/);
    await phone.open(receipt);
    assert.match(
      phone.text,
      /Refunded €10\.50 Demo Shop sent the money back\. Order A-1 Paid on Nov 20, 2026, 12:00 PM UTC Balance now /,
    );
  });

  it('the activity tells the payments of one order apart', async () => {
    const opened = openSandbox();
    for (const orderId of ['A-1', 'A-1-2']) {
      await opened.send('pay', collection('QR', { orderId }));
      await opened.control(`transactions/${orderId}/approve`);
    }
    const { text } = await phoneOf(opened);
    assert.match(text, / −€10\.50 A-1 Another payment of this order just now .* −€10\.50 A-1 QR code just now /);
  });

  it('a refund and a payout open from the activity, and the refund leads to its payment', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('DIRECT', { orderId: 'A-1' }));
    await opened.control('transactions/A-1/approve');
    const phone = await phoneOf(opened);
    for (const [orderId, said] of [
      ['A-1-r1', 'Refund received €25.00 Refund · A-1 · Torn From Demo Shop Received on Nov 20, 2026, 12:00 PM UTC'],
      ['B-1', 'Payout received €25.00 Payout · Torn From Demo Shop Received on Nov 20, 2026, 12:00 PM UTC'],
    ] as const) {
      await opened.send('payout', payout({ orderId, note: 'Torn' }));
      await opened.pass(1_000);
      await phone.open('/wallet');
      const [, way = ''] = /class="movement[^"]*" href="([^"]+)"/.exec(phone.html) ?? [];
      await phone.open(way);
      assert.ok(phone.text.includes(said), phone.text);
      const payment = `href="/wallet/payments/${String(json['paymentId'])}">Show the payment`;
      assert.equal(phone.html.includes(payment), orderId === 'A-1-r1');
    }
    const bruno = await phoneOf(opened, '23456789');
    await bruno.open('/wallet/payments/100002');
    assert.equal(bruno.status, 404, 'it is not his');
  });

  it('Switch phone asks whose phone it is, although that is known', async () => {
    const phone = await phoneOf(openSandbox());
    const [, way = ''] = /<a class="way switch" href="([^"]+)">Switch phone</.exec(phone.html) ?? [];
    await phone.open(way);
    assert.match(phone.text, /Whose phone is this\? .* Ada Keller .* Bruno Costa .* Chiyo Mori/);
    assert.doesNotMatch(phone.html, /type="hidden"/, 'only the button names the customer');
    await phone.open('/wallet?as=23456789');
    assert.match(phone.text, /Bruno Costa Wallet 2345 6789 Switch phone Balance/);
  });

  it('a code that the wallet does not know is an error under its field, on the same phone', async () => {
    const phone = await phoneOf(openSandbox());
    await phone.open('/wallet/scan?code=gar"bage');
    assert.equal(phone.status, 422);
    assert.match(
      phone.html,
      /<input\s+id="code"[^>]*value="gar&quot;bage"[^>]*aria-describedby="problem"[^>]*autofocus/,
    );
    assert.match(phone.text, /Open This is not a code of this wallet, or it is from an earlier run\. .*Activity/);
  });

  it('the newest of several requests is shown in full, and each other one is a way to it, below the balance after 15 minutes', async () => {
    const opened = openSandbox();
    for (const [orderId, minutes] of [
      ['A-1', 15],
      ['A-2', 1],
      ['A-3', 0],
    ] as const) {
      await opened.send('pay', collection('DIRECT', { orderId }));
      await opened.pass(minutes * 60_000);
    }
    const phone = await phoneOf(opened);
    assert.match(
      phone.text,
      /Asked just now €10\.50 Order A-3 .* 1 more request .* €10\.50 A-2 1 min ago Balance €2,500\.00 .* 1 request older than 15 minutes .* €10\.50 A-1 16 min ago /,
    );
    assert.equal(phone.text.match(/Decline /g)?.length, 1);
    const ways = [...phone.html.matchAll(/id="request-\d+" class="movement" href="([^"]+)"/g)];
    await phone.open(ways[1]?.[1] ?? '');
    assert.match(phone.text, /Order A-1 .* Decline Approve €10\.50/);
    await phone.submit('/wallet/answer', { answer: 'decline' });
    assert.match(phone.html, /class="button main" href="\/wallet">Done</, 'a second tap pays nothing');
    assert.match(phone.text, /2 more requests .* Back to Demo Shop Done /, 'the shop is a way on, although more waits');
    await phone.open('/wallet');
    assert.match(phone.text, / 1 more request .* Activity DS Demo Shop €10\.50 Declined A-1 just now /);
    for (let number = 4; number <= 7; number++)
      await opened.send('pay', collection('DIRECT', { orderId: `A-${number}` }));
    await phone.open('/wallet');
    assert.match(phone.text, / 5 more requests .* A-6 .* A-5 .* A-4 .* Show all 5 .* A-3 .* A-2 .* Balance /);
  });

  it('a receipt says while it is open that another request has come, and leads to it', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('DIRECT', { orderId: 'A-1' }));
    const phone = await phoneOf(opened);
    await phone.submit('/wallet/answer', { answer: 'approve' });
    assert.doesNotMatch(phone.text, /more request/);
    const [, live = '', version] = /data-live="([^"]+)"\s+data-version="([^"]+)"/.exec(phone.html) ?? [];
    await opened.send('pay', collection('DIRECT', { orderId: 'A-2' }));
    await phone.open(`${live}?since=${version}`);
    assert.match(JSON.parse(phone.html).regions.others, /href="\/wallet">1 more request</);
  });

  it('the phone answers live.js with the changes since a version, or 204', async () => {
    const opened = openSandbox();
    const phone = await phoneOf(opened);
    const [, version] = /data-version="([^"]+)"/.exec(phone.html) ?? [];
    await phone.open(`/wallet/live?since=${version}`);
    assert.equal(phone.status, 204);
    await opened.send('pay', collection('DIRECT'));
    await phone.open(`/wallet/live?since=${version}`);
    const { regions, version: next } = JSON.parse(phone.html);
    assert.match(regions.prompts, /Asked just now/);
    assert.notEqual(next, version);
    await opened.pass(30_000);
    await phone.open(`/wallet/live?since=${next}`);
    assert.equal(phone.status, 200, 'a new security code is a change');
  });

  it('a balance is always the sum of its movements', async () => {
    const opened = openSandbox();
    for (const [index, method] of (['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const).entries()) {
      await opened.send('pay', collection(method, { amount: 900.05 * (index + 1) }));
      await opened.control(`transactions/order-${method}/approve`);
    }
    await opened.send('payout', payout({ currency: 'JPY' }));
    await opened.pass(1_000);
    for (const { balances, movements } of opened.sandbox.processor.customers) {
      for (const [currency, minor] of balances) {
        const sum = movements.filter((m) => m.currency === currency).reduce((total, m) => total + m.minor, 0n);
        assert.equal(minor, sum);
        assert.ok(minor >= 0n);
      }
    }
  });
});
