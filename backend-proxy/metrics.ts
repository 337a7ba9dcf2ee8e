// Metrics as Prometheus text (exposition format 0.0.4). Requests and gateway calls are counted in this process; the
// rest is read from the database and the streams on each scrape. Labels come from fixed lists (route patterns, not
// paths), so their number is bounded and they hold no order or shopper data.
import type { Counts } from './ledger/ledger.ts';

type Labels = Record<string, string | number>;
type Sample = readonly [labels: Labels, value: number];

export interface Metrics {
  countRequest(labels: { method: string; route: string; status: number }): void;
  countCall(labels: { operation: string; outcome: string }): void;
  text(): Promise<string>;
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Callers can send any method; other methods are counted as `other`. */
const HTTP_METHODS = new Set(['GET', 'POST', 'OPTIONS', 'HEAD']);

interface Sources {
  counts(): Promise<Counts>;
  openStreams(): number;
  /** The current rate. */
  checksPerSecond(): number;
}

export function createMetrics(sources: Sources): Metrics {
  const requests = createCounter();
  const calls = createCounter();

  return {
    countRequest({ method: given, route, status }) {
      const method = HTTP_METHODS.has(given) ? given : 'other';
      requests.count(`${method} ${route} ${status}`, { method, route, status });
    },
    countCall: ({ operation, outcome }) => calls.count(`${operation} ${outcome}`, { operation, outcome }),
    async text() {
      const { transactions, needReview, unmatchedIpns, checks, webhooks } = await sources.counts();
      const rows = (entries: readonly { count: number }[]): Sample[] =>
        entries.map(({ count, ...labels }) => [labels as Labels, count]);
      return [
        family('requests_total', 'counter', 'Requests answered', requests.samples()),
        family('gateway_calls_total', 'counter', 'Gateway calls, by operation and outcome', calls.samples()),
        family('open_streams', 'gauge', 'Open event streams', [[{}, sources.openStreams()]]),
        family('transactions', 'gauge', 'Payments and payouts, by type and status', rows(transactions)),
        family('transactions_needing_review', 'gauge', 'Transactions that a person must resolve', [[{}, needReview]]),
        family('unmatched_ipns', 'gauge', 'Stored IPNs that match no transaction', [[{}, unmatchedIpns]]),
        family('checks', 'gauge', 'Planned status checks, and those that are due', rows(checks)),
        family('checks_per_second', 'gauge', 'Current limit of status checks per second', [
          [{}, Math.round(sources.checksPerSecond())],
        ]),
        family('webhooks', 'gauge', 'Webhooks, by state', rows(webhooks)),
      ].join('');
    },
  };
}

function createCounter() {
  const counts = new Map<string, { labels: Labels; count: number }>();
  return {
    /** `key` distinguishes the labels. */
    count(key: string, labels: Labels): void {
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
