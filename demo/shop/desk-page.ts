// The desk: the merchant's page with all payments and payouts. A filter is a link, a search is a form, and each page of
// the list has an address; desk.js only refreshes what `deskTables` makes.
import { html } from 'hono/html';
import { CURRENCY, formatMoney } from './catalog.ts';
import type { Clock } from './desk-clock.ts';
import type { DeskList } from './desk.ts';
import { transactionRow } from './desk-row.ts';
import { addressOf, type Day, type Filter, type Sum, type View } from './desk-view.ts';
import { STATE_NAMES } from './desk-words.ts';
import { page, type Markup, type Menu, type Site } from './page.ts';
import { payoutForm, type PayoutForm } from './payout-form.ts';
import { MAX_LISTED, isRefund } from './proxy-client.ts';

export interface DeskContent {
  list: DeskList;
  view: View;
  clock: Clock;
}

const TITLES: Record<Filter['show'], string> = {
  all: 'Payments and payouts',
  payments: 'Payments',
  payouts: 'Payouts',
};

export function deskPage(content: DeskContent, form: PayoutForm | undefined, site: Site): Markup {
  const { filter } = content.view;
  const title = TITLES[filter.show];
  return page(
    {
      title: `${title} · Desk`,
      place: 'desk',
      menu: menuOf(filter),
      styles: ['/assets/desk.css'],
      scripts: ['/assets/desk.js'],
      site,
    },
    html`<div class="head">
        <h1>${title}</h1>
        ${search(filter)}
        ${form === undefined ? html`<a class="button" href="/desk/payouts#send">Send a payout</a>` : ''}
      </div>
      ${form === undefined ? '' : payoutForm(form)}
      <div data-live>${deskTables(content)}</div>`,
  );
}

function menuOf({ show }: Filter): Menu {
  const link = (to: Filter['show'], text: string) => ({
    href: addressOf({ show: to }),
    text,
    isCurrent: show === to,
  });
  return {
    label: 'Desk',
    home: '/desk',
    tag: 'Desk',
    links: [
      link('all', 'All'),
      link('payments', 'Payments'),
      link('payouts', 'Payouts'),
      { href: '/', text: 'The shop', isCurrent: false },
    ],
    footer: 'Anyone who can open this page can send money. A shop of your own has its staff’s sign-in here.',
  };
}

function search({ show, find }: Filter): Markup {
  return html`<form class="find" role="search" action="/desk">
    ${show === 'all' ? '' : html`<input type="hidden" name="show" value="${show}" />`}
    <input type="search" name="find" value="${find}" placeholder="Order id" aria-label="Order id" maxlength="64" />
    <button class="button plain">Search</button>
    ${find === '' ? '' : html`<a href="${addressOf({ show })}">Clear</a>`}
  </form>`;
}

/** The part that `desk.js` refreshes. */
export function deskTables({ list, view, clock }: DeskContent): Markup {
  const { filter, days } = view;
  const refunds = list.entries.filter(isRefund);
  const isWhole = filter.state === 'all' && filter.find === '' && filter.show === 'all';
  if (list.problem !== undefined) return html`<p class="message bad" role="alert">${list.problem}</p>`;
  return html`${totals(view)} ${tabs(view)} ${days.length === 0 ? nothing(list, filter) : ''}
    ${days.map(
      (day, at) =>
        html`<section class="day" aria-labelledby="day-${at}">
          <h2 id="day-${at}">${day.name}</h2>
          ${isWhole ? html`<p>${daySums(day)}</p>` : ''}
          <ul class="transactions card">
            ${day.rows.map((entry) => transactionRow(entry, refunds, clock))}
          </ul>
        </section>`,
    )}
    ${pager(view)}
    <p class="quiet zone" data-zone="${clock.zone}">
      ${list.entries.length < MAX_LISTED ? 'Last 7 days' : `The newest ${MAX_LISTED} of the last 7 days`} · times in
      ${clock.zoneName}
    </p>`;
}

function totals({ today, waiting, toReview }: View): Markup {
  return html`<dl class="totals card">
    ${total('Paid in today', today.paidIn, 'payment')} ${total('Paid out today', today.paidOut, 'payout')}
    ${total('Awaiting payment', waiting, 'payment')}
    <div class="${toReview === 0 ? '' : 'warn'}">
      <dt>Needs attention</dt>
      <dd>${toReview} <small>${toReview === 0 ? 'all clear' : 'to look at'}</small></dd>
    </div>
  </dl>`;
}

function total(name: string, { amount, count }: Sum, of: string): Markup {
  return html`<div>
    <dt>${name}</dt>
    <dd>${formatMoney(amount, CURRENCY)} <small>${count} ${of}${count === 1 ? '' : 's'}</small></dd>
  </div>`;
}

function tabs({ filter, counts }: View): Markup {
  const names = { all: 'All', ...STATE_NAMES };
  const states = Object.keys(names) as Filter['state'][];
  return html`<nav class="tabs" aria-label="States">
    ${states.map(
      (state) =>
        html`<a
          href="${addressOf({ ...filter, state, page: 1 })}"
          ${filter.state === state ? html`aria-current="page"` : ''}
          >${names[state]} <small>${counts[state]}</small></a
        > `,
    )}
  </nav>`;
}

function daySums({ paidIn, paidOut }: Day): string {
  const parts = [
    paidIn.count > 0 ? `${formatMoney(paidIn.amount, CURRENCY)} in` : '',
    paidOut.count > 0 ? `${formatMoney(paidOut.amount, CURRENCY)} out` : '',
  ];
  return parts.filter(Boolean).join(' · ');
}

function nothing({ entries }: DeskList, { show, find }: Filter): Markup {
  if (entries.length === 0) {
    return html`<div class="nothing card">
      <h2>No money has moved yet</h2>
      <p class="quiet">Order something in the shop and pay for it. It is listed here within seconds.</p>
      <p><a class="button" href="/">Open the shop</a></p>
    </div>`;
  }
  const kind = show === 'all' ? 'payment or payout' : show.slice(0, -1);
  return html`<div class="nothing card">
    <h2>${find === '' ? `No ${kind} here` : `No ${kind} with “${find}”`}</h2>
    <p><a class="button plain" href="/desk">Show all</a></p>
  </div>`;
}

function pager({ filter, matching, first, last }: View): Markup | '' {
  if (first <= 1 && last === matching) return '';
  const to = (step: number) => addressOf({ ...filter, page: filter.page + step });
  return html`<nav class="pager" aria-label="Pages of the list">
    <p>${first} to ${last} of ${matching}</p>
    ${first > 1 ? html`<a class="button plain" href="${to(-1)}">Newer</a>` : ''}
    ${last < matching ? html`<a class="button plain" href="${to(1)}">Older</a>` : ''}
  </nav>`;
}
