// One visit to one page in a new browser context with an empty cache, at the condition's network and processor speed.
// The shopper waits for the methods, chooses one, pays and scans the code. Throws if a step fails, so that no figure
// comes from a broken page; an independent decoder reads the code from a screenshot.
import assert from 'node:assert/strict';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { readQrCodes } from '../qr-reader.ts';
import { CODE } from '../widget/fake-proxy.ts';
import { BLANK, type BenchPage } from './pages.ts';
import { installProbe } from './probe.ts';
import type { Site } from './site.ts';
import { startTrace, stopTrace } from './trace.ts';

const STEP_MS = 30_000;
/** Between the methods and the choice, so that the page can load its other resources (an event stream, icons). */
const THINK_MS = 150;

export interface Condition {
  name: string;
  /** The time between a request and the first byte of its answer. */
  roundTripMs: number;
  /** 0 means no limit. */
  downBytesPerS: number;
  upBytesPerS: number;
  cpuSlowdown: number;
}

export const PLAIN: Condition = { name: 'plain', roundTripMs: 0, downBytesPerS: 0, upBytesPerS: 0, cpuSlowdown: 1 };

/**
 * "Slow 4G" (150 ms, 1.6 Mbit/s down, 750 kbit/s up) as Lighthouse and DevTools apply it to each request, with a
 * processor at a quarter of its speed.
 */
export const SLOW: Condition = {
  name: 'slow 4G, CPU ÷ 4',
  roundTripMs: 562.5,
  downBytesPerS: ((1.6 * 1024 * 1024) / 8) * 0.9,
  upBytesPerS: ((750 * 1024) / 8) * 0.9,
  cpuSlowdown: 4,
};

/** A figure is undefined if it does not apply to the page or is not measured under the condition. */
export interface Visit {
  /** Encoded bytes of the scripts and styles loaded until a method can be chosen, and until the code is drawn. */
  bytes: number;
  bytesWithCode: number | undefined;
  interactiveMs: number;
  firstPaintMs: number;
  codeMs: number | undefined;
  /** After a garbage collection, once a method can be chosen. The last three are measured at full processor speed. */
  heapBytes: number | undefined;
  workMs: number | undefined;
  /** From processor time, scaled to the processor speed of SLOW. */
  blockingMs: number | undefined;
}

export async function visit(browser: Browser, site: Site, page: BenchPage, condition: Condition): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 800, height: 1000 } });
  context.setDefaultTimeout(STEP_MS);
  try {
    const tab = await context.newPage();
    const problems = collectProblems(tab);
    const devTools = await context.newCDPSession(tab);
    // A shopper comes from another page of the shop: the browser has a process for the shop, but no payment files.
    await tab.goto(site.receive(BLANK, 0));
    await slowDown(devTools, condition);
    await tab.addInitScript(installProbe, page);
    const isTraced = condition.cpuSlowdown === 1;
    if (isTraced) await startTrace(browser, tab);
    await tab.goto(site.receive(page, condition.roundTripMs), { waitUntil: 'commit' });
    const measured = await measure(tab, devTools, page, condition);
    const work = isTraced ? await stopTrace(browser, SLOW.cpuSlowdown) : undefined;
    assert.deepEqual([...problems, ...site.unknown], [], `${page.label}, ${condition.name}`);
    return { ...measured, workMs: work?.workMs, blockingMs: work?.blockingMs };
  } finally {
    await context.close();
  }
}

async function measure(tab: Page, devTools: CDPSession, page: BenchPage, condition: Condition) {
  const interactiveMs = await within(
    tab.evaluate(() => window.probe.choosable),
    `no method on ${page.label}`,
  );
  const bytes = await bytesUntil(tab, interactiveMs);
  const heapBytes = condition.cpuSlowdown === 1 ? await heapAfterCollection(devTools) : undefined;
  if (page.code !== null && !page.isHasty) await tab.waitForTimeout(THINK_MS + condition.roundTripMs);
  const drawn = await shop(tab, page, devTools);
  const firstPaintMs = await tab.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  );
  return {
    bytes,
    bytesWithCode: drawn && (await bytesUntil(tab, drawn.at)),
    interactiveMs,
    firstPaintMs,
    codeMs: drawn?.ms,
    heapBytes,
  };
}

/** Chooses, pays and scans, as far as the page supports it. */
async function shop(tab: Page, { choice, pay, code, label }: BenchPage, devTools: CDPSession) {
  if (choice === null) return undefined;
  await tab.locator(choice).click();
  const isChosen = await tab
    .locator(choice)
    .evaluate((radio) => radio.matches(':checked') || radio.getAttribute('aria-checked') === 'true');
  assert.ok(isChosen, `the method can be chosen on ${label}`);
  if (pay === null || code === null) return undefined;
  const { x, y } = await middleOf(tab, pay);
  await tab.evaluate(() => window.probe.watchCode());
  await tab.mouse.click(x, y);
  const seen = tab.evaluate(() => window.probe.code);
  const { clickMs, codeMs } = await within(seen, `no code on ${label}`);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  assert.equal(await scan(tab, code), CODE.text, `the code on ${label} can be read`);
  return { at: codeMs, ms: codeMs - clickMs };
}

async function middleOf(tab: Page, target: string): Promise<{ x: number; y: number }> {
  await tab.locator(target).scrollIntoViewIfNeeded();
  const box = await tab.locator(target).boundingBox();
  assert.ok(box, `${target} has no box`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function scan(tab: Page, code: string): Promise<string | undefined> {
  const { x, y } = await middleOf(tab, code);
  const clip = { x: Math.max(0, x - 160), y: Math.max(0, y - 160), width: 320, height: 320 };
  const picture = await tab.screenshot({ clip });
  const [found] = await readQrCodes(picture);
  return found?.text;
}

async function slowDown(devTools: CDPSession, condition: Condition): Promise<void> {
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: condition.roundTripMs,
    downloadThroughput: condition.downBytesPerS || -1,
    uploadThroughput: condition.upBytesPerS || -1,
  });
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: condition.cpuSlowdown });
}

function bytesUntil(tab: Page, atMs: number): Promise<number> {
  return tab.evaluate(
    (limitMs) =>
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .filter(({ name, responseEnd }) => /\.(js|css)$/.test(name) && responseEnd <= limitMs)
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    atMs,
  );
}

async function heapAfterCollection(devTools: CDPSession): Promise<number> {
  await devTools.send('HeapProfiler.collectGarbage');
  await devTools.send('HeapProfiler.collectGarbage');
  return (await devTools.send('Runtime.getHeapUsage')).usedSize;
}

/** Collects console errors and warnings, uncaught errors, and requests to other machines. */
function collectProblems(tab: Page): string[] {
  const problems: string[] = [];
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  tab.on('pageerror', (error) => problems.push(String(error)));
  tab.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(`request to ${hostname}`);
  });
  return problems;
}

async function within<T>(promise: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), STEP_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
