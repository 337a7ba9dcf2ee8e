// The overview's list of the latest requests, the newest first: when, what, for which order, what the answer says, and
// its HTTP status. A repeated one has one line, where it came last. The bodies are in the details. A link leaves only
// those that failed.
import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import type { ControlOptions } from './controls.ts';
import { byDay, fact, folded, json, type Markup, time } from './page.ts';
import type { LoggedRequest } from './request-log.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { isPayment } from './transaction.ts';
import { inWords, kindOf } from './transaction-list.ts';

const SHOWN = 8;
const OPERATIONS: Readonly<Record<string, string>> = { pay: 'Payment', payout: 'Payout', status: 'Status check' };
const OF_REFUNDS: Readonly<Record<string, string>> = { payout: 'Refund' };

const REFUSED = 'There is no transaction: its request was refused.';

const isFailed = ({ status }: LoggedRequest) => status === null || status >= 400;

export function requestList(options: ControlOptions, onlyFailed: boolean): Markup {
  const { requestLog, clock } = options;
  const all = requestLog.latest;
  const failed = all.filter(isFailed);
  const shown = (onlyFailed ? failed : all).map((each) => ({ at: each.at, row: row(each, options) }));
  const rows = byDay(shown, clock.now());
  const [href, way] = onlyFailed ? ['/#requests', 'Show all'] : ['/?failed#requests', `Only failed (${failed.length})`];
  return html`<div class="title row between">
      <h2 class="title">Latest ${onlyFailed ? 'failed ' : ''}requests</h2>
      ${onlyFailed || failed.length > 0 ? html`<a id="which-requests" class="way" href="${href}">${way}</a>` : ''}
    </div>
    <div class="card requests">
      ${rows.length === 0 ? html`<div class="lines soft"><p>None yet.</p></div>` : folded('requests', rows, SHOWN, rows.length)}
    </div>`;
}

function row(request: LoggedRequest, { processor, requestLog }: ControlOptions): Markup {
  const { id, at, operation, orderId, body, answer, message, times, firstAt } = request;
  const created = processor.transaction(orderId ?? '');
  const wasRefused = operation === 'status' && !created && requestLog.requestsFor(orderId ?? '') > 0;
  const said = wasRefused ? REFUSED : inWords(message, created ? kindOf(created, processor) : 'Payment');
  return html`<li>
    <details id="request-${id}">
      <summary id="request-of-${id}">
        ${time(at, at)} <strong>${nameOf(request, processor)}</strong>
        <span class="sub"
          ><span>${orderId}</span>
          <span class="said"
            >${said}
            ${times > 1 ? html`<span class="chip plain">${times} times, first at ${time(firstAt, at)}</span>` : ''}</span
          ></span
        >
        <span class="status chip ${isFailed(request) ? 'bad' : 'plain'}">${statusOf(request)}</span>
      </summary>
      <dl class="inside">${part('Request', body)} ${part('Answer', answer)}</dl>
    </details>
  </li>`;
}

function nameOf({ operation, orderId }: LoggedRequest, processor: PaymentProcessor): string {
  const created = processor.transaction(orderId ?? '');
  const payout = created && !isPayment(created) ? created : { orderId: orderId ?? '' };
  return (processor.isRefund(payout) && OF_REFUNDS[operation]) || (OPERATIONS[operation] ?? operation);
}

/** Of one that failed, also what the number says. */
const statusOf = ({ status }: LoggedRequest): string =>
  status === null ? 'no answer' : status < 400 ? String(status) : `${status} ${STATUS_CODES[status] ?? ''}`.trim();

/** Empty if nothing of it was read or sent. */
const part = (name: string, text: string): Markup | '' => (text === '' ? '' : fact(name, json(text)));
