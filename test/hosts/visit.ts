// One visit to a merchant's page in a browser of its own: what the shopper does with the widget, what the page heard of it, and
// what the code that is drawn says. Owns that no visit is over unless the browser had nothing to complain about.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const DECODER = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
const decoderIsReady = readFile(DECODER).then((file) =>
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(file).buffer }, fireImmediately: true }),
);

/** How long a step may take, on a machine that is busy with other things. */
const STEP_MS = 60_000;
const POLL_MS = 25;

/** An event of the widget, as it came to the document. */
export interface Heard {
  type: string;
  /** Tag name of what the document takes for the origin. */
  target: string;
}

export class Visit {
  readonly page: Page;
  readonly complaints: string[] = [];
  readonly #openStreams = new Set<object>();
  #hasLeft = false;

  private constructor(page: Page) {
    this.page = page;
  }

  static async enter(context: BrowserContext): Promise<Visit> {
    context.setDefaultTimeout(STEP_MS);
    const visit = new Visit(await context.newPage());
    const { page, complaints } = visit;
    // A test that breaks off never leaves: the complaints of its browser may say why.
    context.on('close', () => {
      if (!visit.#hasLeft && complaints.length > 0) console.error(complaints.join('\n'));
    });
    page.on('console', (message) => {
      // What React's development build says of itself, in every page that uses it.
      if (!message.text().includes('React DevTools')) complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
    page.on('request', (request) => request.url().endsWith('/order/events') && visit.#openStreams.add(request));
    page.on('requestfinished', (request) => visit.#openStreams.delete(request));
    page.on('requestfailed', (request) => {
      visit.#openStreams.delete(request);
      const failure = request.failure()?.errorText;
      if (failure !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()} ${failure}`);
    });
    await page.addInitScript(() => {
      const heard: Heard[] = [];
      for (const name of ['submit', 'redirect', 'change', 'success', 'failed', 'error']) {
        document.addEventListener(`payment-${name}`, ({ type, target }) => {
          heard.push({ type, target: (target as Element).localName });
        });
      }
      Object.assign(globalThis, { heard });
    });
    return visit;
  }

  get widget(): Locator {
    return this.page.locator('payment-widget');
  }

  get openStreams(): number {
    return this.#openStreams.size;
  }

  heard(): Promise<Heard[]> {
    return this.page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard);
  }

  async pay(widget = this.widget): Promise<void> {
    await widget.locator('input[value="QR"]').check();
    await widget.locator('[part~="pay"]').click();
  }

  async sees(state: string, selector = 'payment-widget'): Promise<void> {
    await this.page.locator(`${selector}:state(${state})`).waitFor();
  }

  /** What the drawn code says, by a decoder that has nothing to do with the encoder. */
  async scannedCode(widget = this.widget): Promise<string> {
    await decoderIsReady;
    const read = async () => readBarcodes(await widget.locator('[part~="code"]').screenshot(), { formats: ['QRCode'] });
    // The place of the code can be there before the code is drawn.
    let codes = await read();
    await until(async () => codes.length > 0 || (codes = await read()).length > 0, 'a QR code can be read');
    const [found, ...others] = codes;
    assert.ok(found?.isValid && others.length === 0, 'exactly one QR code can be read');
    return found.text;
  }

  /** The browser complains of something, which may take a moment. */
  async complains(of: RegExp): Promise<void> {
    await until(() => this.complaints.some((complaint) => of.test(complaint)), `a complaint like ${of}`);
  }

  /** Closes the browser, and fails if it had complaints of another kind than the allowed one. */
  async leave(allowed?: RegExp): Promise<void> {
    this.#hasLeft = true;
    await this.page.context().close();
    assert.deepEqual(
      this.complaints.filter((complaint) => !allowed?.test(complaint)),
      [],
    );
  }
}

/** Asks again and again until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + STEP_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
