// The timeline of a journey, for the log of a failed one: what was on the screen and what was true, in order.
import type { Screen } from './false-claims.ts';
import type { OrderRecords } from './facts.ts';

/** One line for each change; seconds since the first screen. */
export function timelineOf(screens: readonly Screen[], until: number, records: OrderRecords): string {
  const begin = screens[0]?.at ?? until;
  const { payments, refunds, starts, requests, connections } = records;
  const events: [at: number | null, what: string][] = [
    ...screens.map(({ at, texts }): [number, string] => [at, `screen: ${texts.map(({ text }) => text).join(' | ')}`]),
    ...payments.flatMap(({ id, method, expiresAt, history }) => [
      ...history.map(({ at, status, message }): [number, string] => [
        at,
        `sandbox: ${id} ${method} ${status} ${message}`,
      ]),
      [expiresAt !== null && expiresAt < until ? expiresAt : null, `sandbox: ${id} expires`] as [number | null, string],
    ]),
    ...refunds.flatMap(({ id, amount, history }) =>
      history.map(({ at, status }): [number, string] => [at, `sandbox: ${id} sends ${amount} back, ${status}`]),
    ),
    ...starts.flatMap(({ id, at, answeredAt, answer }): [number | null, string][] => [
      [at, `gateway: start of ${id} arrives`],
      [answeredAt, `gateway: start of ${id} is ${answer}`],
    ]),
    ...requests.flatMap(({ at, isStart, answeredAt, endedAt, status, problem }, index): [number | null, string][] => [
      [at, `page: sends request ${index}, ${isStart ? 'a start' : 'a status request'}`],
      [answeredAt, `page: request ${index} is answered ${status} ${problem ?? ''}`],
      [endedAt, `page: request ${index} ends`],
    ]),
    ...connections.map(({ at, is }): [number, string] => [at, `connection: ${is}`]),
    [until, 'end'],
  ];
  return events
    .flatMap(([at, what]) => (at === null ? [] : [{ at, what }]))
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, what }) => `${((at - begin) / 1000).toFixed(2).padStart(7)} s  ${what.trimEnd()}`)
    .join('\n');
}
