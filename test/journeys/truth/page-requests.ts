// A page's requests to the proxy and their answers, from the browser's DevTools events. The times are the page's own:
// on a busy machine a relay sees a request seconds after the screen has said that it is under way.
import type { Page } from 'playwright-core';
import type { PageRequest } from './facts.ts';

export interface PageRequests {
  /** Complete up to now. */
  gather(): Promise<readonly PageRequest[]>;
}

interface Open {
  entry: PageRequest;
  /** Converts a timestamp of the browser to ms since 1970. */
  dated(timestamp: number): number;
  /** The document that sent it. */
  loaderId: string;
}

export async function watchPageRequests(page: Page): Promise<PageRequests> {
  const requests: PageRequest[] = [];
  const open = new Map<string, Open>();
  const devTools = await page.context().newCDPSession(page);

  devTools.on('Network.requestWillBeSent', ({ requestId, loaderId, request, timestamp, wallTime }) => {
    const headers = new Headers(request.headers);
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith('/order') || !headers.has('authorization')) return;
    const dated = (stamp: number) => Math.floor((wallTime + stamp - timestamp) * 1000);
    const isStart = request.method === 'POST' && pathname === '/order/payments';
    const key = headers.get('idempotency-key');
    const entry = { at: dated(timestamp), isStart, key, answeredAt: null, endedAt: null, status: null, problem: null };
    requests.push(entry);
    open.set(requestId, { entry, dated, loaderId });
  });
  devTools.on('Network.responseReceived', ({ requestId, timestamp, response: { status } }) => {
    const { entry, dated } = open.get(requestId) ?? {};
    if (entry && dated) Object.assign(entry, { answeredAt: dated(timestamp), status });
  });
  devTools.on('Network.loadingFailed', ({ requestId, timestamp }) => end(requestId, timestamp));
  devTools.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const entry = end(requestId, timestamp);
    if (entry?.status && entry.status >= 400) reading.push(readProblem(requestId, entry));
  });
  // A document's requests end with it, which the browser does not always report.
  devTools.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return;
    for (const [requestId, { entry, loaderId }] of open) {
      if (loaderId === frame.loaderId) continue;
      entry.endedAt = Date.now();
      open.delete(requestId);
    }
  });

  function end(requestId: string, timestamp: number): PageRequest | undefined {
    const { entry, dated } = open.get(requestId) ?? {};
    if (entry && dated) entry.endedAt = dated(timestamp);
    open.delete(requestId);
    return entry;
  }

  const reading: Promise<void>[] = [];

  async function readProblem(requestId: string, entry: PageRequest): Promise<void> {
    const { body } = await devTools.send('Network.getResponseBody', { requestId });
    entry.problem = /"code":"(\w+)"/.exec(body)?.[1] ?? null;
  }

  await devTools.send('Page.enable');
  await devTools.send('Network.enable');
  return {
    async gather() {
      // This answer comes after all earlier events.
      await devTools.send('Network.enable');
      await Promise.all(reading);
      return requests;
    },
  };
}
