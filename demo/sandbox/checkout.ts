// The hosted checkout, where a CHECKOUT payment is made: log in, second factor, pay or cancel, back to the shop. Owns the
// journey: one per browser and token, so a link opened elsewhere starts at the login. Its state lives here, keyed by a
// cookie; every form carries the transaction's token and a proof that this session got the page. The pages themselves
// are in checkout-pages.ts, the payment's fate in payment-processor.ts.
import { createHmac } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { checkoutPage, type LoginProblem, type Screen, unknownTokenPage } from './checkout-pages.ts';
import type { Clock } from './sandbox-clock.ts';
import { type Customer, DEMO_PASSWORD } from './customers.ts';
import { readForm, troublePage } from './page.ts';
import { Refusal } from './refusal.ts';
import { isSameSecret } from './constant-time.ts';
import { isFinal, type Payment } from './transaction.ts';
import type { PaymentProcessor } from './payment-processor.ts';

const MOST_WRONG_CODES = 5;
const COOKIE = 'checkout_session';

export interface CheckoutOptions {
  processor: PaymentProcessor;
  clock: Clock;
  random: (bytes: number) => Buffer;
  /** The merchant's name, as the customer reads it. */
  merchant: string;
}

/** Past the login; a visitor without one is before it. */
type Journey = { stage: 'verify'; customer: Customer; wrongCodes: number } | { stage: 'pay'; customer: Customer };

interface Visit {
  payment: Payment;
  /** Of the journey: this browser and this token. */
  key: string;
  proof: string;
  form: Record<string, string>;
}

export function createCheckout(options: CheckoutOptions) {
  const journeys = new Journeys(options);
  const checkout = new Hono();
  checkout.get('/', (c) => journeys.open(c));
  checkout.post('/login', (c) => journeys.enter(c, (visit) => journeys.logIn(c, visit)));
  checkout.post('/verify', (c) => journeys.enter(c, (visit) => journeys.verify(c, visit)));
  checkout.post('/confirm', (c) => journeys.enter(c, (visit) => journeys.confirm(c, visit)));
  checkout.post('/cancel', (c) => journeys.enter(c, (visit) => journeys.cancel(c, visit)));
  checkout.onError((error, c) => {
    if (error instanceof Refusal) return troublePage(c, 'checkout', error);
    throw error;
  });
  return checkout;
}

class Journeys {
  readonly #options: CheckoutOptions;
  readonly #processor: PaymentProcessor;
  readonly #proofKey: Buffer;
  readonly #journeys = new Map<string, Journey>();

  constructor(options: CheckoutOptions) {
    this.#options = options;
    this.#processor = options.processor;
    this.#proofKey = options.random(32);
  }

  open(c: Context) {
    const token = c.req.query('token') ?? '';
    const payment = this.#processor.checkout(token);
    if (!payment) return unknownTokenPage(c);
    let session = getCookie(c, COOKIE);
    if (!session) {
      session = this.#options.random(24).toString('base64url');
      setCookie(c, COOKIE, session, { path: '/pay', httpOnly: true, sameSite: 'Lax' });
    }
    const key = `${session} ${token}`;
    return this.#show(c, { payment, key, proof: this.#proofOf(key), form: {} });
  }

  /** A submitted form gets to its step only with a known token, and from the session that was given the form. */
  async enter(c: Context, step: (visit: Visit) => Response | Promise<Response>): Promise<Response> {
    const form = await readForm(c);
    const payment = this.#processor.checkout(form['token'] ?? '');
    if (!payment) return unknownTokenPage(c);
    const key = `${getCookie(c, COOKIE) ?? ''} ${form['token']}`;
    const proof = this.#proofOf(key);
    if (!isSameSecret(form['proof'] ?? '', proof)) {
      throw new Refusal(403, 'NO_SESSION', 'This page has lost its session: open the payment again from the shop.');
    }
    const response = await step({ payment, key, proof, form });
    if (isFinal(payment)) this.#journeys.delete(key);
    return response;
  }

  logIn(c: Context, visit: Visit) {
    if (isFinal(visit.payment)) return again(c, visit);
    const wallet = (visit.form['wallet'] ?? '').trim();
    const name = wallet.replaceAll(' ', '').toLowerCase();
    const customer = this.#processor.customers.find(({ walletId, email }) => walletId === name || email === name);
    if (!customer || !isSameSecret(visit.form['password'] ?? '', DEMO_PASSWORD)) {
      return this.#show(c, visit, 'wrongLogin', wallet);
    }
    this.#journeys.set(visit.key, { stage: 'verify', customer, wrongCodes: 0 });
    this.#processor.begin(visit.payment);
    this.#processor.reach(visit.payment, 'SMS_VERIFICATION_STEP');
    return again(c, visit);
  }

  verify(c: Context, visit: Visit) {
    const { payment, key, form } = visit;
    const journey = this.#journeys.get(key);
    if (isFinal(payment) || journey?.stage !== 'verify') return again(c, visit);
    const { customer } = journey;
    if (customer.accepts(form['code'] ?? '', this.#options.clock.now())) {
      this.#journeys.set(key, { stage: 'pay', customer });
      this.#processor.reach(payment, 'PAYMENT_STEP');
      return again(c, visit);
    }
    journey.wrongCodes += 1;
    if (journey.wrongCodes < MOST_WRONG_CODES) return this.#show(c, visit);
    // Too many end the login, not the payment.
    this.#journeys.delete(key);
    this.#processor.reach(payment, 'LOGIN_STEP');
    return this.#show(c, visit, 'tooManyCodes', customer.walletId);
  }

  confirm(c: Context, visit: Visit) {
    const { payment, key } = visit;
    const journey = this.#journeys.get(key);
    if (!isFinal(payment)) {
      if (journey?.stage !== 'pay') return again(c, visit);
      this.#processor.approve(payment, journey.customer);
      return c.redirect(payment.returnUrl, 303);
    }
    // A second click follows the first one back to the shop.
    return payment.status === 'SUCCESS' ? c.redirect(payment.returnUrl, 303) : again(c, visit);
  }

  cancel(c: Context, { payment }: Visit) {
    if (!isFinal(payment)) this.#processor.cancel(payment);
    return c.redirect(payment.returnUrl, 303);
  }

  #proofOf(key: string): string {
    return createHmac('sha256', this.#proofKey).update(key).digest('base64url');
  }

  #show(c: Context, { payment, key, proof }: Visit, problem: LoginProblem | null = null, wallet?: string) {
    const { merchant, clock } = this.#options;
    return checkoutPage(c, {
      payment,
      merchant,
      proof,
      leftMs: (payment.checkout?.expiresAt ?? 0) - clock.now(),
      people: this.#processor.customers,
      screen: screenOf(payment, this.#journeys.get(key), problem, wallet),
    });
  }
}

function again(c: Context, { payment }: Visit) {
  return c.redirect(`/pay?token=${payment.checkout?.token}`, 303);
}

function screenOf(
  payment: Payment,
  journey: Journey | undefined,
  problem: LoginProblem | null,
  wallet?: string,
): Screen {
  if (isFinal(payment)) return { name: 'ended' };
  if (!journey) return { name: 'login', wallet: wallet ?? payment.customer ?? '', problem };
  if (journey.stage === 'pay') return { name: 'pay', customer: journey.customer };
  const { customer, wrongCodes } = journey;
  return { name: 'verify', customer, triesLeft: wrongCodes === 0 ? null : MOST_WRONG_CODES - wrongCodes };
}
