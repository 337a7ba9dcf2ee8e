// The overview's list of the latest requests: what a line says, what is repeated or failed, and how many are kept.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Browser, collection, openOverview, openSandbox, payout } from './sandbox-fixture.ts';

/** The lines of the latest requests, without their markup. */
function requestsIn(browser: Browser): string[] {
  const [, list = ''] = browser.html.split('class="card requests"');
  const lines = [...list.matchAll(/<details id="request-.*?<\/details>/gs)];
  return lines.map(([line]) => line.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '));
}

describe('the latest requests on the overview', () => {
  it('each request is a line, the newest first: when, what, for which order, what the answer says and its status, with the bodies and without the key', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.send('payout', payout());
    await opened.send('pay', '{"orderId": 1');
    await opened.send('pay', {}, { 'x-api-key': 'a-wrong-key' });
    await opened.request('/api/v3/integration/merchants/payments/status');
    const browser = await openOverview(opened);
    const [get, wrong, malformed, sent, collected, ...none] = requestsIn(browser);
    assert.match(String(get), /12:00:00 Status check All operations are POST\. 405 Method Not Allowed /);
    assert.match(
      String(wrong),
      /12:00:00 Payment The header X-API-KEY is missing or wrong\. 401 Unauthorized Answer {&quot;code/,
    );
    assert.match(String(malformed), / The body is not JSON\. 400 Bad Request Request {&quot;orderId&quot;: 1 Answer /);
    assert.match(String(sent), / Payout payout-1 Accepted 202 Request .*amount&quot;:25, .*Answer .*payout-1&quot;}/);
    assert.match(
      String(collected),
      / Payment order-QR QR code 200 Request .*amount&quot;:10\.5, .*Answer .*appPaymentLink/,
    );
    assert.deepEqual(none, []);
    assert.doesNotMatch(browser.html, /a-wrong-key|the-merchants-key/);
  });

  it('the same request with the same answer is counted in one line, where it came last', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    const check = () => opened.send('status', { orderId: 'order-QR', type: 'PAY' });
    await check();
    await opened.pass(11_000);
    await opened.send('pay', collection('JETGO'));
    await opened.pass(4_000);
    await check();
    await opened.control('transactions/order-QR/approve');
    await check();
    const [paid, waits, between, ...first] = requestsIn(await openOverview(opened));
    assert.match(String(paid), /12:00:15 Status check order-QR Succeeded 200 Request/);
    assert.match(String(waits), /12:00:15 Status check order-QR Waiting 2 times, first at 12:00:00 200 Request/);
    assert.match(String(between), /12:00:11 Payment order-JETGO /);
    assert.equal(first.length, 1);
  });

  it('the request of a refund is called one', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve', { customer: '12345678' });
    await opened.send('payout', payout({ orderId: 'order-QR-r1', amount: 4 }));
    await opened.send('status', { orderId: 'order-QR-r1', type: 'PAYOUT' });
    const [check, refund] = requestsIn(await openOverview(opened));
    assert.match(String(check), / Status check order-QR-r1 Waiting 200 /);
    assert.match(String(refund), / Refund order-QR-r1 Accepted 202 /);
  });

  it('a refused refund is called one too, and its status checks say why nothing is found', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve', { customer: '12345678' });
    await opened.control('faults', { payout: { status: 422 } });
    await opened.send('payout', payout({ orderId: 'order-QR-r1', amount: 4 }));
    await opened.send('payout', payout());
    for (const orderId of ['order-QR-r1', 'other-1']) await opened.send('status', { orderId, type: 'PAYOUT' });
    const [other, check, sent, refund] = requestsIn(await openOverview(opened));
    assert.match(String(refund), / Refund order-QR-r1 A sandbox fault is active\. 422 /);
    assert.match(String(sent), / Payout payout-1 A sandbox fault is active\. 422 /);
    assert.match(String(check), / order-QR-r1 There is no transaction: its request was refused\. 404 Not Found /);
    assert.match(String(other), / other-1 There is no transaction with this orderId and type\. 404 Not Found /);
  });

  it('a status check says how a transaction stands in the words of its row, which names a fault that holds it', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    const { code } = await opened.transaction('order-QR');
    await new Browser(opened).open(`/wallet/scan?as=12345678&code=${String(code)}`);
    await opened.control('faults', { payout: { hold: true } });
    await opened.send('payout', payout());
    await opened.pass(1_000);
    await opened.send('status', { orderId: 'order-QR', type: 'PAY' });
    await opened.send('status', { orderId: 'payout-1', type: 'PAYOUT' });
    const browser = await openOverview(opened);
    const [held, scanned] = requestsIn(browser);
    assert.match(browser.text, / order-QR QR code .* Opened /);
    assert.match(browser.text, / payout-1 Payout .* Held until you decide /);
    assert.match(String(scanned), / Status check order-QR Opened 200 /);
    assert.match(String(held), / Status check payout-1 On its way 200 /);
  });

  it('what a fault did to an answer is in its line', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    const said = [];
    for (const fault of [{ tamper: { amount: 0.01 } }, { status: 503 }]) {
      await opened.control('faults', { status: fault });
      await opened.send('status', { orderId: 'order-QR', type: 'PAY' });
      said.push(requestsIn(await openOverview(opened))[0]?.replace(/.*order-QR (.*) Request .* Answer /, '$1 '));
    }
    assert.match(String(said[0]), /^A fault changed the answer\. 200 .*amount&quot;:0\.01,/);
    assert.match(String(said[1]), /^A sandbox fault is active\. 503 Service Unavailable /);
  });

  it('those that failed are listed alone behind a link, which open pages keep', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR'));
    const browser = await openOverview(opened);
    assert.doesNotMatch(browser.text, /Only failed/);
    await opened.send('pay', collection('QR'));
    await browser.open('/');
    assert.match(browser.text, / Latest requests Only failed \(1\) /);
    await browser.open('/?failed');
    assert.match(browser.text, / Latest failed requests Show all /);
    const [line, ...others] = requestsIn(browser);
    assert.match(String(line), / A transaction with this orderId already exists\. 409 Conflict /);
    assert.deepEqual(others, []);
    const [, live = ''] = /data-live="([^"]+)"/.exec(browser.html) ?? [];
    const { regions } = Object(await (await opened.request(`${live}&since=0`)).json());
    assert.match(String(regions.requests), /Latest failed requests/);
  });

  it('the latest hundred are kept, and all but eight are behind a button', async () => {
    const opened = openSandbox();
    for (let number = 1; number <= 101; number++) await opened.send('status', { orderId: `o-${number}`, type: 'PAY' });
    const browser = await openOverview(opened);
    const lines = requestsIn(browser);
    assert.equal(lines.length, 100);
    assert.match(String(lines.at(-1)), / o-2 There is no transaction with this orderId and type\. 404 Not Found /);
    const [, more = ''] = browser.html.split('<details id="more-requests"');
    assert.match(more, /Show all 100/);
    assert.match(more, /<span>o-93</);
    assert.doesNotMatch(more, /<span>o-94</);
  });
});
