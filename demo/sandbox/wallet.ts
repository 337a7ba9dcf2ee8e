// The routes of the customer's phone, the wallet app as a page: payments to confirm, scanned codes, received payouts
// and the security code. There is no login: the visitor picks the customer (a cookie, or `?as=`) and sees that
// customer's payments. An empty or unknown `?as=` asks again.
//   /wallet   /wallet/scan?code=… (the address in a code)   /wallet/open?code=… (the link on the same device)
//   /wallet/payments/:paymentId   POST /wallet/answer   /wallet/live, /wallet/payments/:paymentId/live (for live.js)
import { type Context, Hono, type Next } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Clock } from './sandbox-clock.ts';
import { type Customer, TOTP_PERIOD_MS } from './customers.ts';
import { liveAnswer, readForm, errorPage, type ShopPages } from './page.ts';
import { Refusal } from './refusal.ts';
import {
  bannerOf,
  choicePage,
  homePage,
  moreRequests,
  paymentPage,
  type PhoneView,
  receivedPage,
  regionsOf,
  sheet,
} from './wallet-pages.ts';
import { isFinal, type Payment } from './transaction.ts';
import type { PaymentProcessor } from './payment-processor.ts';

const COOKIE = 'wallet_customer';

export interface WalletOptions extends Pick<ShopPages, 'shopUrl'> {
  processor: PaymentProcessor;
  clock: Clock;
  merchant: string;
  merchantLogo?: string | undefined;
  /** Changes with each request, and each change of a transaction or fault. */
  version: () => number;
}

type WalletEnv = { Variables: { customer: Customer } };
type WalletContext = Context<WalletEnv>;

export function createWallet(options: WalletOptions) {
  const { processor } = options;
  const wallet = new Hono<WalletEnv>();
  wallet.use((c, next) => chooseCustomer(c, next, options));
  wallet.get('/', (c) => homePage(c, viewOf(c.get('customer'), options)));
  wallet.get('/live', (c) => liveAnswer(c, stateOf(options), () => regionsOf(viewOf(c.get('customer'), options))));
  wallet.get('/scan', (c) => openCode(c, options, ''));
  wallet.get('/open', (c) => openCode(c, options, '?app'));
  wallet.get('/payments/:paymentId', (c) => {
    const view = viewOf(c.get('customer'), options);
    const moved = view.customer.movements.find(({ paymentId }) => paymentId === Number(c.req.param('paymentId')));
    return moved && moved.minor > 0n ? receivedPage(c, view, moved) : paymentPage(c, view, openedIn(c));
  });
  wallet.get('/payments/:paymentId/live', (c) => {
    const opened = openedIn(c);
    const view = viewOf(c.get('customer'), options);
    return liveAnswer(c, view.version, () => ({
      ...bannerOf(view),
      others: moreRequests(view, opened),
      payment: sheet(view, opened),
    }));
  });
  wallet.post('/answer', async (c) => {
    const customer = c.get('customer');
    const { paymentId = '', answer, app } = await readForm(c);
    const payment = theirPayment(paymentId, customer, processor);
    const fromApp = app !== undefined;
    if (isFinal(payment)) return paymentPage(c, viewOf(customer, options), { payment, fromApp, isLate: true });
    processor.open(payment, customer);
    if (answer === 'approve') processor.approve(payment, customer);
    else if (answer === 'top-up') processor.settle(payment, customer);
    else processor.decline(payment, customer);
    return c.redirect(`/wallet/payments/${payment.paymentId}${fromApp ? '?app' : ''}`, 303);
  });
  wallet.onError((error, c) => {
    if (error instanceof Refusal) return errorPage(c, 'wallet', error);
    throw error;
  });

  function openedIn(c: Context<WalletEnv, '/payments/:paymentId'>) {
    const payment = theirPayment(c.req.param('paymentId'), c.get('customer'), processor);
    return { payment, fromApp: c.req.query('app') !== undefined };
  }
  return wallet;
}

async function chooseCustomer(c: WalletContext, next: Next, options: WalletOptions): Promise<Response | void> {
  const { processor, clock } = options;
  const url = new URL(c.req.url);
  const as = url.searchParams.get('as');
  url.searchParams.delete('as');
  const chosen = processor.customer(as);
  if (chosen) {
    setCookie(c, COOKIE, chosen.walletId, { path: '/wallet', httpOnly: true, sameSite: 'Lax' });
    return c.redirect(url.pathname + url.search, 303);
  }
  const customer = processor.customer(getCookie(c, COOKIE) ?? null);
  if (!customer || as !== null) {
    const payment = processor.byCode(codeIn(url.searchParams.get('code') ?? ''));
    const { merchant, merchantLogo, shopUrl } = options;
    const view = { people: processor.customers, aheadMs: clock.aheadMs, merchant, merchantLogo, shopUrl };
    return choicePage(c, view, url.searchParams, payment);
  }
  c.set('customer', customer);
  return next();
}

/** Changes with the version and with the security code. */
function stateOf({ version, clock }: WalletOptions): string {
  return `${version()}.${Math.floor(clock.now() / TOTP_PERIOD_MS)}`;
}

function viewOf(customer: Customer, options: WalletOptions): PhoneView {
  const now = options.clock.now();
  return {
    customer,
    people: options.processor.customers,
    merchant: options.merchant,
    merchantLogo: options.merchantLogo,
    shopUrl: options.shopUrl,
    prompts: options.processor.prompts(customer),
    declined: options.processor.declined(customer),
    orderOf: (payment) => options.processor.orderOf(payment),
    paidBefore: (payment) => options.processor.paidBefore(payment, customer),
    code: customer.code(now),
    codeLeftMs: TOTP_PERIOD_MS - (now % TOTP_PERIOD_MS),
    version: stateOf(options),
    now,
    aheadMs: options.clock.aheadMs,
  };
}

function openCode(c: WalletContext, options: WalletOptions, suffix: string) {
  const customer = c.get('customer');
  const text = c.req.query('code') ?? '';
  const payment = options.processor.scan(codeIn(text), customer);
  if (!payment) return homePage(c, viewOf(customer, options), text);
  if (isFinal(payment) && !isOf(payment, customer))
    return paymentPage(c, viewOf(customer, options), { payment, fromApp: suffix !== '', isLate: true });
  return c.redirect(`/wallet/payments/${payment.paymentId}${suffix}`, 303);
}

const isOf = ({ customer, openedBy }: Payment, { walletId }: Customer) => [customer, openedBy].includes(walletId);

/** @throws Refusal, with the same answer for an unknown payment and another customer's */
function theirPayment(paymentId: string, person: Customer, processor: PaymentProcessor): Payment {
  const payment = processor.payment(Number(paymentId));
  // One on the wallet's website is answered there; what became of it is seen here, too.
  const isHere = payment && (payment.checkout === null || isFinal(payment));
  // A code is for anybody: another phone may have opened it since.
  if (isHere && (payment.code !== null || isOf(payment, person))) return payment;
  throw new Refusal(404, 'UNKNOWN_PAYMENT', 'There is no such payment on this phone.');
}

/** Accepts the scanned URL, or the code alone. */
function codeIn(text: string): string {
  const trimmed = text.trim();
  return URL.canParse(trimmed) ? (new URL(trimmed).searchParams.get('code') ?? '') : trimmed;
}
