// The connections of the gateway adapter: separate for each operation, or those of a given dispatcher.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { Agent } from 'undici';
import { createGateway } from '../../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import { API, COLLECTION, PAYOUT, REPORT, scripted, status } from './scripted-gateway.ts';

describe('connections to the gateway', () => {
  it('each operation has its own connections: 80 hanging starts delay no status check and no payout', async (t) => {
    const hanging: ServerResponse[] = [];
    const arrived = Promise.withResolvers<void>();
    let isOver = false;
    const { gateway } = await scripted(t, (response, request) => {
      if (request.url?.endsWith('/status')) response.writeHead(200).end(JSON.stringify(REPORT));
      else if (request.url?.endsWith('/payout')) response.writeHead(202).end('{"paymentId":1,"orderId":"P-1"}');
      else if (isOver) response.destroy();
      else if (hanging.push(response) === 64) arrived.resolve();
    });
    let ended = 0;
    const starts = Array.from({ length: 80 }, async () => {
      await gateway.pay(COLLECTION);
      ended += 1;
    });
    await arrived.promise;
    assert.equal((await status(gateway)).kind, 'found');
    assert.equal((await gateway.payout(PAYOUT)).kind, 'accepted');
    assert.deepEqual([ended, hanging.length], [0, 64], 'both were answered while every start waited');
    isOver = true;
    for (const response of hanging) response.destroy();
    await Promise.all(starts);
  });

  it('all operations use the dispatcher that is passed in', async (t) => {
    const { url } = await scripted(t, { body: { ...REPORT, method: 'DIRECT' } });
    const paths: string[] = [];
    const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
      paths.push(options.path);
      return dispatch(options, handler);
    });
    const gateway = createGateway({ url, apiKey: 'k', profile: DEFAULT_PROFILE, checkoutHosts: [], dispatcher });
    await gateway.pay({ ...COLLECTION, method: 'DIRECT' });
    await gateway.payout(PAYOUT);
    await status(gateway);
    assert.deepEqual(paths, [`${API}/pay`, `${API}/payout`, `${API}/status`]);
    await gateway.close();
    await assert.rejects(dispatcher.request({ origin: url, path: '/', method: 'GET' }), {
      name: 'ClientDestroyedError',
    });
  });
});
