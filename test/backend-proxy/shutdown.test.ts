// What each signal does, without a process: the clock and the signals are the test's.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it, type TestContext } from 'node:test';
import { endOnSignals, exitOnSignals, type Shutdown } from '../../backend-proxy/start.ts';

interface Tried {
  /** What happened, in order. */
  events: string[];
  send(signal: 'SIGTERM' | 'SIGINT'): Promise<void>;
  /** Advances the clock. */
  pass(seconds: number): Promise<void>;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function createShutdown(t: TestContext, settings: Partial<Shutdown> & { isTerminal?: boolean } = {}): Tried {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { isTerminal = false, ...given } = settings;
  const events: string[] = [];
  const signals = Object.assign(new EventEmitter(), { exit: (code: number) => void events.push(`exit ${code}`) });
  endOnSignals(
    {
      drainSeconds: 5,
      drain: () => void events.push('drain()'),
      stop: async () => void events.push('stop()'),
      log: (_level, event, fields) => void events.push([event, ...Object.values(fields ?? {})].join(' ')),
      ...given,
    },
    signals,
    isTerminal,
  );
  return {
    events,
    async send(signal) {
      signals.emit(signal, signal);
      await settle();
    },
    async pass(seconds) {
      t.mock.timers.tick(seconds * 1000);
      await settle();
    },
  };
}

const STOPPED = ['stop()', 'stopped'];

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  it(`${signal} drains for DRAIN_SECONDS, then stops`, async (t) => {
    const { events, send, pass } = createShutdown(t);
    await send(signal);
    await pass(4.9);
    assert.deepEqual(events, [`draining ${signal} 5`, 'drain()']);
    await pass(0.1);
    assert.deepEqual(events.slice(2), [`stopping ${signal}`, ...STOPPED]);
  });

  it(`a second ${signal} ends the draining`, async (t) => {
    const { events, send } = createShutdown(t);
    await send('SIGTERM');
    await send(signal);
    assert.deepEqual(events.slice(2), ['stopping SIGTERM', ...STOPPED]);
  });
}

it('with DRAIN_SECONDS=0 a signal stops at once', async (t) => {
  const { events, send } = createShutdown(t, { drainSeconds: 0 });
  await send('SIGTERM');
  assert.deepEqual(events, ['stopping SIGTERM', ...STOPPED]);
});

it('Ctrl-C on a terminal stops at once, and SIGTERM there drains', async (t) => {
  const pressed = createShutdown(t, { isTerminal: true });
  await pressed.send('SIGINT');
  assert.deepEqual(pressed.events, ['stopping SIGINT', ...STOPPED]);
  t.mock.timers.reset();
  const sent = createShutdown(t, { isTerminal: true });
  await sent.send('SIGTERM');
  assert.deepEqual(sent.events, ['draining SIGTERM 5', 'drain()']);
});

it('a signal while it stops ends the process', async (t) => {
  const { events, send } = createShutdown(t, { stop: () => new Promise(() => undefined) });
  await send('SIGTERM');
  await send('SIGTERM');
  assert.deepEqual(events.slice(2), ['stopping SIGTERM']);
  await send('SIGINT');
  assert.deepEqual(events.slice(3), ['exit 1']);
});

it('a signal during the start ends the process with 0, and afterwards no more', () => {
  const codes: number[] = [];
  const signals = Object.assign(new EventEmitter(), { exit: (code: number) => void codes.push(code) });
  const hasStarted = exitOnSignals(signals);
  signals.emit('SIGTERM', 'SIGTERM');
  signals.emit('SIGINT', 'SIGINT');
  assert.deepEqual(codes, [0, 0]);
  hasStarted();
  assert.equal(signals.listenerCount('SIGTERM') + signals.listenerCount('SIGINT'), 0);
});

it('a stop that hangs ends the process with 1 after 35 s', async (t) => {
  const { events, send, pass } = createShutdown(t, { drainSeconds: 0, stop: () => new Promise(() => undefined) });
  await send('SIGTERM');
  await pass(34.9);
  assert.deepEqual(events, ['stopping SIGTERM']);
  await pass(0.1);
  assert.deepEqual(events.slice(1), ['stopping failed not in time', 'exit 1']);
});

it('a stop that fails ends the process with 1, and the log names the error without its message', async (t) => {
  const stop = () => Promise.reject(Object.assign(new Error('canary'), { code: 'ECONNRESET' }));
  const { events, send } = createShutdown(t, { drainSeconds: 0, stop });
  await send('SIGTERM');
  assert.match(events[1] ?? '', /^stopping failed Error ECONNRESET/);
  assert.doesNotMatch(events.join(), /canary/);
  assert.equal(events[2], 'exit 1');
});
