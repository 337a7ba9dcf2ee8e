// One visit to a merchant's page: the shopper's steps, the widget's events, and the text of the QR code on the screen.
// A visit fails at its end if the browser logged anything that the test did not allow.
import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { scanCode } from '../qr-reader.ts';

/** Limit for one step. Generous, because a full test run keeps every core busy. */
const STEP_MS = 60_000;
const POLL_MS = 25;

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
  readonly #openStreams = new Set<object>();
  #hasLeft = false;

  private constructor(page: Page) {
    this.page = page;
  }

  static async enter(context: BrowserContext): Promise<Visit> {
    context.setDefaultTimeout(STEP_MS);
    const visit = new Visit(await context.newPage());
    const { page, messages } = visit;
    // A test that fails never calls leave(); the browser's messages may explain the failure.
    context.on('close', () => {
      if (!visit.#hasLeft && messages.length > 0) console.error(messages.join('\n'));
    });
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
    await until(() => this.messages.some((message) => pattern.test(message)), `the browser logs ${pattern}`);
  }

  /** Closes the browser context, and fails if the browser logged a message that does not match `allowed`. */
  async leave(allowed?: RegExp): Promise<void> {
    this.#hasLeft = true;
    await this.page.context().close();
    assert.deepEqual(
      this.messages.filter((message) => !allowed?.test(message)),
      [],
    );
  }
}

/** Polls until the condition is true; `description` says what is expected. */
export async function until(isTrue: () => boolean | Promise<boolean>, description: string): Promise<void> {
  const deadline = performance.now() + STEP_MS;
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `not within ${STEP_MS} ms: ${description}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
