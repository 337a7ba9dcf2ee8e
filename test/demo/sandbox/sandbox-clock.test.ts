// The sandbox's time and money, the two ideas that everything else in it leans on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Clock } from '../../../demo/sandbox/sandbox-clock.ts';
import { formatMoney, toDecimal, toMinor } from '../../../demo/sandbox/money.ts';

describe('the clock', () => {
  it('does what is due in order of time, then of entry, and leaves the rest', async () => {
    let now = 0;
    const clock = new Clock(() => now);
    const done: string[] = [];
    for (const [at, name] of [
      [20, 'c'],
      [10, 'a'],
      [10, 'b'],
      [30, 'd'],
    ] as const) {
      clock.at(at, () => void done.push(name));
    }
    await clock.tick();
    assert.deepEqual(done, []);
    now = 20;
    await clock.tick();
    assert.deepEqual(done, ['a', 'b', 'c']);
  });

  it('does in the same tick what becomes due by the work, and waits for it', async () => {
    const clock = new Clock(() => 0);
    const done: string[] = [];
    clock.at(0, async () => {
      await Promise.resolve();
      done.push('first');
      clock.at(0, () => void done.push('second'));
    });
    await clock.tick();
    assert.deepEqual(done, ['first', 'second']);
  });

  it('wakes by itself while it runs, also when it is moved ahead, and after work that failed', async (t) => {
    const logged = t.mock.method(console, 'error', () => {});
    const clock = new Clock(() => 0);
    const stop = clock.run();
    clock.at(0, () => {
      throw new Error('broken work');
    });
    const woken = new Promise<void>((resolve) => {
      clock.at(3_600_000, resolve);
    });
    clock.advance(3_600_000);
    await woken;
    await new Promise(setImmediate);
    stop();
    assert.equal(logged.mock.callCount(), 1);
  });
});

describe('money', () => {
  it('turns decimals into minor units of the currency and back, at any size', () => {
    for (const [amount, currency, minor] of [
      ['10.10', 'EUR', 1010n],
      ['0.05', 'EUR', 5n],
      ['500', 'JPY', 500n],
      ['1.234', 'KWD', 1234n],
      ['90071992547409931.07', 'USD', 9007199254740993107n],
    ] as const) {
      assert.equal(toMinor(amount, currency), minor);
      assert.equal(toDecimal(minor, currency), amount);
    }
    assert.equal(toDecimal(-1050n, 'EUR'), '-10.50');
    assert.equal(toDecimal(-5n, 'EUR'), '-0.05');
  });

  it('takes fewer decimals than the currency has, never more', () => {
    assert.equal(toMinor('10.1', 'EUR'), 1010n);
    assert.equal(toMinor('10.101', 'EUR'), null);
    assert.equal(toMinor('1.0', 'JPY'), null);
    assert.equal(toMinor('1e3', 'EUR'), null);
  });

  it('is shown with all its digits, in the language of the reader', () => {
    assert.equal(formatMoney(9007199254740993107n, 'USD'), '$90,071,992,547,409,931.07');
    assert.equal(formatMoney(1050n, 'EUR', 'de'), '10,50\u00a0€');
    assert.equal(formatMoney(2500n, 'EUR', 'en', true), '+€25.00');
  });
});
