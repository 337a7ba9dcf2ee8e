// Waits in real time for what other processes, sockets or timers do.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 5;

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, 'timed out');
    await sleep(LOOK_EVERY_MS);
  }
}
