// The hosted checkout: log in, second factor, pay or cancel, back to the shop. Keeps the progress of each browser
// with each token, so a link opened in another browser starts at the login. A form is accepted only with the
// transaction's token and a proof that this session received the page. checkout-pages.ts has the markup,
// payment-processor.ts the payment rules.
import { createHmac } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import {
  bannerOf,
  checkoutPage,
  endsIn,
  RIGHT_CODE,
  TOP_UP,
  versionOf,
  type Problem,
  type Screen,
} from './checkout-pages.ts';
import type { Clock } from './sandbox-clock.ts';
import { type Customer, DEMO_PASSWORD } from './customers.ts';
import { errorPage, liveAnswer, readForm } from './page.ts';
import { Refusal } from './refusal.ts';
import { isSameSecret } from './constant-time.ts';
import { isFinal, type Payment } from './transaction.ts';
import type { PaymentProcessor } from './payment-processor.ts';

const MAX_WRONG_CODES = 5;
const COOKIE = 'checkout_session';
const NO_PAYMENT = 'There is no such payment';

export interface CheckoutOptions {
  processor: PaymentProcessor;
  clock: Clock;
  random: (bytes: number) => Buffer;
  /** The merchant's name, as customers see it. */
  merchant: string;
  merchantLogo?: string | undefined;
}

/** The progress after the login; a visitor without one has not logged in. */
type Progress = { stage: 'verify'; customer: Customer; wrongCodes: number } | { stage: 'pay'; customer: Customer };

interface Visit {
  payment: Payment;
  /** Identifies the progress: this browser and this token. */
  key: string;
  proof: string;
  form: Record<string, string>;
}

export function createCheckout(options: CheckoutOptions) {
  const checkout = new Checkout(options);
  const app = new Hono();
  app.get('/', (c) => checkout.open(c));
  app.get('/live/:token', (c) => checkout.live(c, c.req.param('token')));
  app.post('/login', (c) => checkout.enter(c, (visit) => checkout.logIn(c, visit)));
  app.post('/leave', (c) => checkout.enter(c, (visit) => checkout.leave(c, visit)));
  app.post('/verify', (c) => checkout.enter(c, (visit) => checkout.verify(c, visit)));
  app.post('/confirm', (c) => checkout.enter(c, (visit) => checkout.confirm(c, visit)));
  app.post('/cancel', (c) => checkout.enter(c, (visit) => checkout.cancel(c, visit)));
  app.onError((error, c) => {
    if (error instanceof Refusal) return errorPage(c, 'checkout', error, error.status === 404 ? NO_PAYMENT : undefined);
    throw error;
  });
  return app;
}

class Checkout {
  readonly #options: CheckoutOptions;
  readonly #processor: PaymentProcessor;
  readonly #proofKey: Buffer;
  readonly #progress = new Map<string, Progress>();

  constructor(options: CheckoutOptions) {
    this.#options = options;
    this.#processor = options.processor;
    this.#proofKey = options.random(32);
  }

  open(c: Context) {
    const token = c.req.query('token') ?? '';
    const payment = this.#paymentOf(token);
    let session = getCookie(c, COOKIE);
    if (!session) {
      session = this.#options.random(24).toString('base64url');
      setCookie(c, COOKIE, session, { path: '/pay', httpOnly: true, sameSite: 'Lax' });
    }
    const key = `${session} ${token}`;
    return this.#show(c, { payment, key, proof: this.#proofOf(key), form: {} });
  }

  /** For live.js, which loads the page again once the payment has ended. */
  live(c: Context, token: string) {
    const payment = this.#paymentOf(token);
    const time = this.#timeOf(payment);
    const view = { payment, ...time };
    const regions = () => ({ banner: html`${bannerOf(view)}`, ends: endsIn(view) });
    return liveAnswer(c, versionOf(view), isFinal(payment) ? undefined : regions);
  }

  /** Runs the step if the token is known and the form was sent by the session that received it. */
  async enter(c: Context, step: (visit: Visit) => Response | Promise<Response>): Promise<Response> {
    const form = await readForm(c);
    const payment = this.#paymentOf(form['token'] ?? '');
    const key = `${getCookie(c, COOKIE) ?? ''} ${form['token']}`;
    const proof = this.#proofOf(key);
    if (!isSameSecret(form['proof'] ?? '', proof)) {
      throw new Refusal(403, 'NO_SESSION', 'The session of this page has ended: open the payment again from the shop.');
    }
    const response = await step({ payment, key, proof, form });
    if (isFinal(payment)) this.#progress.delete(key);
    return response;
  }

  logIn(c: Context, visit: Visit) {
    if (isFinal(visit.payment)) return toPage(c, visit);
    const wallet = (visit.form['wallet'] ?? '').trim();
    const password = visit.form['password'] ?? '';
    const empty = [
      ...(wallet === '' ? ['noWallet' as const] : []),
      ...(password === '' ? ['noPassword' as const] : []),
    ];
    if (empty.length > 0) return this.#show(c, visit, empty, wallet);
    const name = wallet.replace(/\s/g, '').toLowerCase();
    const customer = this.#processor.customers.find(({ walletId, email }) => walletId === name || email === name);
    if (!customer || !isSameSecret(password, DEMO_PASSWORD)) {
      return this.#show(c, visit, ['wrongLogin'], wallet);
    }
    this.#progress.set(visit.key, { stage: 'verify', customer, wrongCodes: 0 });
    this.#processor.open(visit.payment, customer);
    this.#processor.reach(visit.payment, 'SMS_VERIFICATION_STEP');
    return toPage(c, visit);
  }

  verify(c: Context, visit: Visit) {
    const { payment, key, form } = visit;
    const progress = this.#progress.get(key);
    if (isFinal(payment) || progress?.stage !== 'verify') return toPage(c, visit);
    const { customer } = progress;
    const now = this.#options.clock.now();
    const code = form['code'] === RIGHT_CODE ? customer.code(now) : (form['code'] ?? '').replace(/\s/g, '');
    // Not a try.
    if (!/^\d{6}$/.test(code)) return this.#show(c, visit, ['noCode']);
    if (customer.accepts(code, now)) {
      this.#progress.set(key, { stage: 'pay', customer });
      this.#processor.reach(payment, 'PAYMENT_STEP');
      return toPage(c, visit);
    }
    progress.wrongCodes += 1;
    if (progress.wrongCodes < MAX_WRONG_CODES) return this.#show(c, visit, ['wrongCode']);
    // Too many wrong codes end the login; the payment stays open.
    this.#logOut(visit);
    return this.#show(c, visit, ['tooManyCodes'], customer.walletId);
  }

  leave(c: Context, visit: Visit) {
    if (!isFinal(visit.payment)) this.#logOut(visit);
    return toPage(c, visit);
  }

  #logOut({ payment, key }: Visit) {
    this.#progress.delete(key);
    this.#processor.leave(payment);
  }

  confirm(c: Context, visit: Visit) {
    const { payment, key, form } = visit;
    const progress = this.#progress.get(key);
    const wasFinal = isFinal(payment);
    if (!wasFinal) {
      if (progress?.stage !== 'pay') return toPage(c, visit);
      if (form[TOP_UP] === undefined) this.#processor.approve(payment, progress.customer);
      else this.#processor.settle(payment, progress.customer);
    }
    // A second click on Pay leads on like the first one.
    if (payment.status === 'SUCCESS') return toPage(c, visit, '&paid');
    return wasFinal ? toPage(c, visit) : c.redirect(payment.returnUrl, 303);
  }

  cancel(c: Context, { payment }: Visit) {
    if (!isFinal(payment)) this.#processor.cancel(payment);
    return c.redirect(payment.returnUrl, 303);
  }

  #timeOf({ checkout }: Payment): { leftMs: number; aheadMs: number } {
    const { clock } = this.#options;
    return { leftMs: (checkout?.expiresAt ?? 0) - clock.now(), aheadMs: clock.aheadMs };
  }

  #paymentOf(token: string): Payment {
    const payment = this.#processor.checkout(token);
    if (payment) return payment;
    const why = 'The link is incomplete, or from an earlier run of the sandbox. Go back to the shop and start again.';
    throw new Refusal(404, 'UNKNOWN_TOKEN', why);
  }

  #proofOf(key: string): string {
    return createHmac('sha256', this.#proofKey).update(key).digest('base64url');
  }

  #show(c: Context, { payment, key, proof }: Visit, problems: readonly Problem[] = [], wallet?: string) {
    const { merchant, merchantLogo } = this.#options;
    return checkoutPage(c, {
      payment,
      order: this.#processor.orderOf(payment),
      merchant,
      merchantLogo,
      proof,
      people: this.#processor.customers,
      ...this.#timeOf(payment),
      screen: this.#screenOf(c, payment, this.#progress.get(key), wallet),
      problems,
    });
  }

  #screenOf(c: Context, payment: Payment, progress: Progress | undefined, wallet?: string): Screen {
    if (isFinal(payment))
      return { name: 'ended', isReturning: payment.status === 'SUCCESS' && c.req.query('paid') !== undefined };
    // An ID that no wallet has would only be deleted.
    if (!progress)
      return { name: 'login', wallet: wallet ?? this.#processor.customer(payment.customer)?.walletId ?? '' };
    const { customer } = progress;
    if (progress.stage === 'verify')
      return { name: 'verify', customer, triesLeft: MAX_WRONG_CODES - progress.wrongCodes };
    return { name: 'pay', customer, isPaid: this.#processor.paidBefore(payment, customer) !== undefined };
  }
}

function toPage(c: Context, { payment }: Visit, more = '') {
  return c.redirect(`/pay?token=${payment.checkout?.token}${more}`, 303);
}
