// A shopper whose screen is read at every change: what they do, what they wait for, and the comparison with the facts.
// It knows the widget only by its parts and states; an unknown button counts as a way to continue.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import { enFlow } from '../../english.ts';
import { readDrawing } from './read-qr-code.ts';
import { findFalseClaims, type Screen } from './false-claims.ts';
import type { OrderRecords, Payment } from './facts.ts';
import { blank, type ScreenReading } from './watch-screen.ts';
import { timelineOf } from './timeline.ts';

/** Within this time after the gateway's answer, or its loss, there is a way to continue. */
export const ACTION_WITHIN_MS = 12_000;
/** How long the effect of a press may take to show. */
const PRESSED_MS = 10_000;
/** From the approval to the screen, over a connection that has just recovered. */
const PAID_MS = 20_000;
/** Between two polls. */
const POLL_MS = 50;

/** Data on the screen besides the order's id: the product, and the time of payment. */
const DATA = String.raw`Stillwater Coffee|Coffee from Stillwater|[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d [AP]M`;

/** These do not lead on. `other` comes last, so that a more likely action is tried first. */
const NOT_ONWARD = ['copy', 'save', 'share', 'app-link', 'support', 'retry', 'back', 'other'];

interface Settings {
  page: Page;
  orderId: string;
  readings: readonly ScreenReading[];
  /** Its URL. */
  sandbox: string;
  recordsOf(orderId: string): Promise<OrderRecords>;
  settle(id: string, how: 'approve' | 'decline' | 'expire'): Promise<unknown>;
}

export class WatchedShopper {
  readonly page: Page;
  readonly orderId: string;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.page = settings.page;
    this.orderId = settings.orderId;
    this.#settings = settings;
  }

  get isAtCheckout(): boolean {
    return this.page.url().startsWith(`${this.#settings.sandbox}/pay?token=`);
  }

  get #screen(): ScreenReading {
    return this.#settings.readings.at(-1) ?? blank(0);
  }

  /** The part that a shopper presses to continue; the way back to the choice only if there is nothing else. */
  get #onwardAction(): string | undefined {
    const { actions } = this.#screen;
    return actions.find((action) => !NOT_ONWARD.includes(action)) ?? actions.find((action) => action === 'other');
  }

  part(name: string): Locator {
    return this.page.locator('payment-widget').locator(`[part~="${name}"]`);
  }

  async pay(method: Method, wallet?: string): Promise<void> {
    await this.page.locator(`payment-widget input[value="${method}"]`).check();
    if (wallet !== undefined) await this.part('wallet').fill(wallet);
    await this.part('pay').click();
  }

  async sees(state: 'choosing' | 'waiting' | 'paid' | 'failed'): Promise<void> {
    await this.page.locator(`payment-widget:state(${state})`).waitFor();
  }

  async reads(text: string, withinMs: number): Promise<void> {
    assert.ok(await this.#until(() => this.#reads(text), withinMs), `"${text}" is not shown: ${this.#words()}`);
  }

  /** Waits for the means to pay: the request is out, the page is open or linked, the code is drawn. */
  async hasMeans(method: Method, withinMs = ACTION_WITHIN_MS): Promise<void> {
    const has: Record<Method, () => boolean> = {
      DIRECT: () => this.#reads(enFlow.waiting),
      CHECKOUT: () => this.isAtCheckout || this.#screen.actions.includes('checkout'),
      JETGO: () => this.#screen.drawings.length > 0,
      QR: () => this.#screen.drawings.length > 0,
    };
    assert.ok(await this.#until(has[method], withinMs), `nothing to pay with: ${this.#words()}`);
  }

  /** Presses the button that leads on, and pays what comes of it. */
  async continues(): Promise<void> {
    const hasAction = await this.#until(() => this.isAtCheckout || this.#onwardAction !== undefined, ACTION_WITHIN_MS);
    assert.ok(hasAction, `no way to continue: ${this.#words()}`);
    const before = await this.open();
    const hasNew = async () => this.isAtCheckout || (await this.open()).some((id) => !before.includes(id));
    const canChoose = () => this.#screen.actions.includes('pay');
    if (!this.isAtCheckout && !canChoose()) {
      await this.part(this.#onwardAction ?? '').click();
      await this.#until(async () => canChoose() || (await hasNew()), PRESSED_MS);
    }
    if (canChoose()) await this.pay('QR');
    assert.ok(await this.#until(hasNew, PRESSED_MS), `the button that leads on has no effect: ${this.#words()}`);
    await this.paysTheLatest();
  }

  async paysTheLatest(): Promise<void> {
    const { id, method } = (await this.#payable()).at(-1) ?? {};
    assert.ok(id && method, `nothing can be paid: ${this.#words()}`);
    await this.hasMeans(method);
    await this.settle(id, 'approve');
    await this.becomesPaid(PAID_MS);
  }

  async becomesPaid(withinMs: number): Promise<void> {
    const isPaid = async () => {
      if (this.isAtCheckout) await this.page.goBack();
      return this.#reads(enFlow.paid);
    };
    assert.ok(await this.#until(isPaid, withinMs), `not shown as paid: ${this.#words()}`);
  }

  /** Ids of the payments at the sandbox that can be paid now, oldest first. */
  async open(): Promise<string[]> {
    return (await this.#payable()).map(({ id }) => id);
  }

  async settle(id: string, how: 'approve' | 'decline' | 'expire'): Promise<void> {
    await this.#settings.settle(id, how);
  }

  /** All false claims on this screen until now, and the timeline for the log. */
  async review(): Promise<{ falseClaims: string[]; timeline: string }> {
    const { readings, recordsOf } = this.#settings;
    const until = Date.now();
    const codes = new Map<string, string>();
    for (const drawing of new Set(readings.flatMap(({ drawings }) => drawings)))
      codes.set(drawing, await readDrawing(drawing));
    const screens: Screen[] = readings.map(({ at, texts, links, chosen, drawings }) => ({
      at,
      texts,
      links,
      chosen,
      codes: drawings.map((drawing) => codes.get(drawing) ?? ''),
    }));
    const records = await recordsOf(this.orderId);
    const isData = new RegExp(`^(${this.orderId}|${DATA})$`);
    return {
      falseClaims: findFalseClaims(screens, until, records, isData),
      timeline: timelineOf(screens, until, records),
    };
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }

  /** Polls until it holds; false if it does not in time. Counts polls, which take longer on a busy machine. */
  async #until(isSo: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
    for (let polls = limitMs / POLL_MS; polls > 0; polls -= 1) {
      if (await isSo()) return true;
      await this.page.waitForTimeout(POLL_MS);
      // Waits for the page itself; a page that is leaving cannot answer.
      await this.page.evaluate(() => 0).catch(() => 0);
    }
    return isSo();
  }

  async #payable(): Promise<Payment[]> {
    const { payments } = await this.#settings.recordsOf(this.orderId);
    return payments.filter(({ history }) => !['SUCCESS', 'FAILED'].includes(history.at(-1)?.status ?? ''));
  }

  #reads(text: string): boolean {
    return this.#screen.texts.some((each) => each.text === text);
  }

  #words(): string {
    return this.#screen.texts.map(({ text }) => text).join(' | ');
  }
}
