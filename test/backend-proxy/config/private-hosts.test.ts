// PRIVATE_HOSTS: which URLs a name allows, and the warning about a WEBHOOK_URL inside the operator's network.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isNamedHost, mayBePrivate, privateHostWarning } from '../../../backend-proxy/config/addresses.ts';

const named = (url: string, ...hosts: string[]) => isNamedHost(new URL(url), hosts);

it('a host is named with its port, or without one for every port', () => {
  assert.equal(named('http://shop:3000/hook', 'shop:3000'), true);
  assert.equal(named('http://shop:3000/hook', 'shop'), true);
  assert.equal(named('http://shop/hook', 'shop:80'), true);
  assert.equal(named('https://shop/hook', 'shop:443'), true);
  assert.equal(named('https://[fd00::1]:9/', '[fd00::1]'), true);
  assert.equal(named('https://10.0.0.5/', 'a', '10.0.0.5'), true);
});

it('a part of a name, another port or another host names nothing', () => {
  for (const host of ['shop:3001', 'hop', 'shop.internal', 'internal', 'shop:80', ''])
    assert.equal(named('http://shop:3000/', host), false, host);
  assert.equal(named('http://evil.shop.internal/', 'shop.internal'), false);
  assert.equal(named('http://shop/'), false);
});

it('loopback may be private by its own name, without PRIVATE_HOSTS', () => {
  for (const url of ['http://localhost:9/', 'http://127.0.0.1/', 'http://[::1]:9/'])
    assert.equal(mayBePrivate(new URL(url), []), true, url);
  for (const url of ['https://127.0.0.2/', 'https://10.0.0.5/', 'https://shop/'])
    assert.equal(mayBePrivate(new URL(url), []), false, url);
});

it('a WEBHOOK_URL whose name has only private addresses causes a warning with the setting that allows it', async () => {
  const warned = (url: string, addresses: string[], hosts: string[] = []) =>
    privateHostWarning('WEBHOOK_URL', new URL(url), hosts, () => Promise.resolve(addresses));
  assert.equal(
    await warned('https://shop:9443/hook', ['10.0.0.5', 'fd00::1']),
    'WEBHOOK_URL: shop has only private addresses, so nothing is sent to it; if it is inside your own network, set PRIVATE_HOSTS=shop:9443',
  );
  assert.equal(await warned('https://shop:9443/hook', ['10.0.0.5'], ['shop']), undefined);
  assert.equal(await warned('https://shop/hook', ['10.0.0.5', '8.8.8.8']), undefined);
  assert.equal(await warned('https://shop/hook', []), undefined);
  assert.equal(await warned('https://localhost/hook', ['127.0.0.1']), undefined);
  assert.equal(await warned('https://10.0.0.5/hook', ['10.0.0.5']), undefined, 'refused at the start already');
  const failing = () => Promise.reject(new Error('ENOTFOUND'));
  assert.equal(await privateHostWarning('WEBHOOK_URL', new URL('https://shop/'), [], failing), undefined);
});
