// The log when writes fail: lost lines are counted and reported, cut lines are finished, and no line is broken.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from '../../backend-proxy/log.ts';

/** A disk with this many free bytes. */
function openDisk() {
  let text = '';
  let room = Infinity;
  return {
    write(bytes: Uint8Array): number {
      const taken = Math.min(bytes.length, room);
      if (taken === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      text += Buffer.from(bytes.subarray(0, taken)).toString('latin1');
      room -= taken;
      return taken;
    },
    leave: (bytes: number) => (room = bytes),
    lines: () =>
      Buffer.from(text, 'latin1')
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { event: string; lines?: number; level: string }),
  };
}

describe('the log', () => {
  it('the log survives a full disk and reports the number of lost lines once there is room', () => {
    const disk = openDisk();
    const logger = createLogger('info', disk.write);
    logger.info({ event: 'first' });
    disk.leave(0);
    for (let n = 0; n < 5; n += 1) logger.info({ event: 'lost' });
    disk.leave(Infinity);
    logger.info({ event: 'back' });
    logger.info({ event: 'last' });
    assert.deepEqual(
      disk.lines().map(({ event, lines }) => [event, lines]),
      [['first', undefined], ['log lines were lost', 5], ['back', undefined], ['last', undefined]],
    ); // prettier-ignore
  });

  it('the log finishes a cut line before the next one, wherever it was cut', () => {
    for (let cut = 1; cut < 200; cut += 1) {
      const disk = openDisk();
      const logger = createLogger('info', disk.write);
      disk.leave(cut);
      for (const event of ['één', 'zwei', 'drei']) logger.info({ event });
      disk.leave(Infinity);
      logger.info({ event: 'last' });
      const events = disk.lines();
      const lost = events.reduce((sum, { lines = 0 }) => sum + lines, 0);
      const written = events.filter(({ event }) => ['één', 'zwei', 'drei', 'last'].includes(event)).length;
      assert.equal(written + lost, 4, `${cut}`);
      assert.equal(events.at(-1)?.event, 'last');
    }
  });

  it('the log writes the lines of its level, each with its time', () => {
    const disk = openDisk();
    const logger = createLogger('warn', disk.write);
    logger.info({ event: 'too small' });
    logger.warn({ event: 'logged' });
    const [line, ...more] = disk.lines() as { level: string; time?: string; event: string }[];
    assert.deepEqual([line?.level, line?.event, more], ['warn', 'logged', []]);
    assert.ok(Number.isFinite(Date.parse(line?.time ?? '')));
  });
});
