// The hosted checkout with its second factor, in a browser with cookies and forms but no script. Also its content
// security policy, escaping and languages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Browser, collection, openSandbox, SHOP, statusOf, type Opened } from './sandbox-fixture.ts';

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

const logIn = (browser: Browser, wallet = '12345678') => browser.submit('/pay/login', { wallet, password: 'sandbox' });

async function reachPayment(opened: Opened, browser: Browser, wallet?: string): Promise<void> {
  await logIn(browser, wallet);
  await browser.submit('/pay/verify', { code: await codeOnPhone(opened, wallet) });
}

describe('the hosted checkout', () => {
  it('the checkout asks for login, second factor and confirmation, says that it is paid, and leads back to the shop with the money moved', async () => {
    const opened = openSandbox();
    const ada = opened.sandbox.processor.customer('12345678');
    const before = ada?.balance('EUR') ?? 0n;
    const browser = await openCheckout(opened);
    assert.match(browser.text, /Pay Demo Shop €10\.50 Order order-CHECKOUT Log in .*the password is “sandbox”/);
    await logIn(browser, '1234\u00a05678');
    assert.deepEqual(await statusOf(opened), ['PROCESSING', 'PROCESSING']);
    await browser.submit('/pay/verify', { code: await codeOnPhone(opened) });
    assert.match(
      browser.text,
      /Review and pay Website shop\.example From Ada Keller Wallet 1234 5678 Balance \S+ This payment €10\.50 Balance after \S+ Pay €10\.50 /,
    );
    const reviewed = browser.html;
    const page = browser.url;
    await browser.submit('/pay/confirm');
    const said =
      / Order order-CHECKOUT Payment complete You paid €10\.50\. You are returning to Demo Shop\. Back to Demo Shop/;
    const onward = `href="${SHOP}" data-onward`;
    assert.match(browser.text, said);
    assert.ok(browser.html.includes(onward), 'live.js takes it');
    browser.html = reviewed;
    await browser.submit('/pay/confirm');
    assert.match(browser.text, said, 'a second click leads there, too');
    await browser.open(page);
    assert.match(browser.text, /Payment complete €10\.50 was sent to Demo Shop\./);
    assert.ok(!browser.html.includes(onward), 'who opens it later stays');
    assert.deepEqual(await statusOf(opened), ['SUCCESS', 'SUCCESS']);
    assert.equal(ada?.balance('EUR'), before - 1050n);
    await opened.pass(0);
    const sent = opened.merchant.ipns.map(({ body }) => [body['status'], body['customer']]);
    assert.deepEqual(sent, [['SUCCESS', '12345678']]);
  });

  it('the login has the wallet ID of the request, unless no wallet has it', async () => {
    for (const [customer, shown] of [
      ['12345678', '12345678'],
      ['99990000', ''],
    ] as const) {
      const { html } = await openCheckout(openSandbox(), { customer });
      assert.match(html, new RegExp(`name="wallet"\\s+value="${shown}"`));
    }
  });

  it('the checkout names whose code it asks for, and leads another person back to the login', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await logIn(browser);
    assert.match(browser.text, /Confirm that it is you Ada Keller · 1234 5678 Not you\?/);
    await browser.submit('/pay/leave');
    assert.match(browser.text, /Log in to your wallet/);
    await reachPayment(opened, browser, '23456789');
    assert.match(browser.text, /Review and pay Website \S+ From Bruno Costa/);
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

  it('the checkout says when it ends, and has live.js load it again once it has ended', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    assert.match(browser.text, /Time left to pay: 15:00/);
    const [, live = '', version] = /data-live="([^"]+)" data-version="([^"]+)"/.exec(browser.html) ?? [];
    const page = browser.url;
    const statusOfLive = async () => (await opened.request(`${live}?since=${version}`)).status;
    assert.equal(await statusOfLive(), 204);
    await logIn(browser);
    assert.equal(await statusOfLive(), 204, 'a reload would take the focus from what is typed');
    await opened.control('clock', { advanceMs: 599_000 });
    const { regions: moved } = await (await opened.request(`${live}?since=${version}`)).json();
    assert.equal(moved.banner, 'Test: no money moves. The clock is 9 minutes ahead.');
    await opened.control('clock', { advanceMs: 51_000 });
    const { regions, version: next } = await (await opened.request(`${live}?since=${version}`)).json();
    assert.match(regions.ends, /Time left to pay: <span class="countdown" data-countdown="250">4:10</);
    assert.equal((await opened.request(`${live}?since=${next}`)).status, 204, 'live.js counts down');
    await browser.open(page);
    assert.match(browser.text, /The clock is 10 minutes ahead\. .*Time left to pay: 4:10/);
    await opened.control('clock', { advanceMs: 250_000 });
    assert.equal(await statusOfLive(), 205);
    await browser.open(page);
    assert.match(browser.text, /Time is up No money was taken\./);
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
    assert.match(
      browser.html,
      /<p class="problem" id="wrongLogin" role="alert">(<span[^>]*>)*Wrong wallet ID or password/,
    );
    for (const field of ['wallet', 'password']) {
      const [input = ''] = new RegExp(`<input\\s+id="${field}"[^>]*>`).exec(browser.html) ?? [];
      assert.match(input, /aria-describedby="wrongLogin"/, field);
      assert.doesNotMatch(input, /aria-invalid/, 'nobody knows which one is wrong');
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
        /<input\s+id="(\w+)"[^>]*aria-describedby="(\w+)"\s+aria-invalid="true"[^>]*>\s*<p class="problem" id="\2" role="alert">(?:<span[^>]*>)*([^<]*)</g;
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

  it('the test box of the second factor enters the code that is right then', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await logIn(browser);
    assert.match(browser.text, /Test: the code is on the phone of Ada Keller \. Enter it for me/);
    const [, code] = /<button name="code" value="(\w+)"/.exec(browser.html) ?? [];
    await opened.control('clock', { advanceMs: 90_000 });
    await browser.submit('/pay/verify', { code: code ?? '' });
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
      await browser.submit('/pay/verify', { code: '' });
      assert.ok(browser.text.includes(`Enter the six digits. You can try ${said}.`), said);
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
      /Your balance is too low Website .* From .* Balance €4\.20 This payment €10\.50 Missing €6\.30 Use another wallet Cancel payment Time left to pay: 15:00 Test: top up, or see how a payment is declined\. Top up and pay Pay anyway/,
    );
    assert.equal(browser.html.split('class="main"').length, 2, 'no main button for what fails');
    await browser.submit('/pay/leave');
    assert.match(browser.text, /Log in to your wallet/);
    await reachPayment(opened, browser, '34567890');
    await browser.submit('/pay/confirm');
    assert.equal(browser.url, SHOP);
    assert.deepEqual(await statusOf(opened), ['FAILED', 'INSUFFICIENT_BALANCE']);
    await browser.open(page);
    assert.match(browser.text, /Payment declined Your balance is too low\. No money was taken\./);
  });

  it('the checkout tops up a balance that is too low, if asked to, and pays', async () => {
    const opened = openSandbox();
    const browser = await openCheckout(opened);
    await reachPayment(opened, browser, '34567890');
    await browser.submit('/pay/confirm', { 'top-up': 'yes' });
    assert.match(browser.text, /Payment complete/);
    assert.deepEqual(await statusOf(opened), ['SUCCESS', 'SUCCESS']);
    await browser.open('/wallet?as=34567890');
    assert.match(browser.text, /Balance €0\.00 .* Money added \+€6\.30 Top-up/);
  });

  it('the checkout says of an order that its customer has already paid it, and the phone has the receipt', async () => {
    const opened = openSandbox();
    const first = await openCheckout(opened, { orderId: 'A-1' });
    await reachPayment(opened, first);
    assert.doesNotMatch(first.text, /already paid/);
    assert.match(first.text, /Pay €10\.50 You then return to Demo Shop\. Cancel payment/);
    await first.submit('/pay/confirm');
    const second = await openCheckout(opened, { orderId: 'A-1-2' });
    await reachPayment(opened, second);
    assert.match(second.text, /Balance after \S+ You already paid this order\. Cancel payment Pay €10\.50 again /);
    assert.match(second.html, /class="main">Cancel payment</);
    assert.doesNotMatch(second.text, /then return/);
    await second.open('/wallet?as=12345678');
    await second.open(/href="(\/wallet\/payments\/\d+)"/.exec(second.html)?.[1] ?? '');
    assert.match(second.text, /Paid €10\.50 Sent to Demo Shop\. Order A-1 /);
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
      const { text } = await openCheckout(opened, { orderId });
      assert.ok(text.includes(` Order ${shown} Log in `), orderId);
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
    const opened = openSandbox();
    const browser = await openCheckout(opened, { orderId: '<script>alert(1)</script>' });
    await reachPayment(opened, browser);
    assert.match(browser.html, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(browser.html, /<script>alert/);
  });
});
