// The log when writes fail: lost lines are counted and reported, cut lines are finished, and no line is broken.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { createLogger } from '../../../backend-proxy/observability/log.ts';
import { NOON } from '../time.ts';
import { inWords } from '../in-words.ts';

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
        .map((line) => JSON.parse(line) as { event: string; lines?: number; level: string; time?: string }),
  };
}

/** Each line as a turn of its own. */
const AT_ONCE = (flush: () => void) => flush();

it('the log survives a full disk and reports the number of lost lines once there is room', () => {
  const disk = openDisk();
  const logger = createLogger('info', disk.write, AT_ONCE);
  logger.info({ event: 'first' });
  disk.leave(0);
  for (let n = 0; n < 5; n += 1) logger.info({ event: 'lost' });
  disk.leave(Infinity);
  logger.info({ event: 'back' });
  logger.info({ event: 'last' });
  assert.deepEqual(
    inWords(disk.lines(), 'event', 'lines'), ['first undefined', 'log lines were lost 5', 'back undefined', 'last undefined'],
  ); // prettier-ignore
});

it('the log finishes a cut line before the next one, wherever it was cut', () => {
  for (let cut = 1; cut < 200; cut += 1) {
    const disk = openDisk();
    const logger = createLogger('info', disk.write, AT_ONCE);
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
  const logger = createLogger('warn', disk.write, AT_ONCE);
  logger.info({ event: 'too small' });
  logger.warn({ event: 'logged' });
  const [line, ...more] = disk.lines() as { level: string; time?: string; event: string }[];
  assert.deepEqual([line?.level, line?.event, more], ['warn', 'logged', []]);
  assert.ok(Number.isFinite(Date.parse(line?.time ?? '')));
});

it('the lines of one turn of the event loop are one write, and more than 64 KB are several', async () => {
  const writes: string[] = [];
  const logger = createLogger('info', (bytes) => writes.push(Buffer.from(bytes).toString()) && bytes.length);
  for (const event of ['a', 'b', 'c']) logger.info({ event });
  assert.equal(writes.length, 0);
  await new Promise(setImmediate);
  assert.deepEqual(
    writes.map((text) => text.split('\n').length - 1),
    [3],
  );
  logger.info({ event: 'x'.repeat(40_000) });
  logger.info({ event: 'x'.repeat(40_000) });
  assert.equal(writes.length, 2, 'what waits is limited');
  logger.info({ event: 'd' });
  await new Promise(setImmediate);
  assert.equal(writes.join('').trimEnd().split('\n').length, 6);
});

it('the lines of a turn that a full disk cuts are finished in the next turn, and those it took nothing of are counted', async () => {
  const disk = openDisk();
  const logger = createLogger('info', disk.write);
  const turn = async (...events: string[]) => {
    for (const event of events) logger.info({ event });
    await new Promise(setImmediate);
  };
  disk.leave(100);
  await turn('a', 'b', 'c');
  await turn('d', 'e');
  disk.leave(Infinity);
  await turn('f');
  assert.deepEqual(
    inWords(disk.lines(), 'event', 'lines'), ['a undefined', 'b undefined', 'c undefined', 'log lines were lost 2', 'f undefined'],
  ); // prettier-ignore
});

it('the lines before an exit, and a fatal one, are written at once', () => {
  const module = new URL('../../../backend-proxy/observability/log.ts', import.meta.url).href;
  const code = `import { createLogger } from '${module}';
    createLogger('info').info({ event: 'last' });
    process.exit(3);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.deepEqual([status, (JSON.parse(stdout) as { event: string }).event], [3, 'last']);
  const disk = openDisk();
  const logger = createLogger('info', disk.write);
  logger.info({ event: 'before' });
  logger.fatal({ event: 'fatal' });
  assert.deepEqual(inWords(disk.lines(), 'event'), ['before', 'fatal']);
});

it('each line has the time at which it was logged, whether the clock goes on or back', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const disk = openDisk();
  const logger = createLogger('info', disk.write, AT_ONCE);
  const times = [0, 7, 999, 1_000, 1_001, 59_999, 60_000, 12, 1_799_999_999_999].map((ms) => NOON + ms);
  for (const ms of times) {
    t.mock.timers.setTime(ms);
    logger.info({ event: 'now' });
  }
  assert.deepEqual(
    disk.lines().map(({ time }) => time),
    times.map((ms) => new Date(ms).toISOString()),
  );
});
