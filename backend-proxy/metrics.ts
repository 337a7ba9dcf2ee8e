// What operators watch, as Prometheus text (exposition format 0.0.4). Requests and calls are counted here, in this process; all
// else is read when it is asked for, from the books or the streams. Labels come from fixed lists (a route's pattern, never a path),
// so their number is bounded and nothing of an order or a shopper is in them.
import type { Counts } from './ledger/ledger.ts';

type Labels = Record<string, string | number>;
type Sample = readonly [labels: Labels, value: number];

export interface Metrics {
  countRequest(labels: { method: string; route: string; status: number }): void;
  countCall(labels: { operation: string; outcome: string }): void;
  text(): Promise<string>;
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What callers may send as a method is endless; what can be answered is not. */
const HTTP_METHODS = new Set(['GET', 'POST', 'OPTIONS', 'HEAD']);

interface Sources {
  counts(): Promise<Counts>;
  openStreams(): number;
  /** The present pace. */
  checksPerSecond(): number;
}

export function createMetrics(sources: Sources): Metrics {
  const requests = createCounter();
  const calls = createCounter();

  return {
    countRequest: ({ method, route, status }) =>
      requests.count({ method: HTTP_METHODS.has(method) ? method : 'other', route, status }),
    countCall: ({ operation, outcome }) => calls.count({ operation, outcome }),
    async text() {
      const { transactions, needReview, unmatchedIpns, checks, webhooks } = await sources.counts();
      const rows = (entries: readonly { count: number }[]): Sample[] =>
        entries.map(({ count, ...labels }) => [labels as Labels, count]);
      return [
        family('requests_total', 'counter', 'Requests answered', requests.samples()),
        family('gateway_calls_total', 'counter', 'Calls to the gateway, by how they ended', calls.samples()),
        family('open_streams', 'gauge', 'Open event streams', [[{}, sources.openStreams()]]),
        family('transactions', 'gauge', 'Payments and payouts in the books', rows(transactions)),
        family('transactions_needing_review', 'gauge', 'Waiting for a person to look and answer', [[{}, needReview]]),
        family('unmatched_ipns', 'gauge', 'IPNs kept that name no transaction of these books', [[{}, unmatchedIpns]]),
        family('checks', 'gauge', 'Status checks that are planned, and those of them that are due', rows(checks)),
        family('checks_per_second', 'gauge', 'Status checks a second that the gateway is asked at most, for now', [
          [{}, Math.round(sources.checksPerSecond())],
        ]),
        family('webhooks', 'gauge', 'Webhooks in the books', rows(webhooks)),
      ].join('');
    },
  };
}

function createCounter() {
  const counts = new Map<string, { labels: Labels; count: number }>();
  return {
    count(labels: Labels): void {
      const key = Object.values(labels).join(' ');
      const known = counts.get(key);
      if (known) known.count += 1;
      else counts.set(key, { labels, count: 1 });
    },
    samples: (): Sample[] => [...counts.values()].map(({ labels, count }) => [labels, count]),
  };
}

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const full = `payment_proxy_${name}`;
  const lines = samples.map(([labels, value]) => `${full}${labelText(labels)} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
