// Sends one kind of request as fast as a number of connections allows, or at a fixed rate whatever the answers take.
import assert from 'node:assert/strict';
import { quantile } from '../table.ts';
import { connect } from './connection.ts';
import { openPool } from './pool.ts';
import { KINDS, orderIdOf, type Kind } from './requests.ts';

export interface Run {
  port: number;
  kind: Kind;
  /** The requests are about the orders `prefix-<from>`, `prefix-<from + 1>` … */
  prefix: string;
  from: number;
  /** No more requests than this. */
  most: number;
  connections: number;
  /** No request is sent later than this. */
  seconds: number;
  /** At this rate; otherwise each answer is followed by the next request. */
  perSecond?: number;
}

export interface Sent {
  answered: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
}

/** Throws if an answer is missing or has another status than it must. */
export async function send(run: Run): Promise<Sent> {
  const { of, status } = KINDS[run.kind];
  const most = run.perSecond === undefined ? run.most : Math.min(run.most, Math.ceil(run.perSecond * run.seconds));
  const requests = Array.from({ length: most }, (_, at) => of(orderIdOf(run.prefix, run.from + at)));
  const taken: number[] = [];
  const others: number[] = [];
  const from = performance.now();
  const answered = (sentAt: number, given: number) => {
    if (given !== status) others.push(given);
    taken.push(performance.now() - sentAt);
  };
  await (run.perSecond === undefined
    ? closedLoop(run, requests, answered)
    : openLoop(run, run.perSecond, requests, answered));
  assert.deepEqual([...new Set(others)], [], `the status of ${run.kind} is always ${status}`);
  const seconds = (performance.now() - from) / 1000;
  const [p50Ms = NaN, p99Ms = NaN, longestMs = NaN] = [0.5, 0.99, 1].map((share) => quantile(taken, share));
  return { answered: taken.length, seconds, p50Ms, p99Ms, longestMs };
}

type Answered = (sentAt: number, status: number) => void;

/** Without promises: at twenty thousand requests a second they would cost as much as the sending. */
async function closedLoop({ port, connections, seconds }: Run, requests: Buffer[], answered: Answered): Promise<void> {
  const endAt = performance.now() + seconds * 1000;
  let next = 0;
  const one = async () => {
    const ended = Promise.withResolvers<void>();
    const connection = await connect(port, () => undefined);
    const sendNext = () => {
      const sentAt = performance.now();
      const request = sentAt < endAt ? requests[next++] : undefined;
      if (request === undefined) {
        ended.resolve();
        return;
      }
      connection.send(request, (status) => {
        answered(sentAt, status);
        if (status === 0) ended.resolve();
        else sendNext();
      });
    };
    sendNext();
    await ended.promise;
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Answers that are late do not delay what follows: the rate stays, and the waiting counts. */
async function openLoop(run: Run, perSecond: number, requests: Buffer[], answered: Answered): Promise<void> {
  const pool = openPool(run.port, run.connections);
  const sent: Promise<void>[] = [];
  await eachAtRate(perSecond, requests, (request) => {
    const sentAt = performance.now();
    sent.push(pool.send(request).then(({ status }) => answered(sentAt, status)));
  });
  await Promise.all(sent);
  pool.close();
}

/** Calls `act` with each item, at a fixed rate on average; resolves after the last call. */
export async function eachAtRate<T>(perSecond: number, items: readonly T[], act: (item: T) => void): Promise<void> {
  const from = performance.now();
  for (let next = 0; next < items.length;) {
    const dueMs = from + (next * 1000) / perSecond - performance.now();
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
    else act(items[next++] as T);
  }
}
