// The session without the third bundle, which cannot be loaded. In a process of its own, because a page loads it once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { provide } from '../../widget/flow/provided.ts';
import { drawing } from '../../widget/shell/choose.ts';
import { scene } from './session-scene.ts';

it('that the field of an open amount is lost is said until it is there, also once the proxy answers', async () => {
  const provideBundle = async () => provide({ ...drawing, loadAmount: () => Promise.reject(new Error('lost')) });
  const { clock, proxy, state } = await scene({ claims: { amount: undefined }, isConnected: false, provideBundle });
  const said = () => {
    const { activity } = state();
    return activity.at === 'choosing' ? activity.trouble?.code : activity.at;
  };
  assert.equal(said(), 'network');
  proxy.streamProblem = undefined;
  await clock.advance(120_000);
  assert.equal(state().order.version >= 0, true, 'the proxy has answered');
  assert.equal(said(), 'network');
});
