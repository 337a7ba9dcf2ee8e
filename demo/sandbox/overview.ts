// The sandbox's front page, for developers: what is active now, what waits for the customer, what has ended, the refused
// requests, and buttons for what people try most of what controls.ts offers to tests. transaction-list.ts and
// test-controls.ts have the markup of the lists and of the buttons.
import { Hono } from 'hono';
import { html } from 'hono/html';
import { ACTIONS, act, type ControlOptions, findTransaction } from './controls.ts';
import { toggle } from './fault-presets.ts';
import { banner, folded, GATEWAY, logo, liveAnswer, type Markup, page, readForm, errorPage, time } from './page.ts';
import { Refusal } from './refusal.ts';
import { aboutControls, faultButtons, state, STEPS_MS, testControls, TIMES } from './test-controls.ts';
import { list } from './transaction-list.ts';

const MAX_REFUSALS = 20;
const SHOWN_REFUSALS = 3;
/** With the controls open, which a phone folds. */
const TO_CONTROLS = '/?controls#controls';
const OPERATIONS: Readonly<Record<string, string>> = { pay: 'Payment', payout: 'Payout', status: 'Status check' };

export interface OverviewOptions extends ControlOptions {
  version: () => number;
}

export function createOverview(options: OverviewOptions) {
  const { processor, clock, faults } = options;
  const overview = new Hono();
  /** As last chosen. */
  let times = '';

  overview.get('/', (c) => {
    const body = frontPage(options, times, c.req.query('controls') !== undefined);
    const title = faults.active().length === 0 ? 'Transactions' : 'The gateway misbehaves';
    return page(c, { title, layout: 'overview', body });
  });
  overview.get('/overview/live', (c) => liveAnswer(c, versionOf(options), () => regions(options)));

  for (const action of ACTIONS) {
    overview.post(`/overview/${action}`, async (c) => {
      const { orderId = '', customer } = await readForm(c);
      act(action, findTransaction(processor, orderId), customer || undefined, options);
      return c.redirect('/', 303);
    });
  }
  overview.post('/overview/end-faults', (c) => {
    faults.replace({});
    return c.redirect('/', 303);
  });
  overview.post('/overview/fault', async (c) => {
    const { fault = '', times: chosen = '' } = await readForm(c);
    if (!TIMES.some(([value]) => value === chosen)) throw new Refusal(400, 'INVALID_FAULTS', 'Not one of the choices.');
    times = chosen;
    if (fault !== '') toggle(faults, fault, times === '' ? null : Number(times));
    return c.redirect(TO_CONTROLS, 303);
  });
  overview.post('/overview/clock', async (c) => {
    const ms = Number((await readForm(c))['ms']);
    if (!STEPS_MS.some(([, step]) => step === ms))
      throw new Refusal(400, 'INVALID_REQUEST', 'Not a step of the clock.');
    clock.advance(ms);
    return c.redirect(TO_CONTROLS, 303);
  });

  overview.onError((error, c) => {
    if (error instanceof Refusal) return errorPage(c, 'overview', error);
    throw error;
  });
  return overview;
}

/** Changes with each change of a transaction, fault or refusal, and with each step of the clock. */
const versionOf = ({ version, clock }: OverviewOptions) => `${version()}.${clock.aheadMs}`;

/** `isControlled`: a control led here. */
function frontPage(options: OverviewOptions, times: string, isControlled: boolean): Markup {
  const { state: now, waiting, ended, refusals: refused } = regions(options);
  return html`${banner()}
    <header class="bar">
      <h1>${logo(GATEWAY)}</h1>
      <a class="way" href="/wallet">Wallet phone</a>
    </header>
    <main data-live="/overview/live" data-version="${versionOf(options)}">
      <p class="soft">Approve or decline what waits: this page stands in for the gateway and its customers.</p>
      <div id="state">${now}</div>
      <div class="columns">
        <div id="waiting" class="stack">${waiting}</div>
        ${testControls(options, times, isControlled)}
        <div class="stack">
          <div id="refusals" class="stack">${refused}</div>
          <div id="ended" class="stack">${ended}</div>
        </div>
      </div>
    </main>`;
}

/** The regions that live.js replaces, by id. */
function regions(options: OverviewOptions) {
  return {
    state: state(options),
    waiting: list('waiting', options),
    ended: list('ended', options),
    refusals: refusals(options),
    faults: faultButtons(options.faults),
    'about-controls': aboutControls(options.faults),
  };
}

function refusals({ requestLog, clock }: OverviewOptions): Markup {
  // A status check of a payment that never came is the proxy's usual question, and not a mistake.
  const mistakes = requestLog.refusals.filter(({ code }) => code !== 'UNKNOWN_ORDER');
  const latest = mistakes.slice(0, MAX_REFUSALS);
  if (latest.length === 0) return html``;
  const rows = latest.map(
    ({ at, operation, orderId, status, message }) =>
      html`<li>
        ${time(at, clock.now())} <strong>${OPERATIONS[operation] ?? operation}</strong>
        ${orderId ? html`<code>${orderId}</code>` : ''}
        <span>${message}</span>
        <span class="chip bad">answer ${status}</span>
      </li>`,
  );
  return html`<h2 class="title">Refused requests <small>${mistakes.length}</small></h2>
    <div class="card history">${folded('refusals', rows, SHOWN_REFUSALS, mistakes.length)}</div>`;
}
