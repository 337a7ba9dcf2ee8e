// The sandbox's JSON API for tests, under `/_sandbox`: acts for the customer, advances the clock, sets faults, and
// reads the transactions with the IPNs that were sent. The answer to a change shows the changed object.
//   GET  /transactions, /transactions/:orderId      POST /transactions/:orderId/{approve,decline,expire,ipn}
//   POST /faults   GET /faults   POST /clock {"advanceMs"}   POST /ipn-url {"url"}
// `approve` takes {"customer"} (default: who has opened it, else the one in the request, else the first demo customer)
// and first tops up a balance that is too low. `ipn` sends the IPN of a final transaction again.
import { type Context, Hono } from 'hono';
import type { RouterRoute } from 'hono/types';
import { z } from 'zod';
import type { Clock } from './sandbox-clock.ts';
import type { Customer } from './customers.ts';
import type { Faults } from './faults.ts';
import type { IpnSender } from './ipn.ts';
import { Refusal, checked, only } from './refusal.ts';
import type { RequestLog } from './request-log.ts';
import { isFinal, isPayment, walletIn, type Transaction } from './transaction.ts';
import type { PaymentProcessor } from './payment-processor.ts';

export interface ControlOptions {
  processor: PaymentProcessor;
  faults: Faults;
  clock: Clock;
  requestLog: RequestLog;
  ipns: IpnSender;
}

export const ACTIONS = ['approve', 'decline', 'expire', 'ipn'] as const;
export type Action = (typeof ACTIONS)[number];

const ApproveBody = only({ customer: z.string().optional() });
export const ClockBody = only({
  advanceMs: z
    .int()
    .min(0)
    .max(366 * 86_400_000),
});
const IpnUrlBody = only({ url: z.url({ protocol: /^https?$/ }) });

export function createControls(options: ControlOptions) {
  const { faults, clock, ipns } = options;
  const controls = new Hono();
  controls.route('/transactions', transactionControls(options));
  controls.get('/faults', (c) => c.json({ faults: faults.active() }));
  controls.post('/faults', async (c) => {
    faults.replace(await read(c, z.unknown()));
    return c.json({ faults: faults.active() });
  });
  controls.post('/clock', async (c) => {
    const { advanceMs } = await read(c, ClockBody);
    clock.advance(advanceMs);
    await clock.tick();
    return c.json({ now: iso(clock.now()) });
  });
  controls.post('/ipn-url', async (c) => {
    ipns.url = (await read(c, IpnUrlBody)).url;
    return c.json({ url: ipns.url });
  });
  return controls;
}

function transactionControls(options: ControlOptions) {
  const { processor } = options;
  const controls = new Hono();
  controls.get('/', (c) =>
    c.json({ transactions: processor.transactions().map((transaction) => view(transaction, options)) }),
  );
  controls.get('/:orderId', (c) => c.json(view(findTransaction(processor, c.req.param('orderId')), options)));
  for (const action of ACTIONS) {
    controls.post(`/:orderId/${action}`, async (c) => {
      const transaction = findTransaction(processor, c.req.param('orderId'));
      const { customer } = await read(c, ApproveBody);
      act(action, transaction, customer, options);
      return c.json(view(transaction, options));
    });
  }
  return controls;
}

/** Shared with the buttons of the overview. @throws Refusal */
export function act(
  action: Action,
  transaction: Transaction,
  walletId: string | undefined,
  { processor, ipns }: Pick<ControlOptions, 'processor' | 'ipns'>,
): void {
  switch (action) {
    case 'approve':
      processor.settle(transaction, payer(processor, transaction, walletId));
      return;
    case 'decline':
      processor.decline(transaction);
      return;
    case 'expire':
      processor.expire(transaction);
      return;
    case 'ipn':
      if (!isFinal(transaction)) throw new Refusal(409, 'NOT_FINAL', 'Only a final transaction has an IPN.');
      ipns.send(transaction);
      return;
    default:
      action satisfies never;
  }
}

/** @throws Refusal for a wallet id of nobody */
export function namedCustomer(processor: PaymentProcessor, walletId: string | undefined): Customer | undefined {
  const named = processor.customer(walletId ?? null);
  if (walletId !== undefined && !named) {
    const known = processor.customers.map((customer) => customer.walletId).join(', ');
    throw new Refusal(404, 'UNKNOWN_CUSTOMER', `customer: one of ${known}.`, 'customer');
  }
  return named;
}

/** @throws Refusal for a wallet id of nobody */
export function payer(processor: PaymentProcessor, transaction: Transaction, walletId?: string): Customer {
  const named = namedCustomer(processor, walletId);
  const customer = named ?? processor.customer(walletIn(transaction)) ?? processor.customers[0];
  if (!customer) throw new Error('the wallet has no customers');
  return customer;
}

export function findTransaction(processor: PaymentProcessor, orderId: string): Transaction {
  const transaction = processor.transaction(orderId);
  if (!transaction) throw new Refusal(404, 'UNKNOWN_ORDER', 'There is no transaction with this orderId.', 'orderId');
  return transaction;
}

/** No control has this address, or not with this method. @throws Refusal */
export function refuseControl(c: Context, routes: readonly RouterRoute[]): never {
  const controls = routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/_sandbox/'));
  const here = controls.filter(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(c.req.path));
  const methods = new Set(here.map(({ method }) => method));
  if (methods.size > 0) throw new Refusal(405, 'METHOD_NOT_ALLOWED', `It takes ${[...methods].join(' and ')}.`);
  const all = [...new Set(controls.map(({ method, path }) => `${method} ${path}`))].join(', ');
  throw new Refusal(404, 'NOT_FOUND', `There are: ${all}.`);
}

/** An empty body counts as `{}`. @throws Refusal */
export async function read<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const source = await c.req.text();
  let body: unknown;
  try {
    body = source === '' ? {} : JSON.parse(source);
  } catch {
    throw new Refusal(400, 'MALFORMED_JSON', 'The body is not JSON.');
  }
  return checked(schema, body, 'INVALID_REQUEST');
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Amounts are decimal text, times ISO 8601. */
function view(transaction: Transaction, { requestLog, ipns }: ControlOptions): object {
  const { minor: _, createdAt, updatedAt, history, ...rest } = transaction;
  const checkout = isPayment(transaction) ? transaction.checkout : null;
  return {
    ...rest,
    ...(checkout ? { checkout: { ...checkout, expiresAt: iso(checkout.expiresAt) } } : {}),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    history: history.map((entry) => ({ ...entry, at: iso(entry.at) })),
    createRequests: requestLog.requestsFor(transaction.orderId),
    ipns: ipns.about(transaction).map(({ state, attempts }) => ({
      state,
      attempts: attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })),
    })),
  };
}
