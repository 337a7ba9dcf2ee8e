// One visit to one page in a new browser context with an empty cache, at the condition's network and processor speed.
// The shopper waits for the methods, chooses one, pays and scans the code. Throws if a step fails, so that no figure
// comes from a broken page; an independent decoder reads the code from a screenshot.
import assert from 'node:assert/strict';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { scanCode } from '../qr-reader.ts';
import { CODE } from '../../widget/testing/fake-proxy.ts';
import { BLANK, type BenchPage } from './pages.ts';
import { installProbe } from './probe.ts';
import type { Site } from './site.ts';

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
  /** Encoded bytes of the scripts and styles loaded until a method can be chosen. */
  bytes: number;
  interactiveMs: number;
  firstPaintMs: number;
  codeMs: number | undefined;
  /** After a garbage collection, once a method can be chosen; at full processor speed. */
  heapBytes: number | undefined;
  /** The time above 50 ms of each task. */
  blockingMs: number;
}

export async function visit(browser: Browser, site: Site, page: BenchPage, condition: Condition): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 800, height: 1000 } });
  context.setDefaultTimeout(STEP_MS);
  try {
    const tab = await context.newPage();
    const devTools = await context.newCDPSession(tab);
    // A shopper comes from another page of the shop: the browser has a process for the shop, but no payment files.
    await tab.goto(site.receive(BLANK, 0));
    await slowDown(devTools, condition);
    await tab.addInitScript(installProbe, page);
    await tab.goto(site.receive(page, condition.roundTripMs), { waitUntil: 'commit' });
    const measured = await measure(tab, devTools, page, condition);
    assert.deepEqual(site.unknown, [], `${page.label}, ${condition.name}`);
    return measured;
  } finally {
    await context.close();
  }
}

async function measure(tab: Page, devTools: CDPSession, page: BenchPage, condition: Condition): Promise<Visit> {
  await tab.waitForFunction(() => window.probe.choosableMs !== undefined);
  const interactiveMs = await tab.evaluate(() => window.probe.choosableMs ?? NaN);
  const bytes = await bytesUntil(tab, interactiveMs);
  const heapBytes = condition.cpuSlowdown === 1 ? await heapAfterCollection(devTools) : undefined;
  const codeMs = page.code === undefined ? undefined : await shop(tab, page, devTools, condition);
  const painted = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN;
  const firstPaintMs = await tab.evaluate(painted);
  const blockingMs = await tab.evaluate(() => window.probe.blockingMs);
  return { bytes, interactiveMs, firstPaintMs, codeMs, heapBytes, blockingMs };
}

/** Chooses, pays and scans; returns the time from the click to the code. */
async function shop(tab: Page, { choice, pay, code, label }: BenchPage, devTools: CDPSession, condition: Condition) {
  await tab.waitForTimeout(THINK_MS + condition.roundTripMs);
  await tab.locator(choice ?? '').click();
  await tab.locator(pay ?? '').click();
  await tab.waitForFunction(() => window.probe.codeMs !== undefined);
  const { clickMs = NaN, codeMs = NaN } = await tab.evaluate(() => window.probe);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const text = await scanCode(tab.locator(code ?? '').first(), STEP_MS);
  assert.equal(text, CODE.text, `the code on ${label} can be read`);
  return codeMs - clickMs;
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
