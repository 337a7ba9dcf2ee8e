// Connections of one proxy: writes that wait for an absent standby leave one for reads, which find out that they ended.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Slots } from '../../../../backend-proxy/ledger/postgres/slots.ts';

for (const limit of [2, 3, 4, 16]) {
  it(`of ${limit} connections, silent writes leave one for reads, and are freed once their processes end`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const slots = new Slots(limit, 500);
    const writes = limit - Math.max(1, Math.floor(limit / 4));
    for (let pid = 1; pid <= writes; pid += 1) await slots.take('write');
    const refused = assert.rejects(slots.take('write'), /in use/);
    t.mock.timers.tick(500);
    await refused;
    const looked = Promise.withResolvers<void>();
    const alive = async () => {
      const reading = slots.take('read');
      t.mock.timers.tick(500);
      await reading;
      slots.free('read');
      looked.resolve();
      return [];
    };
    const freed = Array.from({ length: writes }, (_, pid) => slots.freeLater(pid, alive));
    t.mock.timers.tick(1_000);
    await Promise.all([looked.promise, ...freed]);
    for (let n = 0; n < writes; n += 1) await slots.take('write');
  });
}

it('a single connection is for reads and writes', async () => {
  const slots = new Slots(1, 500);
  await slots.take('write');
  slots.free('write');
  await slots.take('read');
});
