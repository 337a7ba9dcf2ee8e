// readIpn() of the gateway adapter: the interpretation of an IPN, which is read like a report.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGateway } from '../../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import { REPORT } from './scripted-gateway.ts';

describe('readIpn()', () => {
  const gateway = createGateway({
    url: 'https://gateway.example',
    apiKey: 'k',
    profile: DEFAULT_PROFILE,
    checkoutHosts: [],
  });

  it('readIpn() reads an IPN like a report; its outcome may be missing', () => {
    const reading = {
      transactionId: 'A-1',
      type: 'PAY',
      paymentId: '111328',
      customer: '12345678',
      amount: '500',
      currency: 'EUR',
    };
    assert.deepEqual(gateway.readIpn(JSON.stringify(REPORT)), {
      kind: 'read',
      reading: { ...reading, outcome: 'succeeded' },
    });
    const { status: _, ...bare } = REPORT;
    assert.deepEqual(gateway.readIpn(JSON.stringify(bare)), { kind: 'read', reading: { ...reading, outcome: null } });
  });

  it('readIpn() is unreadable for anything but a JSON object with an order id and a type', () => {
    for (const text of [
      '',
      'x',
      '[]',
      'null',
      '1',
      '{}',
      '{"orderId":"A"}',
      '{"type":"PAY"}',
      '{"orderId":"","type":"PAY"}',
      '{"orderId":"A","type":"pay"}',
    ]) {
      assert.deepEqual(gateway.readIpn(text), { kind: 'unreadable' }, text);
    }
  });

  it('readIpn() refuses an IPN nested deeper than 8', () => {
    const deep = (depth: number) => `{"orderId":"A","type":"PAY","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    assert.equal(gateway.readIpn(deep(8)).kind, 'read');
    assert.deepEqual(gateway.readIpn(deep(9)), { kind: 'refused' });
  });
});
