// The gateway's API for merchants: collections, payouts and status checks. Reads the request, calls the processor,
// writes the answer in the wire format, applies the active faults to it, and logs both. The method in use decides the
// answer: a DIRECT that falls back to the hosted checkout is answered as a CHECKOUT.
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
const FAULT_BODY = { code: 'SANDBOX_FAULT', message: 'A sandbox fault is active.', errors: [] };
const GARBAGE = '<!doctype html><title>Gateway</title><h1>It works!</h1>';
const HTML = 'text/html; charset=utf-8';

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
type Answer = { status: number; body: object };
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
    api.all(`/${operation}`, (c) => handle(c, operation, options));
  }
  return api;
}

async function handle(c: NodeContext, operation: Operation, options: ApiOptions): Promise<Response> {
  const { processor, faults, clock, requestLog } = options;
  const request = { operation, orderId: null as string | null, body: '' };
  let fault: AnswerFault = {};
  const outcome = await outcomeOf(async () => {
    checkHeaders(c, options.apiKey);
    request.body = await readText(c);
    const body = parseBody(request.body);
    const orderId = typeof body['orderId'] === 'string' ? body['orderId'] : null;
    request.orderId = orderId;
    if (operation !== 'status') requestLog.received(orderId);
    fault = faults.take(operation, orderId) ?? {};
    if (fault.status !== undefined) return { status: fault.status, body: FAULT_BODY };
    const done = await WORK[operation](processor, body, fault, { baseUrl: options.baseUrl(c), now: clock.now() });
    const isLost = fault.dropAnswer ?? fault.halfAnswer;
    if (isLost && operation === 'pay') requestLog.answerLost(String(orderId));
    if (fault.tamper === undefined) return done;
    requestLog.answeredFalsely(String(orderId), fault.tamper);
    return { ...done, body: tampered(done.body, fault.tamper) };
  });
  if (fault.delayMs !== undefined) await clock.sleep(fault.delayMs);
  const sent = underFault(fault, outcome);
  requestLog.answered({ ...request, status: sent.status, answer: sent.text, message: sent.message });
  return send(c, sent);
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
    if (transaction?.type !== type)
      throw new Refusal(404, 'UNKNOWN_ORDER', 'There is no transaction with this orderId and type.', 'orderId');
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
  if (c.req.method !== 'POST') throw new Refusal(405, 'METHOD_NOT_ALLOWED', 'All operations are POST.');
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

/** Returns a refusal like any other outcome, because its answer can be lost or halved too. */
async function outcomeOf(work: () => Promise<Answer>): Promise<Answer & { isRefusal?: true }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body, isRefusal: true };
    throw error;
  }
}

/** `status`: null if none is sent. `message`: as in `Exchange`. */
interface Sent {
  status: number | null;
  text: string;
  message: string;
  /** Of the whole text, if only its first half is sent. */
  length?: number;
  type?: string;
}

function underFault(fault: AnswerFault, { status, body, isRefusal }: Answer & { isRefusal?: true }): Sent {
  const text = JSON.stringify(body);
  if (fault.dropAnswer) return { status: null, text: '', message: 'A fault lost the answer.' };
  if (fault.halfAnswer) {
    const half = text.slice(0, text.length >>> 1);
    return { status, text: half, message: 'A fault cut the answer off.', length: Buffer.byteLength(text) };
  }
  if (fault.garbage) return { status: 200, text: GARBAGE, message: 'A fault put HTML in its place.', type: HTML };
  if (isRefusal && fault.refusalStatus !== undefined) status = fault.refusalStatus;
  if (fault.tamper && !isRefusal) return { status, text, message: 'A fault changed the answer.' };
  const { message, method = 'Accepted' }: { message?: string; method?: string } = body;
  return { status, text, message: message ?? method };
}

function send(c: NodeContext, { status, text, length, type = 'application/json' }: Sent): Response {
  if (status === null || length !== undefined) return cut(c, status, text, length);
  const mayHaveBody = ![204, 205, 304].includes(status);
  return new Response(mayHaveBody ? text : null, { status, headers: { 'content-type': type } });
}

/** Closes the connection at once, or after the headers and what is sent of the body. */
function cut(c: NodeContext, status: number | null, text: string, length = 0): Response {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('only a real server can close a connection: serve the app with @hono/node-server');
  if (status === null) {
    outgoing.destroy();
  } else {
    outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
    outgoing.write(text, () => outgoing.destroy());
  }
  return RESPONSE_ALREADY_SENT;
}
