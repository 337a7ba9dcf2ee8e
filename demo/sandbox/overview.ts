// The sandbox's front page, for developers: all transactions with their IPNs and the answers to them, the active
// faults, the clock and the refused requests. Its buttons act for the customer or advance the clock, as controls.ts
// does for tests.
import { Hono } from 'hono';
import { html } from 'hono/html';
import { ACTIONS, act, type ControlOptions, findTransaction } from './controls.ts';
import type { Delivery } from './ipn.ts';
import { formatMoney } from './money.ts';
import { banner, logo, liveAnswer, type Markup, page, readForm, errorPage } from './page.ts';
import { Refusal } from './refusal.ts';
import { isFinal, isPayment, type Payment, type Status, type Transaction } from './transaction.ts';

const MOST_SHOWN = 100;
const STEPS_MS = [
  ['1 minute', 60_000],
  ['15 minutes', 900_000],
  ['1 day', 86_400_000],
] as const;

export interface OverviewOptions extends ControlOptions {
  version: () => number;
}

export function createOverview(options: OverviewOptions) {
  const { processor, clock, faults, version } = options;
  const overview = new Hono();

  overview.get('/', (c) => page(c, { title: 'Transactions', layout: 'overview', body: frontPage(options) }));
  overview.get('/overview/live', (c) =>
    liveAnswer(c, String(version()), () => ({
      state: stateOf(options),
      transactions: list(options),
      refusals: refusals(options),
    })),
  );

  for (const action of ACTIONS) {
    overview.post(`/overview/${action}`, async (c) => {
      const { orderId = '' } = await readForm(c);
      act(action, findTransaction(processor, orderId), undefined, options);
      return c.redirect('/', 303);
    });
  }
  overview.post('/overview/end-faults', (c) => {
    faults.replace({});
    return c.redirect('/', 303);
  });
  overview.post('/overview/clock', async (c) => {
    const ms = Number((await readForm(c))['ms']);
    if (!STEPS_MS.some(([, step]) => step === ms))
      throw new Refusal(400, 'INVALID_REQUEST', 'Not a step of the clock.');
    clock.advance(ms);
    return c.redirect('/', 303);
  });

  overview.onError((error, c) => {
    if (error instanceof Refusal) return errorPage(c, 'overview', error);
    throw error;
  });
  return overview;
}

function frontPage(options: OverviewOptions): Markup {
  return html`${banner('Sandbox: no real money')}
    <header class="row between">
      ${logo}
      <nav><a href="/wallet">The customer’s phone</a></nav>
    </header>
    <main class="stack" data-live="/overview/live" data-version="${options.version()}">
      <h1>Transactions</h1>
      <div id="state">${stateOf(options)}</div>
      <div id="transactions">${list(options)}</div>
      <div id="refusals">${refusals(options)}</div>
    </main>`;
}

function stateOf({ clock, faults, ipns }: OverviewOptions): Markup {
  const active = faults.active();
  return html`<dl class="state stack">
    <div class="card">
      <dt>IPN URL</dt>
      <dd><code>${ipns.url ? withoutSecret(ipns.url) : 'not set'}</code></dd>
    </div>
    <div class="card">
      <dt>Active faults</dt>
      <dd>
        ${
          active.length === 0
            ? 'None'
            : html`<ul>
                  ${active.map(
                    ({ target, fault, left }) =>
                      html`<li>
                        <strong>${target}</strong> <code>${JSON.stringify(fault)}</code>
                        ${left === null ? '' : `${left} more`}
                      </li>`,
                  )}
                </ul>
                <form method="post" action="/overview/end-faults"><button id="end-faults">End all</button></form>`
        }
      </dd>
    </div>
    <div class="card">
      <dt>Clock</dt>
      <dd>
        <p><time data-clock="${clock.now()}">${new Date(clock.now()).toISOString().slice(11, 19)}</time> UTC</p>
        <form method="post" action="/overview/clock" class="row">
          ${STEPS_MS.map(([name, ms]) => html`<button name="ms" value="${ms}" id="clock-${ms}">+ ${name}</button>`)}
        </form>
        <small>Advances only the sandbox: the proxy and the shop keep their own time.</small>
      </dd>
    </div>
  </dl>`;
}

/** Hides the last segment of an IPN URL, which is the IPN secret. */
function withoutSecret(url: string): string {
  const { origin, pathname } = new URL(url);
  const segments = pathname.split('/');
  const last = segments.pop();
  return `${origin}${segments.join('/')}/${last ? '…' : ''}`;
}

function list(options: OverviewOptions): Markup {
  const all = options.processor.transactions();
  if (all.length === 0) {
    return html`<p class="card soft">Nothing yet. Start a payment in the shop, and it appears here.</p>`;
  }
  const more = all.length - MOST_SHOWN;
  return html`<ol class="card lines">
      ${all.slice(0, MOST_SHOWN).map((transaction) => row(transaction, options))}
    </ol>
    ${more > 0 ? html`<p class="soft">${more} older ones are at <code>/_sandbox/transactions</code>.</p>` : ''}`;
}

function row(transaction: Transaction, { ipns, requestLog }: OverviewOptions): Markup {
  const { orderId, paymentId, minor, currency, status, message, createdAt } = transaction;
  const requests = requestLog.requestsFor(orderId);
  const deliveries = ipns.about(transaction);
  return html`<li class="transaction">
    <span class="chip plain">${isPayment(transaction) ? transaction.method : transaction.type}</span>
    <span class="chip ${CHIPS[status]}">${status}</span>
    <span class="amount">${formatMoney(minor, currency)}</span>
    <strong class="order">${orderId}</strong>
    <div class="row">${actions(transaction)}</div>
    <details id="details-${paymentId}">
      <summary id="summary-${paymentId}">
        ${time(createdAt)} · ${whoIn(transaction)} ${status === 'FAILED' ? ` · ${message}` : ''}
        ${requests > 1 ? ` · ${requests} create requests` : ''} ${deliveries.map((delivery) => ipnChips(delivery))}
      </summary>
      ${history(transaction, deliveries)}
    </details>
  </li>`;
}

function whoIn(transaction: Transaction): string {
  if (transaction.customer !== null) return `wallet ${transaction.customer}`;
  const scannedBy = isPayment(transaction) ? transaction.scannedBy : null;
  return scannedBy === null ? 'no customer yet' : `scanned by wallet ${scannedBy}`;
}

function actions(transaction: Transaction): Markup {
  const { orderId, paymentId } = transaction;
  const button = (action: string, label: string) =>
    html`<form method="post" action="/overview/${action}">
      <input type="hidden" name="orderId" value="${orderId}" />
      <button id="${action}-${paymentId}">${label}</button>
    </form>`;
  if (isFinal(transaction)) return button('ipn', 'Send IPN again');
  const both = html`${button('approve', 'Approve')} ${button('decline', 'Decline')}`;
  if (!isPayment(transaction)) return both;
  return html`${both} ${transaction.checkout ? button('expire', 'Expire') : ''} ${link(transaction)}`;
}

function link({ checkout, code, customer }: Payment): Markup {
  if (checkout) return html`<a href="/pay?token=${checkout.token}">Open checkout</a>`;
  if (code) return html`<a href="/wallet/scan?code=${code}">Scan with the phone</a>`;
  return html`<a href="/wallet?as=${customer}">Open the phone</a>`;
}

const CHIPS: Record<Status, string> = { INITIALIZED: '', PROCESSING: '', SUCCESS: 'good', FAILED: 'bad' };

const STATES: Record<Delivery['state'], string> = {
  WAITING: 'waiting',
  DELIVERED: 'delivered',
  GIVEN_UP: 'given up',
  WITHHELD: 'withheld by a fault',
};

function ipnChips({ state, attempts }: Delivery): Markup {
  const chips = attempts.map(
    ({ answer, error }) =>
      html`<span class="chip ${answer === 200 ? 'good' : 'bad'}">${answer ?? error ?? 'under way'}</span>`,
  );
  return html`<span>· IPN ${STATES[state]} ${chips}</span>`;
}

function history(transaction: Transaction, deliveries: readonly Delivery[]): Markup {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  return html`<ol class="history stack">
    ${transaction.history.map(
      ({ at, status, message }) =>
        html`<li>${time(at)} ${status} ${message === status ? '' : html`<small>${message}</small>`}</li>`,
    )}
    ${attempts.map(
      ({ at, answer, error, body }) =>
        html`<li>${time(at)} IPN, answered ${answer ?? error ?? '…'} <code>${body}</code></li>`,
    )}
  </ol>`;
}

function refusals({ requestLog }: OverviewOptions): Markup {
  const latest = requestLog.refusals.slice(0, 20);
  if (latest.length === 0) return html``;
  return html`<h2>Refused requests</h2>
    <ol class="history stack">
      ${latest.map(
        ({ at, operation, orderId, status, message }) =>
          html`<li>
            ${time(at)} <strong>${operation}</strong> ${status} ${orderId ? html`<code>${orderId}</code>` : ''}
            ${message}
          </li>`,
      )}
    </ol>`;
}

function time(at: number): Markup {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(11, 19)}</time>`;
}
