// The sandbox's front page, for developers: what is active now, what waits for the customer, what has ended, the latest
// requests, and buttons for what people try most of what controls.ts offers to tests. transaction-list.ts,
// request-list.ts and test-controls.ts have the markup of the lists and of the buttons.
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { ACTIONS, act, type ControlOptions, findTransaction } from './controls.ts';
import { toggle } from './fault-presets.ts';
import {
  banner,
  GATEWAY,
  logo,
  liveAnswer,
  type Markup,
  page,
  readForm,
  errorPage,
  type ShopPages,
  pageLink,
} from './page.ts';
import { Refusal } from './refusal.ts';
import { requestList } from './request-list.ts';
import { aboutControls, faultButtons, state, STEPS_MS, testControls, TIMES } from './test-controls.ts';
import { list } from './transaction-list.ts';

/** With the controls open, which a phone folds. */
const TO_CONTROLS = '/?controls#controls';

export interface OverviewOptions extends ControlOptions, ShopPages {
  version: () => number;
}

export function createOverview(options: OverviewOptions) {
  const { processor, clock, faults } = options;
  const overview = new Hono();
  /** As last chosen. */
  let times = '';

  overview.get('/', (c) => {
    const body = frontPage(options, times, c.req.query('controls') !== undefined, showsFailed(c));
    const title = faults.active().length === 0 ? 'Transactions' : 'The gateway misbehaves';
    return page(c, { title, layout: 'overview', body });
  });
  overview.get('/overview/live', (c) => liveAnswer(c, versionOf(options), () => regions(options, showsFailed(c))));

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

/** Of the requests only those that failed. */
const showsFailed = (c: Context) => c.req.query('failed') !== undefined;

/** Changes with each request, each change of a transaction or fault, and with each step of the clock. */
const versionOf = ({ version, clock }: OverviewOptions) => `${version()}.${clock.aheadMs}`;

/** `isControlled`: a control led here. */
function frontPage(options: OverviewOptions, times: string, isControlled: boolean, onlyFailed: boolean): Markup {
  const { state: now, waiting, ended, requests } = regions(options, onlyFailed);
  return html`${banner()}
    <header class="bar">
      <h1>${logo(GATEWAY)}</h1>
      <nav class="row" aria-label="Demo">
        ${pageLink('Shop', options.shopUrl)} ${pageLink('Desk', options.deskUrl)}
        ${pageLink('Operator', options.operatorUrl)} ${pageLink('Wallet phone', '/wallet')}
      </nav>
    </header>
    <main data-live="/overview/live${onlyFailed ? '?failed' : ''}" data-version="${versionOf(options)}">
      <p>
        Approve or decline here what waits: payments in place of the customer’s wallet, payouts and refunds in place of
        the gateway.
      </p>
      <div id="state">${now}</div>
      <div class="columns">
        <div id="waiting" class="stack">${waiting}</div>
        ${testControls(options, times, isControlled)}
        <div class="stack">
          <div id="ended" class="stack">${ended}</div>
          <div id="requests" class="stack">${requests}</div>
        </div>
      </div>
    </main>`;
}

/** The regions that live.js replaces, by id. */
function regions(options: OverviewOptions, onlyFailed: boolean) {
  return {
    state: state(options),
    waiting: list('waiting', options),
    ended: list('ended', options),
    requests: requestList(options, onlyFailed),
    faults: faultButtons(options.faults),
    'about-controls': aboutControls(options.faults),
  };
}
