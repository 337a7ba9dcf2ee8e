import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { laterBundle } from '../../widget/shell/loading.ts';

const FILE = import.meta.resolve('./clock.ts');
/** What Chromium and Firefox say. */
const CHROMIUM = `Failed to fetch dynamically imported module: ${FILE}`;
const FIREFOX = `error loading dynamically imported module: ${FILE}`;

/** A bundle whose own URL is lost, always. */
function lostBundle(message: string) {
  const tries: string[] = [];
  const load = laterBundle(async (): Promise<{ Clock?: unknown }> => {
    tries.push(message);
    throw new TypeError(message);
  });
  return { tries, load };
}

describe('laterBundle()', () => {
  const page = { hasImportMap: false };
  beforeEach(() => {
    page.hasImportMap = false;
    Object.assign(globalThis, {
      document: { querySelector: (selector: string) => (page.hasImportMap ? { selector } : null) },
    });
  });
  afterEach(() => void Reflect.deleteProperty(globalThis, 'document'));

  it('a bundle is loaded once, for all who ask for it', async () => {
    let loads = 0;
    const load = laterBundle(async () => (loads += 1));
    assert.equal(load(), load());
    assert.equal(await load(), 1);
  });

  for (const message of [CHROMIUM, FIREFOX]) {
    it(`a bundle lost with "${message.split(':')[0]}" is loaded by another URL`, async () => {
      const { tries, load } = lostBundle(message);
      await assert.rejects(load(), { message });
      const loaded = await load();
      assert.equal(loaded, await import(`${FILE}?1`));
      assert.notEqual(loaded, await import(FILE));
      assert.equal(tries.length, 1);
    });
  }

  it('a bundle lost with an error that names no URL is loaded by its own', async () => {
    // WebKit's, and that of webpack, which loads its chunks itself.
    for (const message of ['Importing a module script failed.', `Loading chunk 1 failed. (error: ${FILE})`]) {
      const { tries, load } = lostBundle(message);
      await assert.rejects(load(), { message });
      await assert.rejects(load(), { message });
      assert.equal(tries.length, 2);
    }
  });

  it('a page with an import map, which may have the hash of the file, loads no other URL', async () => {
    page.hasImportMap = true;
    const { tries, load } = lostBundle(CHROMIUM);
    await assert.rejects(load());
    await assert.rejects(load());
    assert.equal(tries.length, 2);
  });
});
