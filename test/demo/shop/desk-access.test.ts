// Who may open the desk: with its password anywhere, without one only on this machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, openShop } from './shop-fixture.ts';

const PASSWORD = 'a password of the staff';
const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`staff:${password}`).toString('base64')}` });
const opened = async (more: Parameters<typeof openShop>[2], headers = {}) => {
  const shop = openShop(undefined, undefined, more);
  shop.proxy.answers['POST /payouts'] = { status: 202, body: { gatewayOrderId: 'PO-2345678ABC' } };
  const visitor = new Browser(shop, headers);
  const statuses = [
    (await visitor.get('/desk')).status,
    (await visitor.get('/desk/list')).status,
    (
      await visitor.post('/desk/send', {
        id: 'PO-2345678ABC',
        amount: '25',
        customer: '12345678',
        note: '',
        step: 'send',
      })
    ).status,
  ];
  const { text } = await visitor.get('/');
  return { statuses, asked: shop.proxy.asked.length, isLinked: text.includes('href="/desk"') };
};
const NONE = { statuses: [404, 404, 404], asked: 0, isLinked: false };
const REFUSED = { statuses: [401, 401, 401], asked: 0, isLinked: true };

test('a shop with a public address has no desk without a password, and sends no money', async () => {
  for (const publicUrl of [
    'https://stillwater.example',
    'http://192.168.0.5:8080',
    'http://0.0.0.0:8080',
    'https://localhost.evil.example',
    'https://127.0.0.1.evil.example',
  ]) {
    assert.deepEqual(await opened({ publicUrl }), NONE, publicUrl);
  }
});

test('a desk with a password opens only with exactly that password, on any host name', async () => {
  for (const publicUrl of ['https://stillwater.example', 'http://127.0.0.1:8080']) {
    const settings = { publicUrl, deskPassword: PASSWORD };
    assert.deepEqual((await opened(settings, basic(PASSWORD))).statuses, [200, 200, 303]);
    assert.deepEqual(await opened(settings), REFUSED);
    for (const wrong of ['', PASSWORD.slice(0, -1), `${PASSWORD} `, PASSWORD.toUpperCase()])
      assert.deepEqual(await opened(settings, basic(wrong)), REFUSED, wrong);
  }
});
