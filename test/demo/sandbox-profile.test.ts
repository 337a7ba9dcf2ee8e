// The demo's profile of the gateway: how the sandbox says "no such order", so that what never arrived there ends in the demo, too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { profileSchema } from '../../backend-proxy/gateway/profile.ts';
import { createWorld } from '../backend-proxy/world.ts';

const FILE = new URL('../../demo/sandbox-profile.json', import.meta.url);
/** Two believed "unknown", the first 90 s after the start and the second a minute after its end; each waits up to a minute for its proof. */
const ENDED_MS = 5 * 60_000;

async function lost(t: Parameters<typeof createWorld>[0], profile: Parameters<typeof createWorld>[1]) {
  const world = await createWorld(t, profile);
  await world.faults({ pay: { status: 500 } });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.pass(ENDED_MS);
  return (await world.view(token)).payment;
}

describe('the demo’s profile', () => {
  it('ends a start that never arrived as NOT_CREATED, also before anything was found', async (t) => {
    const payment = await lost(t, { profile: profileSchema.parse(JSON.parse(readFileSync(FILE, 'utf8'))) });
    assert.deepEqual([payment?.status, payment?.reason], ['FAILED', 'NOT_CREATED']);
  });

  it('is what does it: without it the start stays uncertain', async (t) => {
    assert.equal((await lost(t, {}))?.status, 'INITIALIZED');
  });
});
