// The gateway's API for merchants: collections, payouts and status checks. Reads the request, calls the processor,
// writes the answer in the wire format, and applies the active faults to it. The method in use decides the answer: a
// DIRECT that falls back to the hosted checkout is answered as a CHECKOUT.
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import QRCode from 'qrcode';
import type { Clock } from './sandbox-clock.ts';
import { type AnswerFault, type Faults, tampered } from './faults.ts';
import { report } from './ipn.ts';
import { ANSWER, HTTP_STATUS } from './methods.ts';
import { Refusal } from './refusal.ts';
import type { RequestLog } from './request-log.ts';
import { parseBody, readCollection, readPayout, readStatus } from './requests.ts';
import { isSameSecret } from './constant-time.ts';
import type { Payment, Transaction } from './transaction.ts';
import type { PaymentProcessor } from './payment-processor.ts';

const LARGEST_BODY = 64 * 1024;

export interface ApiOptions {
  apiKey: string;
  processor: PaymentProcessor;
  faults: Faults;
  clock: Clock;
  requestLog: RequestLog;
  /** The URL at which browsers reach the sandbox, without a trailing slash. */
  baseUrl: (c: Context) => string;
}

type Operation = 'pay' | 'payout' | 'status';
type Body = Record<string, unknown>;
type Answer = { status: 200 | 202; body: object };
type Work = (
  processor: PaymentProcessor,
  body: Body,
  fault: AnswerFault,
  around: { baseUrl: string; now: number },
) => Answer | Promise<Answer>;
type NodeContext = Context<{ Bindings: HttpBindings }>;

export function createApi(options: ApiOptions) {
  const api = new Hono<{ Bindings: HttpBindings }>();
  for (const operation of ['pay', 'payout', 'status'] as const) {
    api.post(`/${operation}`, (c) => handle(c, operation, options));
    api.all(`/${operation}`, () => {
      throw new Refusal(405, 'METHOD_NOT_ALLOWED', 'All operations are POST.');
    });
  }
  return api;
}

async function handle(c: NodeContext, operation: Operation, options: ApiOptions): Promise<Response> {
  const { processor, faults, clock, requestLog } = options;
  let orderId: string | null = null;
  try {
    checkHeaders(c, options.apiKey);
    const body = parseBody(await readText(c));
    orderId = typeof body['orderId'] === 'string' ? body['orderId'] : null;
    if (operation !== 'status') requestLog.received(orderId);
    const fault: AnswerFault = faults.take(operation, orderId) ?? {};
    return await answer(c, fault, clock, async () => {
      const done = await WORK[operation](processor, body, fault, { baseUrl: options.baseUrl(c), now: clock.now() });
      const isLost = fault.dropAnswer ?? fault.halfAnswer;
      if (isLost && operation === 'pay') requestLog.answerLost(String(orderId));
      if (fault.tamper === undefined) return done;
      requestLog.answeredFalsely(String(orderId), fault.tamper);
      return { ...done, body: tampered(done.body, fault.tamper) };
    });
  } catch (error) {
    if (error instanceof Refusal) requestLog.refused(operation, orderId, error.status, error.code, error.message);
    throw error;
  }
}

const WORK: Record<Operation, Work> = {
  async pay(processor, body, fault, { baseUrl }) {
    const payment = processor.collect(readCollection(body));
    return { status: HTTP_STATUS[ANSWER[payment.method]], body: await answerTo(payment, fault, baseUrl) };
  },
  payout(processor, body, fault) {
    const { paymentId, orderId } = processor.payOut(readPayout(body), fault.hold);
    return { status: 202, body: { paymentId, orderId } };
  },
  status(processor, body, { lagMs = 0 }, { now }) {
    const { orderId, type } = readStatus(body);
    const transaction = asOf(now - lagMs, processor.transaction(orderId));
    if (transaction?.type !== type) throw new Refusal(404, 'UNKNOWN_ORDER', `There is no such ${type}.`, 'orderId');
    return { status: 200, body: report(transaction) };
  },
};

/** The transaction as it was at that time; undefined if it did not exist yet. */
function asOf(at: number, transaction: Transaction | undefined): Transaction | undefined {
  const past = transaction?.history.findLast((entry) => entry.at <= at);
  return transaction && past && { ...transaction, status: past.status, message: past.message };
}

async function answerTo(payment: Payment, fault: AnswerFault, baseUrl: string): Promise<object> {
  const { paymentId, orderId, method, checkout, code } = payment;
  const common = { paymentId, orderId, method };
  if (checkout) return { ...common, checkout: `${baseUrl}/pay?token=${checkout.token}`, qr: null };
  if (code === null) return { ...common, checkout: null, qr: null };
  const scanUrl = `${baseUrl}/wallet/scan?code=${code}`;
  const qr = (await drawCode(scanUrl, fault.qr)).toString('base64');
  return { ...common, checkout: null, qr, appPaymentLink: `${baseUrl}/wallet/open?code=${code}` };
}

async function drawCode(text: string, as: AnswerFault['qr'] = 'text'): Promise<Buffer> {
  switch (as) {
    case 'text':
      return Buffer.from(text);
    case 'png':
      return QRCode.toBuffer(text, { type: 'png' });
    case 'svg':
      return Buffer.from(await QRCode.toString(text, { type: 'svg' }));
    default:
      return as satisfies never;
  }
}

function checkHeaders(c: Context, apiKey: string): void {
  if (!isSameSecret(c.req.header('x-api-key') ?? '', apiKey)) {
    throw new Refusal(401, 'INVALID_API_KEY', 'The header X-API-KEY is missing or wrong.');
  }
  const [mediaType = ''] = (c.req.header('content-type') ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') {
    throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'The header Content-Type must be application/json.');
  }
}

async function readText(c: Context): Promise<string> {
  const tooLarge = new Refusal(413, 'BODY_TOO_LARGE', `The body is larger than ${LARGEST_BODY} bytes.`);
  if (Number(c.req.header('content-length') ?? 0) > LARGEST_BODY) throw tooLarge;
  const source = await c.req.text();
  if (source.length > LARGEST_BODY) throw tooLarge;
  return source;
}

async function answer(c: NodeContext, fault: AnswerFault, clock: Clock, work: () => Answer | Promise<Answer>) {
  const outcome = fault.status === undefined ? await doWork(work) : null;
  if (fault.delayMs !== undefined) await clock.sleep(fault.delayMs);
  if (!outcome) {
    const body = { code: 'SANDBOX_FAULT', message: 'A sandbox fault is active.', errors: [] };
    return send(fault.status ?? 500, body);
  }
  if (fault.dropAnswer) return cut(c);
  if (fault.halfAnswer) return cut(c, { status: outcome.status, text: JSON.stringify(outcome.body) });
  if (fault.garbage) return c.html('<!doctype html><title>Gateway</title><h1>It works!</h1>');
  if (outcome.refusal && fault.refusalStatus !== undefined) return send(fault.refusalStatus, outcome.body);
  return outcome.refusal ? Promise.reject(outcome.refusal) : send(outcome.status, outcome.body);
}

/** Returns a refusal like any other outcome, because its answer can be lost or halved too. */
async function doWork(work: () => Answer | Promise<Answer>) {
  try {
    return { ...(await work()), refusal: null };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body, refusal: error };
    throw error;
  }
}

function send(status: number, body: object): Response {
  const mayHaveBody = ![204, 205, 304].includes(status);
  const headers = { 'content-type': 'application/json' };
  return new Response(mayHaveBody ? JSON.stringify(body) : null, { status, headers });
}

/** Closes the connection at once, or after the headers and half of the body. */
function cut(c: NodeContext, half?: { status: number; text: string }): Response {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('only a real server can close a connection: serve the app with @hono/node-server');
  if (half) {
    const bytes = Buffer.from(half.text);
    outgoing.writeHead(half.status, { 'content-type': 'application/json', 'content-length': bytes.length });
    outgoing.write(bytes.subarray(0, bytes.length >>> 1), () => outgoing.destroy());
  } else {
    outgoing.destroy();
  }
  return RESPONSE_ALREADY_SENT;
}
