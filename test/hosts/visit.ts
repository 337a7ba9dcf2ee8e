// One visit to a merchant's page: the shopper's steps, the widget's events, and the text of the QR code on the screen.
// A visit fails at its end if the browser logged anything that the test did not allow.
import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { until } from '../faults/fault-test.ts';
import { scanCode } from '../qr-reader.ts';

/** Limit for one step. Generous, because a full test run keeps every core busy. */
const STEP_MS = 60_000;

/** An event of the widget, as the document receives it. */
export interface WidgetEvent {
  type: string;
  /** Tag name of the event's target; a shadow root retargets it to its host. */
  target: string;
}

export class Visit {
  readonly page: Page;
  /** Console messages, uncaught errors and failed requests of the page. */
  readonly messages: string[] = [];
  /** What the browser may log. */
  allowed: RegExp | undefined;
  readonly #openStreams = new Set<object>();

  private constructor(page: Page) {
    this.page = page;
  }

  static async enter(context: BrowserContext): Promise<Visit> {
    context.setDefaultTimeout(STEP_MS);
    const visit = new Visit(await context.newPage());
    const { page, messages } = visit;
    page.on('console', (message) => {
      // React's development build suggests its DevTools on every page.
      if (!message.text().includes('React DevTools')) messages.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => messages.push(`uncaught: ${error.message}`));
    page.on('request', (request) => request.url().endsWith('/order/events') && visit.#openStreams.add(request));
    page.on('requestfinished', (request) => visit.#openStreams.delete(request));
    page.on('requestfailed', (request) => {
      visit.#openStreams.delete(request);
      const failure = request.failure()?.errorText;
      if (failure !== 'net::ERR_ABORTED') messages.push(`failed: ${request.url()} ${failure}`);
    });
    await page.addInitScript(() => {
      const widgetEvents: WidgetEvent[] = [];
      for (const name of ['submit', 'redirect', 'change', 'success', 'failed', 'error']) {
        document.addEventListener(`payment-${name}`, ({ type, target }) => {
          widgetEvents.push({ type, target: (target as Element).localName });
        });
      }
      Object.assign(globalThis, { widgetEvents });
    });
    return visit;
  }

  get widget(): Locator {
    return this.page.locator('payment-widget');
  }

  get openStreams(): number {
    return this.#openStreams.size;
  }

  widgetEvents(): Promise<WidgetEvent[]> {
    return this.page.evaluate(() => (globalThis as unknown as { widgetEvents: WidgetEvent[] }).widgetEvents);
  }

  async pay(widget = this.widget): Promise<void> {
    await widget.locator('input[value="QR"]').check();
    await widget.locator('[part~="pay"]').click();
  }

  /** Pays, and reads the code that is drawn. */
  async showsCode(widget = this.widget): Promise<void> {
    await this.pay(widget);
    assert.match(await this.scannedCode(widget), /^http/);
  }

  async sees(state: string, selector = 'payment-widget'): Promise<void> {
    await this.page.locator(`${selector}:state(${state})`).waitFor();
  }

  /** Decodes a screenshot of the QR code, with a library independent of the encoder. */
  scannedCode(widget = this.widget): Promise<string> {
    return scanCode(widget.locator('[part~="code"]'), STEP_MS);
  }

  /** Waits until the browser logs a message that matches. */
  async logs(pattern: RegExp): Promise<void> {
    await until(`the browser logs ${pattern}`, () => this.messages.some((message) => pattern.test(message)));
  }

  /** Closes the browser context, and fails if the browser logged anything else than what is allowed. */
  async leave(): Promise<void> {
    await this.page.context().close();
    const others = this.messages.filter((message) => !this.allowed?.test(message));
    // Of a test that has failed, only this is shown, and may explain the failure.
    if (others.length > 0) console.error(others.join('\n'));
    assert.deepEqual(others, []);
  }
}
