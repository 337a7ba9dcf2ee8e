// The demo's gateway profile: it has the sandbox's code for an unknown order, so that a payment that never reached the
// gateway ends in the demo too, and the type of a payout that the sandbox takes for refunds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { profileSchema } from '../../backend-proxy/gateway/profile.ts';
import { createWorld } from '../backend-proxy/world.ts';

const FILE = new URL('../../demo/sandbox-profile.json', import.meta.url);
/** Enough for two accepted "unknown" answers: the first after 90 s, the second a minute later, proven in a minute. */
const ENDED_MS = 5 * 60_000;

async function lost(t: Parameters<typeof createWorld>[0], profile: Parameters<typeof createWorld>[1]) {
  const world = await createWorld(t, profile);
  await world.faults({ pay: { status: 500 } });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.pass(ENDED_MS);
  return (await world.view(token)).payment;
}

it('the demo’s profile ends a payment that never reached the gateway as NOT_CREATED', async (t) => {
  const payment = await lost(t, { profile: profileSchema.parse(JSON.parse(readFileSync(FILE, 'utf8'))) });
  assert.deepEqual([payment?.status, payment?.reason], ['FAILED', 'NOT_CREATED']);
});

it('the demo’s profile allows a refund of every method', () => {
  const { refundAs } = profileSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  assert.deepEqual(refundAs, { DIRECT: 'JETGO', CHECKOUT: 'JETGO', JETGO: 'JETGO', QR: 'JETGO' });
});

it('without the demo’s profile a payment that never reached the gateway stays INITIALIZED', async (t) => {
  assert.equal((await lost(t, {}))?.status, 'INITIALIZED');
});
