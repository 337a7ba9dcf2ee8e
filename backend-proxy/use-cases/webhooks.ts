// Sends webhooks for settled transactions, signed by the Standard Webhooks scheme, until the merchant's server
// answers 2xx. The ledger writes the rows together with the facts.
// At least once: a crash can duplicate a delivery but never lose it; `webhook-id` is the same for each attempt.
import { Webhook as Signer } from 'standardwebhooks';
import { Agent, request, type Dispatcher } from 'undici';
import type { Ledger } from '../ledger/ledger.ts';
import type { Delivery, Webhook } from '../ledger/model.ts';
import { runAs } from '../observability/log.ts';
import { HOUR_MS as H, MINUTE_MS as M, SECOND_MS as S } from '../protocol/durations.ts';
import { codeOf, retryAfterMs } from '../received.ts';
import { LEASE_MS, createWorker, type Worker } from './worker.ts';

export interface WebhookTarget {
  url: string;
  /** `whsec_…`; each of them signs, so that a secret can be rotated without a gap. */
  secrets: readonly string[];
}

/**
 * The wait before each retry; the first attempt is immediate. After the last, the webhook is dead: listed, and
 * redelivered on request.
 */
export const RETRY_AFTER_MS = [5 * S, 5 * M, 30 * M, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H];
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 24 * H;
const TIMEOUT_MS = 15 * S;
const CONNECT_MS = 5 * S;
const AT_ONCE = 16;
/** For retries, and for what another process has queued and not sent. */
const POLL_EVERY_MS = 2 * S;

interface Options {
  ledger: Ledger;
  target: WebhookTarget;
  now?: () => number;
  signedAt?: (() => number) | undefined;
  random?: (() => number) | undefined;
  dispatcher?: Dispatcher | undefined;
  /** A monotonic clock, ms. */
  elapsed?: (() => number) | undefined;
  /** Called when an attempt is recorded; `ms` is how long it took. */
  onAttempt?(webhook: Webhook, delivery: Delivery, ms: number): void;
}

export function createWebhookSender(options: Options, onError: (error: unknown) => void): Worker {
  const { ledger, target, now = Date.now, random = Math.random, signedAt = now, onAttempt = () => undefined } = options;
  const dispatcher = options.dispatcher ?? new Agent({ connect: { timeout: CONNECT_MS } });
  const signers = target.secrets.map((secret) => new Signer(secret));

  async function deliver(webhook: Webhook): Promise<void> {
    const headers = sign(webhook, signers, signedAt());
    const startedAt = performance.now();
    const answer = await post(webhook, target.url, headers, dispatcher);
    const ms = Math.round(performance.now() - startedAt);
    const delivery = deliveryOf(webhook.attempts, answer, now(), random);
    if (await ledger.recordDelivery(webhook, delivery)) onAttempt(webhook, delivery, ms);
  }

  const handle = (webhook: Webhook): Promise<void> => {
    const { orderId, transactionId } = webhook;
    return runAs({ orderId, transactionId }, () => deliver(webhook));
  };

  return createWorker({
    claim: (most) => ledger.claimWebhooks(most, LEASE_MS),
    idOf: ({ id }) => id,
    prolong: (webhooks) => ledger.prolongWebhooks(webhooks, LEASE_MS),
    handle,
    atOnce: AT_ONCE,
    pollEveryMs: POLL_EVERY_MS,
    onError,
    elapsed: options.elapsed,
  });
}

/** Signature and timestamp are new for each attempt; the id and the body stay. */
export function sign(
  { id, body }: Pick<Webhook, 'id' | 'body'>,
  signers: readonly Signer[],
  nowMs: number,
): Record<string, string> {
  const at = new Date(nowMs);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'payment-widget',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, at, body)).join(' '),
  };
}

type Answer = { status: number; retryAfter: string | string[] | undefined } | { lost: string };

async function post(
  { body }: Webhook,
  url: string,
  headers: Record<string, string>,
  dispatcher: Dispatcher,
): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher });
    const { statusCode: status } = answer;
    const retryAfter = answer.headers['retry-after'];
    // Only the status matters, and the body may be endless.
    answer.body.on('error', () => undefined).destroy();
    return { status, retryAfter };
  } catch (error) {
    return { lost: codeOf(error) };
  }
}

/** `attempts` includes the attempt that just ended. */
export function deliveryOf(attempts: number, answer: Answer, nowMs: number, random: () => number): Delivery {
  const answerText = 'lost' in answer ? answer.lost : `HTTP ${answer.status}`;
  const status = 'lost' in answer ? 0 : answer.status;
  if (status >= 200 && status < 300) return { state: 'delivered', answer: answerText };
  const planned = RETRY_AFTER_MS[attempts - 1];
  if (status === 410 || planned === undefined) return { state: 'dead', answer: answerText };
  const jittered = planned * (1 + JITTER * (2 * random() - 1));
  const asked = 'lost' in answer ? 0 : (retryAfterMs(answer.retryAfter, nowMs, MAX_RETRY_AFTER_MS) ?? 0);
  return { state: 'pending', afterMs: Math.round(Math.max(jittered, asked)), answer: answerText };
}
