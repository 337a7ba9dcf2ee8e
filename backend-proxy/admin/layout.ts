// The frame of each operator page, what its pages share, the fields of its forms, and its tables.
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../protocol/log.ts';
import type { RefundRules } from '../protocol/refundable.ts';
import { STAGES, isDenied, type Transaction } from '../protocol/transaction.ts';
import type { Readiness, Silence } from '../routes/health.ts';
import type { Refunds } from '../use-cases/outgoing.ts';
import { writeSession, type Session, type Sessions } from './session.ts';
import { type Back, failureOf, status, isInDoubt, kindAndWallet, reviewReason } from './words.ts';
import { type Html, amount, time, serverClock } from './values.ts';

const PAGES = { '': 'Overview', transactions: 'Transactions', webhooks: 'Webhooks', health: 'Health' };
type Section = keyof typeof PAGES;

/** The message about what was just done, by the word in the address. */
const DONE = {
  resolved: 'Recorded. The history below has your name and note.',
  closed: 'The order is closed.',
  refunded: 'The refund has started. Its status is below.',
  redelivered: 'The webhook is being sent again now.',
};
type Done = keyof typeof DONE;

/** Of the window; and the page's, if it is another. */
type Title = string | readonly [window: string, heading: Html];

export type Instance = Pick<AdminParts, 'host' | 'isTest'>;

interface Page extends Instance {
  title: Title;
  /** Undefined: none of them. */
  section: Section | undefined;
  body: Html;
  /** Of the session, for the button that ends it. */
  form: string;
  /** What was just done, in this session. */
  done?: string;
}

function page({ title, section, body, form, done, ...instance }: Page): Html {
  const [ofWindow, heading] = typeof title === 'string' ? [title, title] : title;
  const links = Object.entries(PAGES).map(
    ([path, name]) =>
      html`<li>
        <a href="/admin${path && `/${path}`}" ${path === section ? html` aria-current="page"` : ''}>${name}</a>
      </li>`,
  );
  return document(
    ofWindow,
    html`<a class="skip" href="#content">Skip to the content</a>
      <header class="top">
        ${brand(instance)}
        <nav aria-label="Pages">
          <ul>
            ${links}
          </ul>
        </nav>
        <form method="post" action="/admin/logout">
          <input type="hidden" name="form" value="${form}" /><button class="quiet">Sign out</button>
        </form>
      </header>
      <main id="content" tabindex="-1">
        ${done === undefined ? '' : html`<p class="message" role="status">${done}</p>`}
        <h1>${heading}</h1>
        ${body}
      </main>
      <script type="module" src="/admin/follow.js"></script>`,
  );
}

/** Between parts: a line begins with a word. */
export const DOT = '\u00A0· ';

/** Of a page that changes; its script (follow.ts) reloads it until it is paused. */
export function asOf(now: number, path: string): Html {
  return html`<p class="hint asof">
    As of ${serverClock.words(now)}${DOT}<a href="${path}">Reload</a
    ><span class="scripted">${DOT}<button type="button" class="follow">Pause</button></span>
  </p>`;
}

function brand({ host, isTest }: Instance): Html {
  return html`<p class="name">
    Payments ${host === undefined ? '' : html`<span class="host">${host}</span>`}
    ${isTest ? html`<span class="pill" title="No money moves">Test</span>` : ''}
  </p>`;
}

function document(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Payments</title>
        <link rel="icon" href="/admin/icon.svg" />
        <link rel="stylesheet" href="/admin/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

export function loginPage(refused: string | undefined, isLoopback: boolean, instance: Instance): Html {
  return document(
    'Sign in',
    html`<header class="top">${brand(instance)}</header>
      <main class="login">
        <h1>Operator’s page</h1>
        <form method="post" novalidate>
          <input name="username" value="operator" autocomplete="username" hidden />
          <label for="token">Operator’s token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            ${refused === undefined ? '' : wrong('token')}
          />
          ${refused === undefined ? '' : problem('token', refused)}
          <p class="hint">The value of ADMIN_TOKEN. The session ends after 30 minutes without a click.</p>
          <button>Sign in</button>
          ${isLoopback ? '' : html`<p class="hint">Outside this machine this page needs https.</p>`}
        </form>
      </main>`,
  );
}

/** For somebody without a session. */
function refusalPage(title: string, text: string): Html {
  return document(
    title,
    html`<main class="login">
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/admin">Back to the overview</a></p>
    </main>`,
  );
}

// What the pages of a signed-in operator share: the parts that they read and change, the frame around a page's body,
// and a session that each page prolongs.

export interface AdminParts {
  /** Of its public address. */
  host: string | undefined;
  /** No money moves at its gateway. */
  isTest: boolean;
  ledger: Ledger;
  refunds: Refunds;
  refundRules: RefundRules;
  token: string;
  version: string;
  /** Whether a WEBHOOK_URL is set. */
  sendsWebhooks: boolean;
  /** Called when something is due to be sent. */
  onDue(): void;
  readiness(): Promise<Readiness>;
  gatewaySilence(): Silence | undefined;
  now?: () => number;
  log: Log;
}

type Code = 200 | 409 | Refusal['status'];

export interface Frame {
  /** Goes to a page that says what was just done: to this session, and at this address only. */
  done(c: Context, path: string, done: Done): Response;
  show(c: Context, section: Section | undefined, title: Title, body: Html, code?: Code): Response | Promise<Response>;
  /** Why there is no such page, or why it failed, with a way back to the list that it belongs to. */
  refuse(c: Context, title: string, text: string, code: Code): Response | Promise<Response>;
  /** Proves that a form belongs to this session. */
  formToken(c: Context): string;
}

export function createFrame(sessions: Sessions, { host, isTest }: Instance): Frame {
  const formToken = (c: Context) => sessions.formToken(c.get('session'));
  const pathOf = (c: Context, path: string) => new URL(path, c.req.url).pathname;
  const frame: Frame = {
    done(c, path, done) {
      const proof = sessions.doneToken(c.get('session'), `${done} ${pathOf(c, path)}`);
      return c.redirect(`${path}?done=${done}.${proof}`, 303);
    },
    show(c, section, title, body, code = 200) {
      const session = c.get('session');
      // What a script asks for is no use of the session.
      if (c.req.header('Sec-Fetch-Dest') !== 'empty') writeSession(c, sessions, session);
      const [word = '', proof = ''] = c.req.query('done')?.split('.') ?? [];
      const isDone = sessions.isDoneToken(session, `${word} ${pathOf(c, c.req.url)}`, proof);
      const shown = { title, section, body, form: formToken(c), host, isTest };
      return c.html(page({ ...shown, ...(isDone && { done: DONE[word as Done] }) }), code);
    },
    refuse(c, title, text, code) {
      const session: Session | undefined = c.get('session');
      if (session === undefined) return c.html(refusalPage(title, text), code);
      const part = c.req.path.split('/')[2] ?? '';
      const section = Object.hasOwn(PAGES, part) ? (part as Section) : '';
      const back = html`<a href="/admin${section && `/${section}`}">Back to ${PAGES[section].toLowerCase()}</a>`;
      return frame.show(c, undefined, title, html`${[text, back].map((line) => html`<p>${line}</p>`)}`, code);
    },
    formToken,
  };
  return frame;
}

// Fields of the operator's forms, each with what is wrong with it.

/** Why a form was refused, by field. */
export type Problems = Readonly<Record<string, string>>;

interface Field {
  /** Several forms of a page have fields of one name. */
  form: string;
  name: string;
  label: string;
  value?: string | undefined;
  maxlength: number;
  problems?: Problems | undefined;
  isOptional?: boolean;
  isDecimal?: boolean;
  autocomplete?: 'name' | 'off';
}

export function textField(field: Field): Html {
  const { form, name, label, value = '', maxlength, problems = {}, isOptional, isDecimal } = field;
  const isWrong = problems[name] !== undefined;
  const id = `${form}-${name}`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      value="${value}"
      maxlength="${maxlength}"
      ${isDecimal ? html`inputmode="decimal"` : ''}
      ${isOptional ? '' : 'required'}
      autocomplete="${field.autocomplete ?? 'off'}"
      ${isWrong ? wrong(id) : ''}
    />${isWrong ? problem(id, problems[name]) : ''}
  </div>`;
}

/** The person who decides, for the history. */
export const nameField = (form: string, value: string | undefined, problems: Problems | undefined): Html =>
  textField({ form, name: 'by', label: 'Your name', value, maxlength: 100, problems, autocomplete: 'name' });

export const optionalField = (form: string, name: string, label: string, value?: string, problems?: Problems): Html =>
  textField({ form, name, label, value, maxlength: 200, problems, isOptional: true });

export const problem = (id: string, text: string | undefined): Html =>
  html`<p class="problem" id="${id}-problem" role="alert">${text}</p>`;

/** Of a field with a problem; the first of a page has the focus. */
export const wrong = (id: string): Html => html`aria-invalid="true" aria-describedby="${id}-problem" autofocus`;

export function hidden(fields: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;
}

// A table for the operator's page; on a narrow screen each row is a card, or two lines if its kind is `lines`. The
// roles are explicit, because a table that is laid out as cards would lose its own.

/**
 * A name; or a name and how its cells are shown. `end`: at the right of a phone's first line. `action`: buttons, whose
 * column has no visible name.
 */
export type Column = string | readonly [name: string, kind: 'right' | 'end' | 'action'];

type Cell = Html | string | number;

/** Each row has a cell for each column; the first names the row. */
export function cards(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  kind: 'lines' | '' = '',
): Html {
  return html`<table role="table" class="cards ${kind}">
    <caption>
      ${caption}${kind && html`<span class="zone">, ${serverClock.zone}</span>`}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(head)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        ([first = '', ...cells]) =>
          html`<tr role="row">
            <th role="rowheader" scope="row">${first}</th>
            ${columns.slice(1).map((column, at) => cell(column, cells[at] ?? ''))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function head(column: Column): Html {
  const { name, kind } = partsOf(column);
  if (kind === 'action') return html`<th role="columnheader" scope="col"><span class="unseen">${name}</span></th>`;
  return html`<th role="columnheader" scope="col" ${kind && html`class="${kind}"`}>${name}</th>`;
}

function cell(column: Column, content: Cell): Html {
  const { name, kind } = partsOf(column);
  const label = kind === 'action' ? '' : html`data-label="${name}"`;
  return html`<td role="cell" ${label} ${kind && html`class="${kind}"`}>${content}</td>`;
}

function partsOf(column: Column) {
  const [name, kind] = typeof column === 'string' ? [column] : column;
  return { name, kind: kind ?? '' };
}

// Transactions as a table.

export const linkTo = ({ id }: Pick<Transaction, 'id'>) => `/admin/transactions/${encodeURIComponent(id)}`;

export type Backs = ReadonlyMap<string, Back | undefined>;

/** Says which one of an order it is, as a row of a list does: by default with the time at which it was created. */
export const nameOf = (transaction: Transaction, at?: number): Html =>
  html`<a href="${linkTo(transaction)}">${transaction.id}</a>${DOT}${whichOf(transaction, at)}`;

export const whichOf = (transaction: Transaction, at = transaction.createdAt): Html =>
  html`${kindAndWallet(transaction)}${DOT}${time(at)}`;

export function statusAndReason(transaction: Transaction, back?: Back): Html {
  const reason = isInDoubt(transaction) ? reviewReason(transaction) : (back?.[2] ?? failureOf(transaction));
  return html`${status(transaction, back)} ${reason && html`<small class="reason">${reason}</small>`}`;
}

/** `backs`: of those whose order says more than they do. */
export function transactionTable(
  transactions: readonly Transaction[],
  caption: string,
  none: string,
  backs: Backs,
): Html {
  if (transactions.length === 0) return html`<p class="empty">${none}</p>`;
  return cards(
    caption,
    ['ID', 'Type', ['Amount', 'right'], 'Status', `Created, ${serverClock.zone}`],
    transactions.map((each) => [
      html`<a href="${linkTo(each)}">${each.id}</a>`,
      kindAndWallet(each),
      STAGES[each.stage].status === 'SUCCESS' && !isDenied(each)
        ? amount(each)
        : html`<span class="unmoved">${amount(each)}</span>`,
      statusAndReason(each, backs.get(each.id)),
      time(each.createdAt),
    ]),
    'lines',
  );
}
