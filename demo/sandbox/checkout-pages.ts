// The markup of the hosted checkout: what is paid, beside one screen for each step. Each screen is a form
// with one main button, and a second form that cancels.
import type { Context } from 'hono';
import { html } from 'hono/html';
import { type CheckoutTexts, checkoutTexts, fill } from './checkout-texts.ts';
import { type Customer, DEMO_PASSWORD } from './customers.ts';
import { formatMoney } from './money.ts';
import {
  banner,
  countdown,
  duration,
  fact,
  logo,
  mark,
  type Mark,
  type Markup,
  page,
  pictureOf,
  sentences,
} from './page.ts';
import { isFinal, type Payment } from './transaction.ts';

/** The fields that each problem is about; it stands below its field, or above all if it is about two. */
const FIELDS = {
  noWallet: ['wallet'],
  noPassword: ['password'],
  wrongLogin: ['wallet', 'password'],
  tooManyCodes: ['wallet', 'password'],
  noCode: ['code'],
  wrongCode: ['code'],
} as const;

export type Problem = keyof typeof FIELDS;

/** Sent in place of the code that is right then: a page may stay open for longer than its code. */
export const RIGHT_CODE = 'right';

/** The field of a button that tops up a balance that is too low. */
export const TOP_UP = 'top-up';

export type Screen =
  | { name: 'login'; wallet: string }
  | { name: 'verify'; customer: Customer; triesLeft: number }
  /** `isPaid`: the customer has paid the order by another payment. */
  | { name: 'pay'; customer: Customer; isPaid: boolean }
  /** `isReturning`: it was paid just now, and live.js goes back to the shop. */
  | { name: 'ended'; isReturning: boolean };

export interface CheckoutView {
  payment: Payment;
  /** As the shopper knows it. */
  order: string;
  merchant: string;
  merchantLogo?: string | undefined;
  /** A hidden field in each form, which ties it to this browser's session. */
  proof: string;
  people: readonly Customer[];
  leftMs: number;
  screen: Screen;
  /** What was wrong with the form that led here. */
  problems: readonly Problem[];
  /** By how much the clock was moved. */
  aheadMs: number;
}

const STEPS = ['login', 'verify', 'pay'] as const;

export function checkoutPage(c: Context, view: CheckoutView) {
  const { payment, screen, merchant, merchantLogo } = view;
  const { texts, textLang } = checkoutTexts(payment.language);
  const amount = formatMoney(payment.minor, payment.currency, textLang);
  const hasEnded = screen.name === 'ended';
  const shop = new URL(payment.returnUrl);
  const live = hasEnded ? '' : html`data-live="/pay/live/${payment.checkout?.token}" data-version="${versionOf(view)}"`;
  const body = html`${banner(bannerOf(view))}
    <main class="frame" ${live}>
      <div class="bill">
        ${logo()}
        <p class="payee">
          ${pictureOf(merchant, merchantLogo)} ${hasEnded ? merchant : fill(texts.payTo, { merchant })}
        </p>
        <p class="amount">${amount}</p>
        <p class="about soft">${texts.order} ${view.order}</p>
      </div>
      <div class="step stack ${hasEnded ? 'result' : ''}">
        ${screen.name === 'ended' ? '' : steps(screen.name, texts)} ${screenMarkup(view, texts, amount, textLang)}
        ${hasEnded ? '' : html`<p id="ends" class="soft">${endsIn(view)}</p>`}
      </div>
      ${hint(view, texts, textLang)}
    </main>`;
  return page(c, {
    title: fill(texts.payTo, { merchant }),
    layout: 'checkout',
    body,
    lang: payment.language ?? 'en',
    textLang,
    status: view.problems.length > 0 ? 422 : 200,
    formTargets: [shop.origin],
  });
}

/** What of the page changes without a form. */
type Changing = Pick<CheckoutView, 'payment' | 'leftMs' | 'aheadMs'>;

export const versionOf = ({ payment, aheadMs }: Changing) => `${isFinal(payment) ? 'ended' : 'open'}.${aheadMs}`;

export function bannerOf({ payment, aheadMs }: Changing): string {
  const { texts, textLang } = checkoutTexts(payment.language);
  return aheadMs === 0 ? texts.banner : `${texts.banner}. ${fill(texts.ahead, { time: duration(aheadMs, textLang) })}`;
}

/** The page's own end. The shop may have set an earlier one, which the gateway does not know. */
export function endsIn({ payment, leftMs }: Changing): Markup {
  return html`${checkoutTexts(payment.language).texts.endsIn} ${countdown(leftMs)}`;
}

function screenMarkup(view: CheckoutView, texts: CheckoutTexts, amount: string, language: string): Markup {
  const { screen } = view;
  switch (screen.name) {
    case 'login':
      return loginScreen(view, screen, texts);
    case 'verify':
      return verifyScreen(view, screen, texts);
    case 'pay':
      return payScreen(view, screen, texts, amount, language);
    case 'ended':
      return endedScreen(view, screen, texts, amount);
    default:
      return screen satisfies never;
  }
}

function steps(current: (typeof STEPS)[number], texts: CheckoutTexts): Markup {
  const names = { login: texts.stepLogin, verify: texts.stepVerify, pay: texts.stepPay };
  const reached = STEPS.indexOf(current);
  return html`<ol class="steps" aria-label="${texts.steps}">
    ${STEPS.map(
      (step, index) => html`<li class="soft" ${index === reached ? html`aria-current="step"` : ''}>${names[step]}</li>`,
    )}
  </ol>`;
}

const hidden = ({ payment, proof }: CheckoutView): Markup =>
  html`<input type="hidden" name="token" value="${payment.checkout?.token ?? ''}" />
    <input type="hidden" name="proof" value="${proof}" />`;

/** The fields name it by its id: an alert that a page loads with is not announced by every screen reader. */
const problemText = (id: string, text: string): Markup =>
  html`<p class="problem" id="${id}" role="alert"><span>${sentences(text)}</span></p>`;

/** The problem with `field` alone. */
function problemOf(field: string, { problems }: CheckoutView, texts: CheckoutTexts, more = ''): Markup | '' {
  const problem = problems.find((each) => FIELDS[each].length === 1 && FIELDS[each][0] === field);
  return problem === undefined ? '' : problemText(problem, `${texts[problem]} ${more}`.trim());
}

/** Ties a field to its problem; of two fields nobody knows which one is wrong. */
function described(field: string, { problems }: CheckoutView): Markup {
  const problem = problems.find((each) => FIELDS[each].some((concerned) => concerned === field));
  const isWrong = problem !== undefined && FIELDS[problem].length === 1;
  return html`${problem ? html`aria-describedby="${problem}"` : ''} ${isWrong ? html`aria-invalid="true"` : ''}`;
}

function cancelForm(view: CheckoutView, texts: CheckoutTexts, look = 'quiet'): Markup {
  return html`<form method="post" action="/pay/cancel">
    ${hidden(view)}
    <button class="${look}">${texts.cancel}</button>
  </form>`;
}

function loginScreen(view: CheckoutView, screen: Screen & { name: 'login' }, texts: CheckoutTexts): Markup {
  const ofBoth = view.problems.find((problem) => FIELDS[problem].length > 1);
  return html`<h1>${texts.loginTitle}</h1>
    ${ofBoth ? problemText(ofBoth, texts[ofBoth]) : ''}
    <form method="post" action="/pay/login" novalidate>
      ${hidden(view)}
      <label for="wallet">${texts.walletField}</label>
      <input
        id="wallet"
        name="wallet"
        value="${screen.wallet}"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        required
        ${described('wallet', view)}
        ${screen.wallet ? '' : html`autofocus`}
      />
      ${problemOf('wallet', view, texts)}
      <label for="password">${texts.passwordField}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        ${described('password', view)}
        ${screen.wallet ? html`autofocus` : ''}
      />
      ${problemOf('password', view, texts)}
      <button class="main">${texts.stepLogin}</button>
    </form>
    ${cancelForm(view, texts)}`;
}

function verifyScreen(view: CheckoutView, screen: Screen & { name: 'verify' }, texts: CheckoutTexts): Markup {
  const { triesLeft: left, customer } = screen;
  const tries = left === 1 ? texts.oneTryLeft : fill(texts.triesLeft, { left });
  return html`<h1>${texts.verifyTitle}</h1>
    <form method="post" action="/pay/leave" class="row between">
      ${hidden(view)}
      <span>${customer.name} · ${customer.shownWalletId}</span>
      <button class="quiet">${texts.notYou}</button>
    </form>
    <form method="post" action="/pay/verify" novalidate>
      ${hidden(view)}
      <label for="code">${texts.codeField}</label>
      <input
        id="code"
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength="7"
        dir="ltr"
        ${described('code', view)}
        required
        autofocus
      />
      ${problemOf('code', view, texts, tries)}
      <button class="main">${texts.next}</button>
    </form>
    ${cancelForm(view, texts)}`;
}

/** Help that a real checkout would not give, below the step. */
function hint(view: CheckoutView, texts: CheckoutTexts, textLang: string): Markup | '' {
  const { screen, people, payment } = view;
  if (screen.name === 'login') {
    return html`<form method="post" action="/pay/login" class="hint">
      ${hidden(view)}
      <input type="hidden" name="password" value="${DEMO_PASSWORD}" />
      ${[null, textLang].includes(payment.language) ? '' : html`<p>The sandbox speaks English and German.</p>`}
      <p>${fill(texts.loginHint, { password: DEMO_PASSWORD })}</p>
      <div class="row">
        ${people.map(({ walletId, name }) => html`<button name="wallet" value="${walletId}">${name}</button>`)}
      </div>
    </form>`;
  }
  if (screen.name === 'ended') return '';
  const { walletId, name } = screen.customer;
  if (screen.name === 'pay') {
    const isShort = screen.customer.balance(payment.currency) < payment.minor;
    if (!isShort) return '';
    return html`<form method="post" action="/pay/confirm" class="hint">
      ${hidden(view)}
      <p>${texts.payAnywayHint}</p>
      <div class="row">
        <button name="${TOP_UP}" value="yes">${texts.topUpAndPay}</button> <button>${texts.payAnyway}</button>
      </div>
    </form>`;
  }
  const phone = html`<a href="/wallet?as=${walletId}" target="_blank" rel="noopener"
    >${fill(texts.codeHintLink, { name })}</a
  >`;
  return html`<form method="post" action="/pay/verify" class="hint">
    ${hidden(view)}
    <p>${texts.codeHint} ${phone}.</p>
    <div class="row"><button name="code" value="${RIGHT_CODE}">${texts.codeForMe}</button></div>
  </form>`;
}

/** The facts move Pay below the place of Continue, so that a second click does not pay. */
function payScreen(
  view: CheckoutView,
  { customer, isPaid }: Screen & { name: 'pay' },
  texts: CheckoutTexts,
  amount: string,
  language: string,
): Markup {
  const { minor, currency, returnUrl } = view.payment;
  const balance = customer.balance(currency);
  const isShort = balance < minor;
  const look = isPaid ? '' : 'main';
  return html`<h1>${isShort ? texts.shortBalance : texts.payTitle}</h1>
    <dl class="facts lines">
      ${fact(texts.website, new URL(returnUrl).host)}
      ${fact(texts.from, html`${customer.name} <small>Wallet ${customer.shownWalletId}</small>`)}
      ${fact(texts.balance, formatMoney(balance, currency, language))} ${fact(texts.payment, amount, 'total')}
      ${
        isShort
          ? fact(texts.missing, formatMoney(minor - balance, currency, language), 'short')
          : fact(texts.balanceAfter, formatMoney(balance - minor, currency, language))
      }
    </dl>
    ${isPaid ? html`<p class="problem">${texts.paidBefore}</p>` : ''} ${isPaid ? cancelForm(view, texts, 'main') : ''}
    ${
      isShort
        ? html`<form method="post" action="/pay/leave">
            ${hidden(view)}
            <button class="${look}">${texts.anotherWallet}</button>
          </form>`
        : html`<form method="post" action="/pay/confirm">
            ${hidden(view)}
            <button class="${look}">${fill(isPaid ? texts.payAgain : texts.pay, { amount })}</button>
            ${isPaid ? '' : html`<p class="next soft">${fill(texts.thenBack, { merchant: view.merchant })}</p>`}
          </form>`
    }
    ${isPaid ? '' : cancelForm(view, texts)}`;
}

function endedScreen(
  { payment, merchant }: CheckoutView,
  { isReturning }: Screen & { name: 'ended' },
  texts: CheckoutTexts,
  amount: string,
): Markup {
  const ends: Record<string, [Mark, string, string]> = {
    SUCCESS: ['good', texts.paidTitle, isReturning ? texts.returning : texts.paidText],
    TOKEN_EXPIRED: ['late', texts.expiredTitle, texts.startAgainText],
    USER_CANCELLED: ['ended', texts.canceledTitle, texts.startAgainText],
    INSUFFICIENT_BALANCE: ['ended', texts.declinedTitle, texts.shortText],
  };
  const [look, title, text] = ends[payment.message] ?? ['ended', texts.declinedTitle, texts.declinedText];
  return html`${mark(look)}
    <h1>${title}</h1>
    <p>${sentences(fill(text, { merchant, amount }))}</p>
    <a class="button main" href="${payment.returnUrl}" ${isReturning ? html`data-onward` : ''}
      >${fill(texts.back, { merchant })}</a
    >`;
}
