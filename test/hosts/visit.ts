// One visit to a merchant's page: the shopper's steps, the widget's events, and the text of the QR code on the screen.
import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { until } from '../faults/fault-test.ts';
import { STEP_MS, Visitor } from '../journeys/visitor.ts';
import { scanCode } from '../qr-reader.ts';

/** An event of the widget, as the document receives it. */
export interface WidgetEvent {
  type: string;
  /** Tag name of the event's target; a shadow root retargets it to its host. */
  target: string;
}

export class Visit {
  readonly page: Page;
  readonly #visitor: Visitor;
  readonly #openStreams = new Set<object>();

  private constructor(visitor: Visitor) {
    this.page = visitor.page;
    this.#visitor = visitor;
  }

  static async enter(context: BrowserContext): Promise<Visit> {
    const visit = new Visit(await Visitor.enter(context, () => undefined));
    const { page } = visit;
    page.on('request', (request) => request.url().endsWith('/order/events') && visit.#openStreams.add(request));
    page.on('requestfinished', (request) => visit.#openStreams.delete(request));
    page.on('requestfailed', (request) => visit.#openStreams.delete(request));
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

  /** Complaints of the browser that are expected. */
  set allowed(pattern: RegExp) {
    this.#visitor.allowed = pattern;
  }

  /** Waits until the browser complains of something that matches. */
  async logs(pattern: RegExp): Promise<void> {
    const { complaints } = this.#visitor;
    await until(`the browser logs ${pattern}`, () => complaints.some((complaint) => pattern.test(complaint)));
  }

  leave(): Promise<void> {
    return this.#visitor.leave();
  }
}
