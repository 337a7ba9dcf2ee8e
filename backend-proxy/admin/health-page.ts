// Whether the proxy can serve, what its operator should fix, and what is running.
import { html } from 'hono/html';
import type { Counts } from '../ledger/ledger.ts';
import type { Warning } from '../protocol/log.ts';
import { details, type Html } from './format.ts';
import { STATES } from './webhooks-page.ts';

export interface Health {
  problem: string | undefined;
  warnings: readonly Warning[];
  counts: Counts | undefined;
  version: string;
}

export function healthPage({ problem, warnings, counts, version }: Health): Html {
  return html`${
      problem === undefined
        ? html`<p class="verdict good">The proxy is ready: its database can be written.</p>`
        : html`<p class="verdict bad">The proxy cannot serve.</p>
            <p>${problem}</p>`
    }
    <h2>Warnings</h2>
    ${
      warnings.length === 0
        ? html`<p class="empty">None.</p>`
        : html`<ul class="warnings">
            ${warnings.map(({ warning, detail }) => html`<li>${warning}${detail && ` (${detail})`}</li>`)}
          </ul>`
    }
    ${counts === undefined ? '' : figures(counts)}
    <h2>Running</h2>
    ${details([
      ['Proxy', version],
      ['Node', process.version],
    ])}`;
}

function figures({ checks, webhooks, unmatchedIpns }: Counts): Html {
  const rows = [
    ...checks.map(({ state, count }) => [`Status checks ${state}`, count] as const),
    ...webhooks.map(({ state, count }) => [`${STATES[state]} webhooks`, count] as const),
    ['IPNs without a transaction', unmatchedIpns] as const,
  ];
  return html`<h2>Work</h2>
    ${details(rows)}`;
}
