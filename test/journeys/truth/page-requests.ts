// What a page asks the proxy and when it has the answer, from the browser's own record. Its times are those at which the
// page itself sends and receives: on a busy machine a relay sees a request seconds after the page has said on the screen
// that it is under way.
import type { Page } from 'playwright-core';
import type { Ask } from './facts.ts';

export interface Asks {
  /** Complete up to now. */
  gather(): Promise<readonly Ask[]>;
}

interface Open {
  ask: Ask;
  /** Ms since 1970 of a time stamp of the browser. */
  dated(timestamp: number): number;
  /** Of the document that asks. */
  loaderId: string;
}

export async function watchAsks(page: Page): Promise<Asks> {
  const asks: Ask[] = [];
  const open = new Map<string, Open>();
  const devTools = await page.context().newCDPSession(page);

  devTools.on('Network.requestWillBeSent', ({ requestId, loaderId, request, timestamp, wallTime }) => {
    const headers = new Headers(request.headers);
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith('/order') || !headers.has('authorization')) return;
    const dated = (stamp: number) => Math.floor((wallTime + stamp - timestamp) * 1000);
    const isStart = request.method === 'POST' && pathname === '/order/payments';
    const key = headers.get('idempotency-key');
    const ask = { at: dated(timestamp), isStart, key, answeredAt: null, endedAt: null, status: null, problem: null };
    asks.push(ask);
    open.set(requestId, { ask, dated, loaderId });
  });
  devTools.on('Network.responseReceived', ({ requestId, timestamp, response: { status } }) => {
    const { ask, dated } = open.get(requestId) ?? {};
    if (ask && dated) Object.assign(ask, { answeredAt: dated(timestamp), status });
  });
  devTools.on('Network.loadingFailed', ({ requestId, timestamp }) => end(requestId, timestamp));
  devTools.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const ask = end(requestId, timestamp);
    if (ask?.status && ask.status >= 400) reading.push(readProblem(requestId, ask));
  });
  // What a document asks ends with it, and the browser does not always say so.
  devTools.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return;
    for (const [requestId, { ask, loaderId }] of open) {
      if (loaderId === frame.loaderId) continue;
      ask.endedAt = Date.now();
      open.delete(requestId);
    }
  });

  function end(requestId: string, timestamp: number): Ask | undefined {
    const { ask, dated } = open.get(requestId) ?? {};
    if (ask && dated) ask.endedAt = dated(timestamp);
    open.delete(requestId);
    return ask;
  }

  const reading: Promise<void>[] = [];

  async function readProblem(requestId: string, ask: Ask): Promise<void> {
    const { body } = await devTools.send('Network.getResponseBody', { requestId });
    ask.problem = /"code":"(\w+)"/.exec(body)?.[1] ?? null;
  }

  await devTools.send('Page.enable');
  await devTools.send('Network.enable');
  return {
    async gather() {
      // Its answer comes after all that the browser reported before it.
      await devTools.send('Network.enable');
      await Promise.all(reading);
      return asks;
    },
  };
}
