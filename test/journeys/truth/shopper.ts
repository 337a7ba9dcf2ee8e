// Someone whose screen is read at every change: what they do, what they wait for, and what is then held against the screen. Knows
// the widget by its parts and states alone; a button that came later than this file is taken for a way on.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import { enFlow } from '../../../widget/locales/en-flow.ts';
import { readDrawing } from './code.ts';
import { findLies, type Screen } from './judge.ts';
import type { Memory, Payment } from './moment.ts';
import { blank, type Reading } from './screen.ts';

/** Within this time after the gateway's answer, or its loss, there is a way on. */
export const WAY_WITHIN_MS = 12_000;
/** What a press leads to is to be seen by then. */
const PRESSED_MS = 10_000;
/** From the approval to the screen, over a line that has just come back. */
const PAID_MS = 20_000;
/** Between two looks at what was read. */
const LOOK_MS = 50;

/** On the screen beside the order's id, and no sentence: what is paid for, and when it was. */
const DATA = String.raw`Coffee from Stillwater|[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d [AP]M`;

/** These leave the shopper where they are; `other` is the last resort, so that what is likelier is tried. */
const NO_WAY_ON = ['copy', 'save', 'share', 'app-link', 'support', 'retry', 'back', 'other'];

interface Settings {
  page: Page;
  orderId: string;
  readings: readonly Reading[];
  /** Its URL. */
  sandbox: string;
  memoryOf(orderId: string): Promise<Memory>;
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

  get #screen(): Reading {
    return this.#settings.readings.at(-1) ?? blank(0);
  }

  /** The part of what a shopper presses to go on; what leads back to the choice only where there is nothing else. */
  get #wayOn(): string | undefined {
    const { ways } = this.#screen;
    return ways.find((way) => !NO_WAY_ON.includes(way)) ?? ways.find((way) => way === 'other');
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
    assert.ok(await this.#until(() => this.#reads(text), withinMs), `"${text}" is not said: ${this.#words()}`);
  }

  /** What one pays with has come: the request is out, the page is open or linked, the code is drawn. */
  async hasMeans(method: Method, withinMs = WAY_WITHIN_MS): Promise<void> {
    const has: Record<Method, () => boolean> = {
      DIRECT: () => this.#reads(enFlow.waiting),
      CHECKOUT: () => this.isAtCheckout || this.#screen.ways.includes('checkout'),
      JETGO: () => this.#screen.drawings.length > 0,
      QR: () => this.#screen.drawings.length > 0,
    };
    assert.ok(await this.#until(has[method], withinMs), `nothing to pay with: ${this.#words()}`);
  }

  /** Presses the way on, and pays by what comes of it. */
  async goesOn(): Promise<void> {
    const hasWay = await this.#until(() => this.isAtCheckout || this.#wayOn !== undefined, WAY_WITHIN_MS);
    assert.ok(hasWay, `no way on: ${this.#words()}`);
    const before = await this.open();
    const hasNew = async () => this.isAtCheckout || (await this.open()).some((id) => !before.includes(id));
    const canChoose = () => this.#screen.ways.includes('pay');
    if (!this.isAtCheckout && !canChoose()) {
      await this.part(this.#wayOn ?? '').click();
      await this.#until(async () => canChoose() || (await hasNew()), PRESSED_MS);
    }
    if (canChoose()) await this.pay('QR');
    assert.ok(await this.#until(hasNew, PRESSED_MS), `the way on leads nowhere: ${this.#words()}`);
    await this.paysTheLatest();
  }

  async paysTheLatest(): Promise<void> {
    const { id, method } = (await this.#payable()).at(-1) ?? {};
    assert.ok(id && method, `nothing can be paid: ${this.#words()}`);
    await this.hasMeans(method);
    await this.settle(id, 'approve');
    const isPaid = async () => {
      if (this.isAtCheckout) await this.page.goBack();
      return this.#reads(enFlow.paid);
    };
    assert.ok(await this.#until(isPaid, PAID_MS), `not told that it is paid: ${this.#words()}`);
  }

  /** Ids at the sandbox of what can be paid now, oldest first. */
  async open(): Promise<string[]> {
    return (await this.#payable()).map(({ id }) => id);
  }

  async settle(id: string, how: 'approve' | 'decline' | 'expire'): Promise<void> {
    await this.#settings.settle(id, how);
  }

  /** Everything untrue that was on this screen until now. */
  async lies(): Promise<string[]> {
    const { readings, memoryOf } = this.#settings;
    const until = Date.now();
    const codes = new Map<string, string>();
    for (const drawing of new Set(readings.flatMap(({ drawings }) => drawings)))
      codes.set(drawing, await readDrawing(drawing));
    const screens: Screen[] = readings.map(({ at, texts, links, drawings }) => ({
      at,
      texts,
      links,
      codes: drawings.map((drawing) => codes.get(drawing) ?? ''),
    }));
    const memory = await memoryOf(this.orderId);
    return findLies(screens, until, memory, new RegExp(`^(${this.orderId}|${DATA})$`));
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }

  /** Looks again and again until it is so; false where it is not in time. */
  async #until(isSo: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
    for (const end = Date.now() + limitMs; Date.now() < end; await this.page.waitForTimeout(LOOK_MS)) {
      if (await isSo()) return true;
    }
    return isSo();
  }

  async #payable(): Promise<Payment[]> {
    const { payments } = await this.#settings.memoryOf(this.orderId);
    return payments.filter(({ history }) => !['SUCCESS', 'FAILED'].includes(history.at(-1)?.status ?? ''));
  }

  #reads(text: string): boolean {
    return this.#screen.texts.some((each) => each.text === text);
  }

  #words(): string {
    return this.#screen.texts.map(({ text }) => text).join(' | ');
  }
}
