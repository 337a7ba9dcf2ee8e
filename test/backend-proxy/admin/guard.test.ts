// Access to the operator's page: nobody without the token, no page of another site, and no script of others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createProxyFrom } from '../../../backend-proxy/compose.ts';
import { createSessions } from '../../../backend-proxy/admin/session.ts';
import { M, NOON } from '../time.ts';
import { environmentOf } from '../world.ts';
import { HOST, TOKEN, createMismatch, createOperator, type Operator } from './admin-kit.ts';
import { words } from '../in-words.ts';

const PAGES = words`
  /admin /admin/transactions /admin/transactions/A-1 /admin/webhooks /admin/webhooks/msg_1 /admin/ipns /admin/health
`;
const FORMS = ['/admin/transactions/A-1/resolve', '/admin/webhooks/msg_1/redeliver', '/admin/logout'];
const RESOLUTION = { status: 'SUCCESS', by: 'Ada', note: 'asked', confirmed: 'yes' };

it('every page and form of the operator needs a session, and shows nothing without one', async (t) => {
  const operator = await createOperator(t);
  await createMismatch(operator.world);
  for (const cookie of ['', 'admin=', `admin=${TOKEN}`, 'admin=a.1.1.b', '__Host-admin=x']) {
    operator.cookie = cookie;
    for (const path of PAGES) {
      const response = await operator.request(path);
      const login = `/admin/login?to=${encodeURIComponent(path)}`;
      assert.deepEqual([response.status, response.headers.get('location'), await response.text()], [303, login, '']);
    }
    for (const path of FORMS) {
      const response = await operator.send(path, { form: 'x', version: '4', ...RESOLUTION });
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/admin/login'], path);
    }
  }
  assert.equal((await operator.world.ledger.transaction('A-1'))?.needsReview, true);
});

it('the sign-in leads to the page that was asked for, and to none outside the operator’s', async (t) => {
  const operator = await createOperator(t);
  for (const [to, expected] of [
    ['/admin/transactions?type=PAY', '/admin/transactions?type=PAY'],
    ['https://evil.example/admin/', '/admin'],
    ['//evil.example/admin/', '/admin'],
    ['/admin/../order', '/admin'],
    ['/admin/%2e%2e/order', '/admin'],
    ['/adminx', '/admin'],
  ] as const) {
    const response = await operator.send(`/admin/login?to=${encodeURIComponent(to)}`, { token: TOKEN, form: '' });
    assert.deepEqual([response.status, response.headers.get('location')], [303, expected], to);
  }
});

it('a session cookie that was changed, made before a restart or is too old gives no session', () => {
  let now = NOON;
  const sessions = createSessions(() => now);
  const session = sessions.begin();
  const value = sessions.write(session);
  assert.deepEqual(sessions.read(value), session);
  for (let at = 0; at < value.length; at += 1) {
    const other = value[at] === 'A' ? 'B' : 'A';
    assert.equal(sessions.read(value.slice(0, at) + other + value.slice(at + 1)), undefined, `character ${at}`);
  }
  assert.equal(createSessions(() => now).read(value), undefined);
  assert.equal(sessions.isFormToken(session, sessions.formToken(sessions.begin())), false);
  for (const [at, expected] of [
    [30 * M - 1, session],
    [30 * M, undefined],
    [-30 * M, undefined],
  ] as const) {
    now = NOON + at;
    assert.deepEqual(sessions.read(value), expected, `${at} ms later`);
  }
  now = NOON;
  let last = sessions.write(session);
  for (; now < NOON + 8 * 60 * M; now += 20 * M) {
    assert.deepEqual(sessions.read(last), session);
    last = sessions.write(session);
  }
  assert.equal(sessions.read(last), undefined);
});

it('the cookie is HttpOnly and SameSite=Strict, and Secure except on loopback', async (t) => {
  for (const [host, name, secure] of [
    [HOST, 'admin', false],
    ['localhost:8789', 'admin', false],
    ['[::1]:8789', 'admin', false],
    ['pay.example', '__Host-admin', true],
    ['localhost.evil.example', '__Host-admin', true],
  ] as const) {
    const operator = await createOperator(t, {}, host);
    const response = await operator.request('/admin/login', {
      method: 'POST',
      body: new URLSearchParams({ token: TOKEN }),
      headers: { Origin: secure ? `https://${host}` : `http://${host}` },
    });
    const [cookie = ''] = response.headers.getSetCookie();
    assert.ok(cookie.startsWith(`${name}=`), cookie);
    assert.match(cookie, /; Path=\/; HttpOnly(; Secure)?; SameSite=Strict$/);
    assert.equal(cookie.includes('Secure'), secure, cookie);
  }
});

it('a page that its script asks for does not prolong the session', async (t) => {
  const operator = await createOperator(t);
  await operator.signIn();
  const asks = async (by: string) =>
    (await operator.request('/admin', { headers: { 'Sec-Fetch-Dest': by } })).headers.getSetCookie().length;
  assert.deepEqual([await asks('document'), await asks('empty')], [1, 0]);
});

it('a copy of the cookie gives no session after signing out, and other sessions stay', async (t) => {
  const operator = await createOperator(t);
  await operator.signIn();
  const other = operator.cookie;
  operator.cookie = '';
  await operator.signIn();
  const copy = operator.cookie;
  assert.equal((await operator.send('/admin/logout')).status, 303);
  assert.equal((await operator.request('/admin', { headers: { Cookie: copy } })).status, 303);
  assert.equal((await operator.request('/admin', { headers: { Cookie: other } })).status, 200);
});

async function tryToken(operator: Operator, token: string, address: string): Promise<number> {
  const init = { method: 'POST', headers: { Origin: `http://${HOST}` }, body: new URLSearchParams({ token }) };
  return (await operator.request('/admin/login', init, address)).status;
}

it('after ten wrong tokens from an address no other is tried from it for ten minutes, and the right one still signs in', async (t) => {
  const operator = await createOperator(t);
  const attempt = (token: string, address: string) => tryToken(operator, token, address);
  for (let n = 0; n < 10; n += 1) assert.equal(await attempt(`${TOKEN}x`, '10.0.0.1'), 401);
  assert.equal(await attempt(`${TOKEN}x`, '10.0.0.1'), 429);
  assert.equal(await attempt(`${TOKEN}x`, '10.0.0.2'), 401);
  assert.equal(await attempt(TOKEN, '10.0.0.1'), 303);
  for (const ms of [10 * M, -10 * M]) {
    operator.world.skip(ms);
    for (let tried = 0; tried < 10; tried += 1) assert.equal(await attempt(`${TOKEN}x`, '10.0.0.1'), 401, `${ms} ms`);
    assert.equal(await attempt(`${TOKEN}x`, '10.0.0.1'), 429);
  }
  const events = operator.logged.map(({ event }) => event);
  assert.equal(events.filter((event) => event === 'operator sign-in refused').length, 31);
  assert.ok(!JSON.stringify(operator.logged).includes(TOKEN));
});

it('tries at the same time count like those one after another, and all of one IPv6 network count together', async (t) => {
  const operator = await createOperator(t);
  const attempt = (address: string) => tryToken(operator, `${TOKEN}x`, address);
  const refusedOf = (statuses: number[]) => statuses.filter((status) => status === 401).length;
  const atOnce = await Promise.all(Array.from({ length: 50 }, () => attempt('10.0.0.1')));
  assert.equal(refusedOf(atOnce), 10);
  const network = Array.from({ length: 20 }, (_, n) => (n % 2 ? `2001:db8::${n}` : `2001:DB8:0:0:1:2:3:${n}`));
  assert.equal(refusedOf(await Promise.all(network.map(attempt))), 10);
  const others = ['2001:db8:0:1::1', '::1', '::ffff:10.0.0.2', '1:2:3:4:5:6:7:8', 'fe80::1%eth0', 'unknown'];
  for (const address of others) assert.equal(await attempt(address), 401, address);
});

it('a body that is not a form is refused, and counts as a wrong token', async (t) => {
  const operator = await createOperator(t);
  const headers = { Origin: `http://${HOST}`, 'Content-Type': 'multipart/form-data; boundary=x' };
  const attempt = async (path: string) =>
    (await operator.request(path, { method: 'POST', headers, body: 'garbage' })).status;
  for (let n = 0; n < 10; n += 1) assert.equal(await attempt('/admin/login'), 400);
  assert.equal(await attempt('/admin/login'), 429);
  operator.world.skip(10 * M);
  await operator.signIn();
  assert.equal(await attempt('/admin/logout'), 400);
});

it('the token is in no page, and the merchant’s key and a part of the token do not sign in', async (t) => {
  const operator = await createOperator(t);
  for (const token of ['', TOKEN.slice(0, -1), `${TOKEN} `, 'canary-merchant-key-0123456789-0123456789']) {
    const response = await operator.send('/admin/login', { token });
    assert.equal(response.status, 401);
    assert.ok(!(await response.text()).includes(token || 'canary'));
  }
  await operator.signIn();
  assert.ok(!operator.cookie.includes(TOKEN));
  for (const path of ['/admin', '/admin/health']) assert.ok(!(await operator.open(path)).includes(TOKEN));
});

it("a form from another origin, without one, or without its session's own field changes nothing", async (t) => {
  const operator = await createOperator(t);
  await createMismatch(operator.world);
  await operator.signIn();
  const { version } = (await operator.world.ledger.transaction('A-1')) ?? {};
  const fields = { version: String(version), token: TOKEN, ...RESOLUTION };
  for (const origin of ['https://evil.example', 'null', '', `http://${HOST}.evil.example`, 'http://127.0.0.1:8790']) {
    for (const path of ['/admin/transactions/A-1/resolve', '/admin/logout', '/admin/login']) {
      const response = await operator.send(path, fields, { Origin: origin });
      assert.equal(response.status, 403, `${origin} ${path}`);
    }
  }
  const own = operator.cookie;
  operator.cookie = '';
  await operator.signIn();
  const [, others = ''] = /name="form" value="([\w-]+)"/.exec(await operator.open('/admin/health')) ?? [];
  operator.cookie = own;
  assert.equal(others.length, 43);
  for (const form of ['', 'x', 'é'.repeat(43), others]) {
    const response = await operator.send('/admin/transactions/A-1/resolve', { form, ...fields });
    assert.equal(response.status, 403, form);
  }
  assert.equal((await operator.world.ledger.transaction('A-1'))?.needsReview, true);
});

it('a body of more than 16 kB is refused', async (t) => {
  const operator = await createOperator(t);
  assert.equal((await operator.send('/admin/login', { token: 'x'.repeat(20_000) })).status, 413);
});

it('no answer may be framed, cached, or run a script of others, and none names another site', async (t) => {
  const operator = await createOperator(t);
  await createMismatch(operator.world);
  await operator.signIn();
  for (const path of [
    ...PAGES,
    '/admin/login',
    '/admin/style.css',
    '/admin/follow.js',
    '/admin/icon.svg',
    '/admin/none',
    '/none',
    '/',
  ]) {
    const response = await operator.request(path);
    const { headers } = response;
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/); // prettier-ignore
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    const text = (await response.text()).replace('<script type="module" src="/admin/follow.js"></script>', '');
    assert.doesNotMatch(text, /<script|\son\w+=|style=|javascript:/i, path);
    if (path !== '/admin/icon.svg') assert.doesNotMatch(text, /https?:\/\//, path);
  }
});

it("without ADMIN_TOKEN there is no operator's page", async (t) => {
  const { world } = await createOperator(t);
  for (const ADMIN_TOKEN of [undefined, '', TOKEN]) {
    const proxy = await createProxyFrom({ ...environmentOf(world), ADMIN_TOKEN });
    assert.equal(proxy.admin !== undefined, ADMIN_TOKEN === TOKEN);
    await proxy.close();
  }
});

it('the public port has no operator’s page', async (t) => {
  const { world } = await createOperator(t);
  for (const path of [...PAGES, '/admin/login', '/admin/style.css']) {
    assert.equal((await world.request('GET', path)).status, 404, path);
    assert.equal((await world.request('POST', path)).status, 404, path);
  }
});
