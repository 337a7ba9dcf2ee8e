// How long a page keeps its main thread, in processor time read from the browser's own trace: on a machine that others use, a
// task's wall clock says more about them than about the page. Counted are the tasks from the navigation to the first choosable
// method and from the click to the code, by the marks that probe.ts sets; what the benchmark itself does between is left out.
import type { Browser, Page } from 'playwright-core';

/** A task above this holds up what the shopper does (as in "total blocking time"). */
const BLOCKING_MS = 50;

export interface Work {
  /** Processor time until a method can be chosen. */
  workMs: number;
  /** What tasks would take above 50 ms each on a processor slower by the factor asked for. */
  blockingMs: number;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds; `tdur` is of processor time. */
  ts: number;
  dur?: number;
  tdur?: number;
}

export async function startTrace(browser: Browser, tab: Page): Promise<void> {
  await browser.startTracing(tab, { categories: ['-*', 'toplevel', 'blink.user_timing'] });
}

export async function stopTrace(browser: Browser, slowdown: number): Promise<Work> {
  const trace = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const mark = (name: string) => traceEvents.find((event) => event.name === name);
  const interactive = mark('bench-interactive');
  if (interactive === undefined) throw new Error('the trace lacks the mark of the first method');
  const { pid, tid, ts: interactiveAt } = interactive;
  const own = traceEvents.filter((event) => event.pid === pid && event.tid === tid);
  // The first since the trace began is the page's own; later ones are of frames in it.
  const from = Math.min(...own.filter(({ name }) => name === 'navigationStart').map(({ ts }) => ts));
  const within = (start = Infinity, end = Infinity) =>
    tasksOf(own.filter(({ ts, dur = 0 }) => ts + dur > start && ts < end));
  const loading = within(from, interactiveAt);
  const paying = within(mark('bench-click')?.ts, mark('bench-code')?.ts);
  return {
    workMs: sum(loading),
    blockingMs: sum([...loading, ...paying].map((ms) => Math.max(0, ms * slowdown - BLOCKING_MS))),
  };
}

/** Processor time of each task, ms: with the microtasks after it, which the trace has as an event of their own. */
function tasksOf(events: readonly TraceEvent[]): number[] {
  const tasks: number[] = [];
  for (const { name, tdur = 0 } of events.toSorted((a, b) => a.ts - b.ts)) {
    if (name === 'ThreadControllerImpl::RunTask') tasks.push(tdur / 1000);
    if (name === 'BlinkScheduler_PerformMicrotaskCheckpoint') tasks.push((tasks.pop() ?? 0) + tdur / 1000);
  }
  return tasks;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
