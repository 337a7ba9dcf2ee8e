// A browser window that records every complaint: console errors and warnings, uncaught errors, failed requests. A
// journey must end without one. On leaving, it hands over what it showed and stored. It knows nothing of shops and
// payments.
import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';

/** How long a step may take, on a busy machine. */
export const STEP_MS = 60_000;

export class Visitor {
  readonly page: Page;
  readonly complaints: string[] = [];
  /** Complaints that are expected. */
  allowed: RegExp | undefined;
  readonly #keep: (shown: string) => void;
  #hasLeft = false;

  private constructor(page: Page, keep: (shown: string) => void) {
    this.page = page;
    this.#keep = keep;
  }

  static async enter(context: BrowserContext, keep: (shown: string) => void): Promise<Visitor> {
    context.setDefaultTimeout(STEP_MS);
    const visitor = new Visitor(await context.newPage(), keep);
    visitor.#listenTo(visitor.page);
    context.on('page', (page) => visitor.#listenTo(page));
    return visitor;
  }

  /** Closes the window, unless it is closed, and fails if it has complaints that are not allowed. */
  async leave(): Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const context = this.page.context();
    for (const page of context.pages()) this.#keep(await page.evaluate(shownBy).catch(() => page.content()));
    this.#keep(JSON.stringify(await context.storageState()));
    await context.close();
    const others = this.complaints.filter((complaint) => !this.allowed?.test(complaint));
    // Of a journey that has failed, only this is shown, and may explain why.
    if (others.length > 0) console.error(others.join('\n'));
    assert.deepEqual(others, []);
  }

  #listenTo(page: Page): void {
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      this.complaints.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.message}`));
    page.on('requestfailed', (request) => {
      const failure = request.failure()?.errorText;
      // A stream or poll that its own page aborted, because it left or had its answer, is not a failure.
      if (failure !== 'net::ERR_ABORTED') this.complaints.push(`failed: ${request.url()} ${failure}`);
    });
  }
}

/** In the page: its address, its HTML with all shadow roots, and its session storage. */
function shownBy(): string {
  const rootsIn = (node: ParentNode): ShadowRoot[] =>
    [...node.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
      shadowRoot === null ? [] : [shadowRoot, ...rootsIn(shadowRoot)],
    );
  const html = document.documentElement.getHTML({ shadowRoots: rootsIn(document) });
  return [location.href, html, JSON.stringify(Object.entries(sessionStorage))].join('\n');
}
