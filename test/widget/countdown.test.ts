import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import type { ReactiveControllerHost } from 'lit';
import { countDown } from '../../widget/flow/flow.ts';

function hostOf(): ReactiveControllerHost & { paints: number } {
  return {
    paints: 0,
    addController() {},
    removeController() {},
    requestUpdate() {
      this.paints++;
    },
    updateComplete: Promise.resolve(true),
  };
}

it('the countdown repaints all counting widgets once a second by one timer, which stops with the last of them', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const started = mock.method(globalThis, 'setInterval');
  const [a, b] = [hostOf(), hostOf()];
  mock.timers.tick(5_000);
  assert.equal(started.mock.callCount(), 0);

  countDown(a, true);
  countDown(a, true);
  countDown(b, true);
  mock.timers.tick(2_000);
  assert.deepEqual([a.paints, b.paints, started.mock.callCount()], [2, 2, 1]);

  countDown(b, false);
  mock.timers.tick(1_000);
  assert.deepEqual([a.paints, b.paints], [3, 2]);

  countDown(a, false);
  mock.timers.tick(9_000);
  assert.deepEqual([a.paints, b.paints], [3, 2]);

  countDown(b, true);
  mock.timers.tick(1_000);
  assert.deepEqual([b.paints, started.mock.callCount()], [3, 2]);
  countDown(b, false);
  mock.reset();
});
