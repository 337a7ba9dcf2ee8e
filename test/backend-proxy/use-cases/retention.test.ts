// The retention's pages, pauses and stop, with a ledger that counts; and that the proxy runs it as configured.
import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { createProxy } from '../../../backend-proxy/app.ts';
import type { Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { ErasedPage, Retention } from '../../../backend-proxy/ledger/model.ts';
import { createRetention } from '../../../backend-proxy/use-cases/retention.ts';
import { D, M } from '../time.ts';

type Port = Pick<Ledger, 'erasePage' | 'shrink'>;

function counting(pages: (ErasedPage | Error)[], shrinks: number) {
  const asked: [Retention, string | null][] = [];
  const waits: number[] = [];
  const log: unknown[] = [];
  const ledger: Port = {
    async erasePage(...query) {
      asked.push(query);
      const page = pages.shift() ?? { erased: 0, next: null };
      if (page instanceof Error) throw page;
      return page;
    },
    async shrink() {
      return (shrinks -= 1) >= 0;
    },
  };
  const wait = async (ms: number) => void waits.push(ms);
  const retention = createRetention({
    ledger,
    days: 30,
    refundDays: 180,
    sendsWebhooks: true,
    log: (...line) => void log.push(line),
    wait,
  });
  return { asked, waits, log, ledger, retention };
}

it('the retention erases page after page with a pause after each, then shrinks, and logs how many', async () => {
  const { retention, asked, waits, log } = counting(
    [
      { erased: 50, next: 'a' },
      { erased: 0, next: 'b' },
      { erased: 7, next: null },
    ],
    2,
  );
  assert.equal(await retention.pass(), 57);
  const pages = asked.map(([, next]) => next);
  assert.deepEqual(pages, ['', 'a', 'b']);
  assert.deepEqual(asked[0]?.[0], { afterMs: 30 * D, payersMs: 180 * D, sendsWebhooks: true });
  assert.deepEqual(waits, [250, 250, 250, 250, 250]);
  assert.deepEqual(log, [['info', 'personal data erased', { transactions: 57 }]]);
});

it('the retention ends after the page in flight once it is stopped', async () => {
  const stop = new AbortController();
  const { retention, ledger, asked } = counting([], 0);
  ledger.erasePage = async (...query) => {
    asked.push(query);
    stop.abort();
    return { erased: 50, next: 'more' };
  };
  assert.equal(await retention.pass(stop.signal), 50);
  assert.equal(asked.length, 1);
});

it('the retention goes on at the next hour after the database was away', async () => {
  const waits: number[] = [];
  const log: string[] = [];
  let passes = 0;
  const ledger: Port = {
    async erasePage() {
      passes += 1;
      if (passes === 1) throw new Error('away');
      return { erased: 1, next: null };
    },
    shrink: async () => false,
  };
  let release = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (release = resolve));
  const wait = async (ms: number) => {
    waits.push(ms);
    if (waits.length === 4) await stopped;
  };
  const retention = createRetention({
    ledger,
    days: 8,
    refundDays: 180,
    sendsWebhooks: false,
    log: (level, event) => void log.push(`${level} ${event}`),
    wait,
  });
  const stop = retention.run();
  while (waits.length < 4) await new Promise(setImmediate);
  const ended = stop();
  release();
  await ended;
  assert.deepEqual(waits, [M, 60 * M, 250, 60 * M]);
  assert.deepEqual(log, ['error work failed', 'info personal data erased']);
});

for (const [days, passes] of [
  [undefined, 0],
  [8, 1],
] as const) {
  it(`a proxy with a retention of ${days} days erases ${passes} times in its first two minutes`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const erased: Retention[] = [];
    const nothing = async () => [];
    const port: Partial<Ledger> = {
      erasePage: async (retention) => (erased.push(retention), { erased: 0, next: null }),
      shrink: async () => false,
      claimChecks: nothing,
      claimWebhooks: nothing,
      reportUnmatched: async () => 0,
      clockOffset: async () => 0,
      recover: async () => undefined,
      onWrite: () => undefined,
    };
    const proxy = createProxy({
      gateway: { status: mock.fn() } as unknown as Gateway,
      ledger: port as Ledger,
      config: {
        orderSecrets: ['x'.repeat(32)],
        merchantKeys: ['x'],
        ipnSecrets: ['x'],
        allowedOrigins: [],
        retentionDays: days,
        refundDays: 90,
      },
    });
    const work = proxy.run();
    for (let second = 0; second < 120; second += 1) {
      t.mock.timers.tick(1_000);
      await new Promise(setImmediate);
    }
    const stopped = work.stop();
    t.mock.timers.tick(60_000);
    await stopped;
    assert.deepEqual(
      erased,
      Array.from({ length: passes }, () => ({ afterMs: 8 * D, payersMs: 90 * D, sendsWebhooks: false })),
    );
  });
}
