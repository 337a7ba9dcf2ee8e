// The gateway profile: the defaults are the publicly known names, any can be overridden, and nothing else is
// accepted.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DEFAULT_PROFILE, profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { words } from '../in-words.ts';

const API = '/api/v3/integration/merchants/payments';
const refusal = (profile: unknown): string =>
  (profileSchema.safeParse(profile).error?.issues ?? []).map(({ path, code }) => `${path.join('.')}: ${code}`).join();

it('the default profile never takes a conflict, timeout, rate limit or server error as a refusal', () => {
  for (const status of [200, 201, 202, 301, 302, 307, 408, 409, 425, 429, 500, 502, 503, 504]) {
    assert.ok(!DEFAULT_PROFILE.httpStatuses.rejected.includes(status), String(status));
  }
});

it('a profile file keeps every default that it does not name', () => {
  const profile = profileSchema.parse({ paths: { status: null }, answer: { checkoutUrl: 'redirect_url' } });
  assert.equal(profile.paths.status, null);
  assert.equal(profile.paths.pay, `${API}/pay`);
  assert.equal(profile.answer.checkoutUrl, 'redirect_url');
  assert.equal(profile.answer.qr, 'qr');
});

it('a profile file with an unknown key at any level is refused, and the key is named', () => {
  assert.equal(refusal({ path: {} }), ': unrecognized_keys');
  for (const section of ['paths', 'request', 'answer', 'report', 'refusal', 'types', 'refundAs', 'httpStatuses']) {
    assert.equal(refusal({ [section]: { misspelled: 'x' } }), `${section}: unrecognized_keys`);
  }
});

it('a profile’s link to the wallet app is a link of an app, an https URL or a path of the gateway', () => {
  for (const walletAppUrl of ['jeton://home', 'https://wallet.example/app', '/wallet', null]) {
    assert.equal(profileSchema.parse({ walletAppUrl }).walletAppUrl, walletAppUrl);
  }
});

it('a profile refunds no method until the operator says how', () => {
  const none = { DIRECT: 'no', CHECKOUT: 'no', JETGO: 'no', QR: 'no' };
  assert.deepEqual(DEFAULT_PROFILE.refundAs, none);
  const { refundAs } = profileSchema.parse({ refundAs: { DIRECT: null, JETGO: 'JETGO' } });
  assert.deepEqual(refundAs, { ...none, DIRECT: null, JETGO: 'JETGO' });
});

it('a profile file with paths outside the gateway or invalid values is refused', () => {
  for (const pay of [
    ...words`pay https://evil.example/ //evil.example/pay? /pay?a=b /pay#x /@evil.example:80`,
    '/a b',
    '',
    '/\\evil.example',
  ]) {
    assert.equal(profileSchema.safeParse({ paths: { pay } }).success, false, pay);
  }
  assert.equal(profileSchema.safeParse({ paths: { pay: null } }).success, false);
  assert.equal(profileSchema.safeParse({ statuses: { DONE: 'paid' } }).success, false);
  assert.equal(profileSchema.safeParse({ answer: { qr: '' } }).success, false);
  assert.equal(profileSchema.safeParse({ answer: { qr: 'x'.repeat(101) } }).success, false);
  assert.equal(profileSchema.safeParse({ httpStatuses: { unknown: ['404'] } }).success, false);
  for (const word of ['', 'a', 'two words', 'Already', 'is_used']) {
    assert.equal(profileSchema.safeParse({ duplicate: [word] }).success, false, word);
  }
  assert.equal(profileSchema.safeParse({ expired: ['token expired'] }).success, false);
  for (const scheme of ['jetgo:', 'jetgo://', 'JetGo', '']) {
    assert.equal(profileSchema.safeParse({ appSchemes: [scheme] }).success, false, scheme);
  }
  for (const walletAppUrl of ['jeton', 'javascript:alert(1)', 'http://wallet.example/', '']) {
    assert.equal(profileSchema.safeParse({ walletAppUrl }).success, false, walletAppUrl);
  }
  for (const noSuchOrder of [{ field: 'code' }, { value: 'X' }, { field: 'code', value: 'X', or: 'Y' }, 'X']) {
    assert.equal(profileSchema.safeParse({ noSuchOrder }).success, false, JSON.stringify(noSuchOrder));
  }
  for (const type of ['', true, 'x'.repeat(101)]) {
    assert.equal(profileSchema.safeParse({ refundAs: { QR: type } }).success, false, String(type));
  }
  for (const status of [99, 600, 404.5]) {
    assert.equal(profileSchema.safeParse({ httpStatuses: { unknown: [status] } }).success, false, String(status));
  }
});
