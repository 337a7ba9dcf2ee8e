// Misspelled variables are named with the nearest one that exists.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { misspelledVariables } from '../../../backend-proxy/config/config.ts';
import { editDistance } from '../../../backend-proxy/protocol/nearest.ts';

const KNOWN = ['ORDER_SECRET', 'ORDER_SECRET_FILE', 'TRUSTED_PROXIES', 'GATEWAY_URL', 'NODE_TLS_REJECT_UNAUTHORIZED', 'HOST']; // prettier-ignore

it('a variable that begins like one of ours but is unknown causes a warning with the nearest name', () => {
  assert.deepEqual(misspelledVariables(['TRUSTED_PROXY', 'ORDER_SECRET', 'ORDER_SECERT', 'GATEWAY_UR'], KNOWN), [
    'TRUSTED_PROXY is no variable of the proxy; the nearest one is TRUSTED_PROXIES',
    'ORDER_SECERT is no variable of the proxy; the nearest one is ORDER_SECRET',
    'GATEWAY_UR is no variable of the proxy; the nearest one is GATEWAY_URL',
  ]);
});

it('variables of other programs, of Node and of Kubernetes cause no warning', () => {
  const others = ['PATH', 'HOSTNAME', 'HOST', 'ORDERS', 'NODE_ENV', 'NODE_OPTIONS', '_', 'gateway_url'];
  const services = ['GATEWAY_SERVICE_HOST', 'GATEWAY_SERVICE_PORT_HTTP', 'GATEWAY_PORT', 'GATEWAY_PORT_80_TCP_ADDR'];
  assert.deepEqual(misspelledVariables([...others, ...services, ...KNOWN], KNOWN), []);
});

it('editDistance() counts letters that are added, removed, replaced, or swapped with the next', () => {
  for (const [from, to, distance] of [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'abd', 1],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['kitten', 'sitting', 3],
    ['SECERT', 'SECRET', 1],
  ] as const)
    assert.equal(editDistance(from, to), distance, `${from} ${to}`);
});
