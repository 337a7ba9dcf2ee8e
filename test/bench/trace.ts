// Measures how long a page occupies its main thread, in processor time from the browser's trace, because wall-clock
// time depends on the other load of the machine. Counts the tasks from the navigation to the first choosable method
// and from the click to the code, by the marks of probe.ts; the benchmark's own tasks in between do not count.
import type { Browser, Page } from 'playwright-core';

/** Time above this in a task counts as blocking, as in "total blocking time". */
const BLOCKING_MS = 50;

export interface Work {
  /** Processor time until a method can be chosen. */
  workMs: number;
  /** The sum of each task's time above 50 ms, on a processor slower by the factor `slowdown`. */
  blockingMs: number;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** The times are microseconds: `ts` and `dur` of the clock, `tdur` of the processor. */
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
  if (interactive === undefined) throw new Error('the trace has no mark for the first method');
  const { pid, tid, ts: interactiveAt } = interactive;
  const own = traceEvents.filter((event) => event.pid === pid && event.tid === tid);
  // The first navigation in the trace is the page's; later ones belong to its frames.
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

/** Milliseconds of processor time of each task and its microtasks, which are a separate event in the trace. */
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
