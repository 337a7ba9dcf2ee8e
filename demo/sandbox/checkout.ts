// The hosted checkout, where a CHECKOUT payment is made: log in, second factor, pay or cancel, back to the shop. Owns the
// journey: one per browser and token, so a link opened elsewhere starts at the login. Its state lives here, keyed by a
// cookie; every form carries the transaction's token and a proof that this session got the page. The pages themselves
// are in checkout-pages.ts, the payment's fate in world.ts.
import { createHmac } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { checkoutPage, type LoginProblem, type Screen, unknownTokenPage } from './checkout-pages.ts';
import type { Clock } from './clock.ts';
import { type Customer, DEMO_PASSWORD } from './customers.ts';
import { readForm, troublePage } from './page.ts';
import { Refusal } from './refusal.ts';
import { isSameSecret } from './secret.ts';
import { isFinal, type Payment, type World } from './world.ts';

const MOST_WRONG_CODES = 5;
const COOKIE = 'checkout_session';

export interface CheckoutOptions {
  world: World;
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

export function createCheckout({ world, clock, random, merchant }: CheckoutOptions) {
  const checkout = new Hono();
  const proofKey = random(32);
  const journeys = new Map<string, Journey>();

  const proofOf = (key: string) => createHmac('sha256', proofKey).update(key).digest('base64url');

  const show = (c: Context, { payment, key, proof }: Visit, problem: LoginProblem | null = null, wallet?: string) =>
    checkoutPage(c, {
      payment,
      merchant,
      proof,
      leftMs: (payment.checkout?.expiresAt ?? 0) - clock.now(),
      people: world.customers,
      screen: screenOf(payment, journeys.get(key), problem, wallet),
    });

  /** The visit behind a form; a finished payment and a forged form get no further. */
  const enter = async (c: Context): Promise<Visit | null> => {
    const form = await readForm(c);
    const payment = world.checkout(form['token'] ?? '');
    if (!payment) return null;
    const key = `${getCookie(c, COOKIE) ?? ''} ${form['token']}`;
    const proof = proofOf(key);
    if (!isSameSecret(form['proof'] ?? '', proof)) {
      throw new Refusal(403, 'NO_SESSION', 'This page has lost its session: open the payment again from the shop.');
    }
    if (isFinal(payment)) journeys.delete(key);
    return { payment, key, proof, form };
  };

  checkout.get('/', (c) => {
    const token = c.req.query('token') ?? '';
    const payment = world.checkout(token);
    if (!payment) return unknownTokenPage(c);
    let session = getCookie(c, COOKIE);
    if (!session) {
      session = random(24).toString('base64url');
      setCookie(c, COOKIE, session, { path: '/pay', httpOnly: true, sameSite: 'Lax' });
    }
    const key = `${session} ${token}`;
    return show(c, { payment, key, proof: proofOf(key), form: {} });
  });

  checkout.post('/login', async (c) => {
    const visit = await enter(c);
    if (!visit) return unknownTokenPage(c);
    if (isFinal(visit.payment)) return again(c, visit);
    const wallet = (visit.form['wallet'] ?? '').trim();
    const name = wallet.replaceAll(' ', '').toLowerCase();
    const customer = world.customers.find(({ walletId, email }) => walletId === name || email === name);
    if (!customer || !isSameSecret(visit.form['password'] ?? '', DEMO_PASSWORD)) {
      return show(c, visit, 'wrongLogin', wallet);
    }
    journeys.set(visit.key, { stage: 'verify', customer, wrongCodes: 0 });
    world.begin(visit.payment);
    world.reach(visit.payment, 'SMS_VERIFICATION_STEP');
    return again(c, visit);
  });

  checkout.post('/verify', async (c) => {
    const visit = await enter(c);
    if (!visit) return unknownTokenPage(c);
    const journey = journeys.get(visit.key);
    if (isFinal(visit.payment) || journey?.stage !== 'verify') return again(c, visit);
    if (journey.customer.accepts(visit.form['code'] ?? '', clock.now())) {
      journeys.set(visit.key, { stage: 'pay', customer: journey.customer });
      world.reach(visit.payment, 'PAYMENT_STEP');
      return again(c, visit);
    }
    journey.wrongCodes += 1;
    if (journey.wrongCodes < MOST_WRONG_CODES) return show(c, visit);
    // Too many end the login, not the payment.
    journeys.delete(visit.key);
    world.reach(visit.payment, 'LOGIN_STEP');
    return show(c, visit, 'tooManyCodes', journey.customer.walletId);
  });

  checkout.post('/confirm', async (c) => {
    const visit = await enter(c);
    if (!visit) return unknownTokenPage(c);
    const { payment, key } = visit;
    // A second click follows the first one back to the shop.
    if (payment.status === 'SUCCESS') return c.redirect(payment.returnUrl, 303);
    const journey = journeys.get(key);
    if (isFinal(payment) || journey?.stage !== 'pay') return again(c, visit);
    world.approve(payment, journey.customer);
    journeys.delete(key);
    return c.redirect(payment.returnUrl, 303);
  });

  checkout.post('/cancel', async (c) => {
    const visit = await enter(c);
    if (!visit) return unknownTokenPage(c);
    if (!isFinal(visit.payment)) world.cancel(visit.payment);
    journeys.delete(visit.key);
    return c.redirect(visit.payment.returnUrl, 303);
  });

  checkout.onError((error, c) => {
    if (error instanceof Refusal) return troublePage(c, 'checkout', error);
    throw error;
  });
  return checkout;
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
