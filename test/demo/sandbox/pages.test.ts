// The pages for customers, in a browser with cookies and forms but no script: the hosted checkout with its second
// factor, and the phone. Also their content security policy, escaping and languages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Browser, collection, openSandbox, type Opened, payout, SHOP } from './sandbox-fixture.ts';

async function openCheckout(opened: Opened, changes = {}): Promise<Browser> {
  const { json } = await opened.send('pay', collection('CHECKOUT', changes));
  const browser = new Browser(opened);
  await browser.open(String(json['checkout']));
  return browser;
}

/** The security code on the customer's phone. */
async function codeOnPhone(opened: Opened, walletId = '12345678'): Promise<string> {
  const phone = new Browser(opened);
  await phone.open(`/wallet?as=${walletId}`);
  const [, code] = /<output>(\d{3} \d{3})<\/output>/.exec(phone.html) ?? [];
  assert.ok(code, 'no code on the phone');
  return code;
}

const LOGO = 'data:image/svg+xml;base64,PHN2Zy8+';

const logIn = (browser: Browser, wallet = '12345678') => browser.submit('/pay/login', { wallet, password: 'sandbox' });

async function reachPayment(opened: Opened, browser: Browser, wallet?: string): Promise<void> {
  await logIn(browser, wallet);
  await browser.submit('/pay/verify', { code: await codeOnPhone(opened, wallet) });
}

async function statusOf(opened: Opened, orderId = 'order-CHECKOUT'): Promise<unknown[]> {
  const { status, message } = await opened.transaction(orderId);
  return [status, message];
}

describe('the hosted checkout', () => {
  it('the checkout asks for login, second factor and confirmation, then redirects to the shop with the money moved', async () => {
    const opened = openSandbox();
    const ada = opened.sandbox.processor.customer('12345678');
    const before = ada?.balance('EUR') ?? 0n;
    const browser = await openCheckout(opened);
    assert.match(browser.text, /€10\.50 Order order-CHECKOUT Website shop\.example .*the password is “sandbox”/);
    await logIn(browser, '1234\u00a05678');
    assert.deepEqual(await statusOf(opened), ['PROCESSING', 'PROCESSING']);
    await browser.submit('/pay/verify', { code: await codeOnPhone(opened) });
    assert.match(browser.text, /Review and pay From Ada Keller Wallet 1234 5678 /);
    await browser.submit('/pay/confirm');
    assert.equal(browser.url, SHOP);
    assert.deepEqual(await statusOf(opened), ['SUCCESS', 'SUCCESS']);
    assert.equal(ada?.balance('EUR'), before - 1050n);
    await opened.pass(0);
    const sent = opened.merchant.ipns.map(({ body }) => [body['status'], body['customer']]);
    assert.deepEqual(sent, [['SUCCESS', '12345678']]);
  });

  it('the checkout names whose code it asks for, and leads another person back to the login', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await logIn(browser);
    assert.match(browser.text, /Confirm that it is you Ada Keller · 1234 5678 Not you\?/);
    await browser.submit('/pay/leave');
    assert.match(browser.text, /Log in to your wallet/);
    await reachPayment(opened, browser, '23456789');
    assert.match(browser.text, /Review and pay From Bruno Costa/);
  });

  for (const step of ['login', 'second factor', 'payment'] as const) {
    it(`a checkout canceled at the ${step} is FAILED, sends an IPN and redirects to the shop`, async () => {
      const opened = openSandbox();
      const browser = await openCheckout(opened);
      const checkout = browser.url;
      if (step === 'second factor') await logIn(browser);
      if (step === 'payment') await reachPayment(opened, browser);
      await browser.submit('/pay/cancel');
      assert.equal(browser.url, SHOP);
      assert.deepEqual(await statusOf(opened), ['FAILED', 'USER_CANCELLED']);
      await opened.pass(0);
      assert.equal(opened.merchant.ipns.length, 1);
      await browser.open(checkout);
      assert.match(browser.text, /Payment canceled No money was taken\. You can start again in the shop\./);
    });
  }

  it('the checkout says when it ends from five minutes on, and has live.js load it again once it has ended', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    assert.doesNotMatch(browser.html, /countdown/);
    const [, live = '', version] = /data-live="([^"]+)" data-version="([^"]+)"/.exec(browser.html) ?? [];
    const page = browser.url;
    const statusOfLive = async () => (await opened.request(`${live}?since=${version}`)).status;
    assert.equal(await statusOfLive(), 204);
    await logIn(browser);
    assert.equal(await statusOfLive(), 204, 'a reload would take the focus from what is typed');
    await opened.control('clock', { advanceMs: 599_000 });
    const { regions: moved } = await (await opened.request(`${live}?since=${version}`)).json();
    assert.deepEqual(moved, { banner: 'Test: no money moves. The clock is 9 min ahead.', ends: '' });
    await opened.control('clock', { advanceMs: 51_000 });
    const { regions, version: next } = await (await opened.request(`${live}?since=${version}`)).json();
    assert.match(regions.ends, /This page ends in <span class="countdown" data-countdown="250">4:10</);
    assert.equal((await opened.request(`${live}?since=${next}`)).status, 204, 'live.js counts down');
    await browser.open(page);
    assert.match(browser.text, /The clock is 10 min ahead\. .*This page ends in 4:10/);
    await opened.control('clock', { advanceMs: 250_000 });
    assert.equal(await statusOfLive(), 205);
    await browser.open(page);
    assert.match(browser.text, /This payment has expired The time to pay is over\. No money was taken\./);
    assert.match(browser.html, /class="mark late"/);
    assert.doesNotMatch(browser.html, /data-live/);
  });

  it('an address that does not exist is a page for browsers, and JSON for programs', async () => {
    const opened = openSandbox();
    const browser = new Browser(opened);
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const [path, headers, expected] of [
      ['/nothing', { accept }, /<title>Nothing here .*This address does not exist\./s],
      ['/pay/nothing', { accept }, /<title>Nothing here /],
      ['/nothing', {}, /^{"code":"NOT_FOUND"/],
      ['/api/nothing', { accept }, /^{"code":"NOT_FOUND"/],
    ] as const) {
      await browser.open(path, { headers });
      assert.equal(browser.status, 404, path);
      assert.match(browser.html, expected, path);
    }
  });

  it('a link without a payment says so, and to go back to the shop, without a button that leads elsewhere', async () => {
    const browser = new Browser(openSandbox());
    for (const path of ['/pay?token=unknown', '/pay', '/pay/live/unknown?since=false']) {
      await browser.open(path);
      assert.equal(browser.status, 404);
      assert.match(
        browser.text,
        /There is no such payment .* Go back to the shop and start again\. Sandbox: gateway page/,
      );
      assert.doesNotMatch(browser.html, /class="button/);
    }
  });

  it('a wrong password at the checkout stays at the login', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await browser.submit('/pay/login', { wallet: '12345678', password: 'wrong' });
    assert.equal(browser.status, 422);
    assert.match(browser.html, /<p class="problem" id="wrongLogin" role="alert">Wrong wallet ID or password/);
    for (const field of ['wallet', 'password']) {
      const [input = ''] = new RegExp(`<input\\s+id="${field}"[^>]*>`).exec(browser.html) ?? [];
      assert.match(input, /aria-describedby="wrongLogin"\s+aria-invalid="true"/, field);
    }
    assert.match(browser.html, /<input\s+id="password"[^>]*autofocus/, 'the field to type again has the focus');
    assert.deepEqual(await statusOf(opened), ['INITIALIZED', 'INITIALIZED']);
  });

  it('the checkout says which languages it speaks where the shop’s language is another one', async () => {
    for (const [language, isSaid] of [
      ['ar', true],
      ['de', false],
      ['en', false],
      [undefined, false],
    ] as const) {
      const browser = await openCheckout(openSandbox(), { ...(language && { language }) });
      assert.equal(/speaks English and German/.test(browser.text), isSaid, language);
    }
  });

  it('an empty field is named by the checkout itself, not by the browser, in the language of the page', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened, { language: 'de' });
    const noWallet = 'wallet noWallet Geben Sie Ihre Wallet-ID oder E-Mail ein.';
    const noPassword = 'password noPassword Geben Sie Ihr Passwort ein.';
    for (const [form, said] of [
      [{ wallet: ' ', password: 'sandbox' }, [noWallet]],
      [{ wallet: '12345678', password: '' }, [noPassword]],
      [{ wallet: '', password: '' }, [noWallet, noPassword]],
    ] as const) {
      assert.match(browser.html, /<form method="post" action="\/pay\/login" novalidate>/);
      await browser.submit('/pay/login', form);
      assert.equal(browser.status, 422);
      const wrong =
        /<input\s+id="(\w+)"[^>]*aria-describedby="(\w+)"\s+aria-invalid="true"[^>]*>\s*<p class="problem" id="\2" role="alert">([^<]*)</g;
      assert.deepEqual(
        [...browser.html.matchAll(wrong)].map((each) => each.slice(1).join(' ')),
        said,
      );
    }
  });

  it('an empty or malformed code is named, and uses up no try', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await logIn(browser);
    for (const code of ['', ' ', '12345', '1234567', '12345x', '', '']) {
      assert.match(browser.html, /<form method="post" action="\/pay\/verify" novalidate>/);
      await browser.submit('/pay/verify', { code });
      assert.equal(browser.status, 422);
      assert.match(browser.text, /Enter the six digits\./);
      assert.match(browser.html, /aria-describedby="noCode"\s+aria-invalid="true"/);
    }
    await browser.submit('/pay/verify', { code: await codeOnPhone(opened) });
    assert.match(browser.text, /Review and pay/);
  });

  it('a wrong code says how often another can be tried, and after the last one the login says so', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await logIn(browser);
    const right = (await codeOnPhone(opened)).replace(' ', '');
    const code = right === '000000' ? '000001' : '000000';
    for (const said of ['4 more times', '3 more times', '2 more times', 'once more']) {
      await browser.submit('/pay/verify', { code });
      assert.ok(browser.text.includes(`This code is wrong. You can try ${said}.`), said);
    }
    await browser.submit('/pay/verify', { code });
    assert.match(browser.text, /Log in to your wallet Too many wrong codes\./);
  });

  it('the checkout starts at the login in another browser, and refuses a form of another session', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await reachPayment(opened, browser);
    const other = new Browser(opened);
    await other.open(browser.url);
    assert.match(other.text, /Log in to your wallet/);
    other.html = browser.html;
    await other.submit('/pay/confirm');
    assert.equal(other.status, 403);
    assert.deepEqual(await statusOf(opened), ['PROCESSING', 'PROCESSING']);
  });

  it('the checkout warns of a balance that is too low, and declines the payment', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    const page = browser.url;
    await reachPayment(opened, browser, '34567890');
    assert.match(
      browser.text,
      /Balance €4\.20 Missing €6\.30 .*balance is too low.* Cancel and go back to Demo Shop Test: see how a payment is declined\. Pay anyway/,
    );
    assert.match(
      browser.html,
      /action="\/pay\/cancel">[^]*<button class="main">\s*Cancel and go back to/,
      'no main button for what fails',
    );
    await browser.submit('/pay/confirm');
    assert.equal(browser.url, SHOP);
    assert.deepEqual(await statusOf(opened), ['FAILED', 'INSUFFICIENT_BALANCE']);
    await browser.open(page);
    assert.match(browser.text, /Payment declined Your balance is too low\. No money was taken\./);
  });

  it('the checkout names the order that the shopper knows, not which payment of it this is', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR', { orderId: 'A-1' }));
    await opened.send('pay', collection('QR', { orderId: 'B-1', returnUrl: 'https://shop.example/orders/B-1' }));
    for (const [orderId, shown] of [
      ['A-1-2', 'A-1'],
      ['A-1-10', 'A-1'],
      ['A-1-1', 'A-1-1'],
      ['B-1-2', 'B-1-2'],
      ['C-1-2', 'C-1-2'],
    ] as const) {
      const browser = await openCheckout(opened, { orderId });
      assert.ok(browser.text.includes(` Order ${shown} Website `), orderId);
    }
  });

  it('the checkout policy lets its forms lead only to the shop', async () => {
    const browser = await openCheckout(openSandbox());
    const policy = browser.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /form-action 'self' https:\/\/shop\.example$/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(browser.html, /<script(?![^>]* src=)|style="| on\w+="/);
  });

  it('the checkout escapes values of the merchant', async () => {
    const browser = await openCheckout(openSandbox(), { orderId: '<script>alert(1)</script>' });
    assert.match(browser.html, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(browser.html, /<script>alert/);
  });
});

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
    assert.doesNotMatch(bruno.text, /asked just now/);
    const ada = await phoneOf(opened);
    assert.ok(ada.html.includes(`<img class="avatar square" src="${LOGO}" alt="" />`));
    assert.match(ada.text, /asked just now €10\.50 Order order-DIRECT Website shop\.example Balance after €2,489\.50/);
    assert.match(ada.text, / Decline Approve €10\.50/);
    assert.match(ada.text, /Balance €2,500\.00 Also \$1,800\.00 and £950\.00/);
    bruno.html = ada.html;
    await bruno.submit('/wallet/answer', { answer: 'approve' });
    assert.equal(bruno.status, 404);
    await ada.submit('/wallet/answer', { answer: 'approve' });
    assert.match(ada.text, /Paid €10\.50 Sent to Demo Shop\. Order order-DIRECT Balance €2,489\.50/);
    await ada.open('/wallet');
    assert.match(ada.text, /−€10\.50 Payment order-DIRECT just now/);
    await opened.pass(60_000);
    await ada.open('/wallet');
    assert.match(ada.text, /Payment order-DIRECT 1 min ago/);
    assert.doesNotMatch(ada.text, /20 Nov 2026/, 'today has no date');
    await opened.pass(86_400_000);
    await ada.open('/wallet');
    assert.match(
      ada.text,
      /Activity 20 Nov 2026, UTC .* Payment order-DIRECT 12:00 (?!.*20 Nov).* Opening balance 12:00 /,
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
      assert.match(phone.text, /Not paid €10\.50 You declined this payment\. No money was taken\./);
      assert.deepEqual(await statusOf(opened, `order-${method}`), ['FAILED', 'DECLINED']);
      assert.equal((await opened.transaction(`order-${method}`))['customer'], '12345678');
    });
  }

  for (const [end, said] of [
    ['approve', 'Paid €10.50 This payment is already paid.'],
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
    assert.match(JSON.parse(phone.html).regions.banner, /The clock is 15 min ahead/);
    await phone.open('/wallet');
    assert.match(phone.text, /no money moves\. The clock is 15 min ahead\./);
    await phone.open('/wallet?as=');
    assert.match(phone.text, /The clock is 15 min ahead\. .*Whose phone is this\?/);
  });

  it('the phone names the website that asks, as the hosted checkout does', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    const phone = await phoneOf(opened);
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(phone.text, /Order order-QR Website shop\.example Asked just now/);
  });

  it('the phone has no main button where the balance is too low', async () => {
    const opened = openSandbox();
    const { json } = await opened.send('pay', collection('QR'));
    const phone = await phoneOf(opened, '34567890');
    await phone.open(Buffer.from(String(json['qr']), 'base64').toString());
    assert.match(phone.text, /Balance €4\.20 Missing €6\.30 .* would be declined\. Decline Approve anyway/);
    assert.doesNotMatch(phone.html, /class="main"/);
    await phone.submit('/wallet/answer', { answer: 'approve' });
    await phone.open('/wallet');
    assert.match(phone.text, / Activity DS Demo Shop €10\.50 Balance too low order-QR just now /);
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
      if (orderId === 'here') await phone.submit('/wallet/answer', { answer: 'decline' });
      else await opened.control(`transactions/${orderId}/decline`);
      await phone.open(`/wallet/payments/${String(json['paymentId'])}`);
      assert.ok(phone.text.includes(said), phone.text);
    }
  });

  it('the phone names the order of a second payment and of a refund, and the balance that is left', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR', { orderId: 'A-1' }));
    const { json } = await opened.send('pay', collection('DIRECT', { orderId: 'A-1-2' }));
    const phone = await phoneOf(opened);
    assert.match(phone.text, /asked just now €10\.50 Order A-1 Website shop\.example Balance after €2,489\.50/);
    await phone.submit('/wallet/answer', { answer: 'approve' });
    assert.match(phone.text, /Paid €10\.50 Sent to Demo Shop\. Order A-1 Balance €2,489\.50 Back to Demo Shop Done/);
    await opened.send('payout', payout({ orderId: 'A-1-2-r1', amount: 10, note: 'Torn' }));
    await opened.pass(1_000);
    await phone.open(`/wallet/payments/${String(json['paymentId'])}`);
    assert.match(phone.text, /Balance €2,499\.50/);
    await phone.open('/wallet');
    assert.match(phone.text, /\+€10\.00 Refund A-1 Torn just now/);
    assert.match(phone.text, /−€10\.50 Payment A-1 just now/);
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

  it('the newest of several requests is shown in full, and each other one is a way to it, quiet after 15 minutes', async () => {
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
      /asked just now €10\.50 Order A-3 .* 2 more requests .* €10\.50 A-2 1 min ago .* €10\.50 A-1 16 min ago .*Balance/,
    );
    assert.equal(phone.text.match(/Decline /g)?.length, 1);
    const ways = [...phone.html.matchAll(/class="movement (old)?"\s+href="([^"]+)"/g)];
    assert.deepEqual(
      ways.map(([, old]) => old),
      [undefined, 'old'],
    );
    await phone.open(ways[1]?.[2] ?? '');
    assert.match(phone.text, /Order A-1 .* Decline Approve €10\.50/);
    await phone.submit('/wallet/answer', { answer: 'decline' });
    await phone.open(/main" href="([^"]+)">Next request/.exec(phone.html)?.[1] ?? '');
    assert.match(phone.text, /Order A-3 .* Decline Approve €10\.50/);
    await phone.open('/wallet');
    assert.match(phone.text, / 1 more request .* Activity DS Demo Shop €10\.50 Declined A-1 just now /);
    for (let number = 4; number <= 7; number++)
      await opened.send('pay', collection('DIRECT', { orderId: `A-${number}` }));
    await phone.open('/wallet');
    assert.match(phone.text, / 5 more requests .* A-6 .* A-5 .* A-4 .* Show all 5 .* A-3 .* A-2 .* Balance /);
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
    assert.match(regions.prompts, /asked just now/);
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
