// The requests of commands: to any server, to the merchant API with its key, and signed webhooks.
// They share one connection pool; no redirect is followed, every wait and every answer is limited, and an error is an
// answer too.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook as Signer } from 'standardwebhooks';
import { Agent, request, type Dispatcher } from 'undici';
import { readSome, type Environment, merchantKeysOf } from '../config/config.ts';
import { isSafeWebUrl, isLoopbackName } from '../protocol/links.ts';
import { codeOf, readBody } from '../received.ts';
import { sign } from '../use-cases/webhooks.ts';
import { UsageError } from './report.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

interface Visit {
  status: number;
  headers: IncomingHttpHeaders;
  /** The bytes as sent: compressed if a content encoding says so. */
  body: Buffer;
}

/** No answer: the error's code, or its name. */
interface Lost {
  lost: string;
}

interface VisitOptions {
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string;
}

export interface Visitor {
  visit(url: string, options?: VisitOptions): Promise<Visit | Lost>;
  /** The answer's head; the caller reads the body. Throws if there is no answer. */
  open(url: string, options: VisitOptions & { signal: AbortSignal }): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

export function createVisitor(): Visitor {
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS }, pipelining: 1, headersTimeout: TIMEOUT_MS });
  return {
    async visit(url, { method = 'GET', ...options } = {}) {
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const answer = await request(url, { ...options, method, signal, dispatcher: agent });
        return { status: answer.statusCode, headers: answer.headers, body: await readBody(answer.body, MAX_BYTES) };
      } catch (error) {
        return { lost: codeOf(error) };
      }
    },
    open: (url, { method = 'GET', ...options }) => request(url, { ...options, method, dispatcher: agent }),
    close: () => agent.destroy(),
  };
}

/** `HTTP 404`, or why there was no answer. */
export function wordOf(answer: Visit | Lost): string {
  return 'lost' in answer ? answer.lost : `HTTP ${answer.status}`;
}

/** The parsed body; undefined if it is not a JSON object. */
export function jsonOf(answer: Visit | Lost): Record<string, unknown> | undefined {
  if ('lost' in answer) return undefined;
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

// Where the merchant API is that a command reads, and the key for it.

/** `given`: the option `--proxy`; without it the proxy of this environment. `which`: the proxy, for the operator. */
export function merchantApiOf(env: Environment, given: string | undefined, which: string) {
  const { PORT = 0, ...settings } = readSome(env, ['PORT', 'MERCHANT_API_KEY', 'MERCHANT_KEYS']);
  const usable = merchantKeysOf(settings).find(({ scopes }) => scopes.includes('read'));
  const url = URL.parse(given ?? `http://127.0.0.1:${PORT}`);
  if (url === null || !isSafeWebUrl(url)) throw new UsageError('--proxy is https, or http on loopback.');
  if (usable === undefined) {
    throw new Error(`A key is missing: MERCHANT_API_KEY, or one of MERCHANT_KEYS with the scope read, of ${which}.`);
  }
  return { proxy: url.href.replace(/\/$/, ''), key: usable.key };
}

// Where `listen` and `trigger` send webhooks: to a server on this machine only, signed as the proxy signs them.

export interface Target {
  /** Resolves with how it was answered: `HTTP 200`, `ECONNREFUSED`. */
  send(webhook: { id: string; body: string }): Promise<string>;
}

/** Without WEBHOOK_SECRET it generates a secret for this run, and prints it for the server on this machine. */
export function createTarget(
  to: string | undefined,
  { env, visitor, print }: { env: Environment; visitor: Visitor; print: (line: string) => void },
): Target {
  const url = to === undefined ? null : URL.parse(to);
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoopbackName(url.hostname)) {
    throw new UsageError('--to is a URL on this machine, such as http://127.0.0.1:3000/webhooks.');
  }
  const secrets = readSome(env, ['WEBHOOK_SECRET']).WEBHOOK_SECRET ?? [newSecret(print)];
  const signers = secrets.map((secret) => new Signer(secret));
  return {
    send: async (webhook) => {
      const headers = sign(webhook, signers, Date.now());
      return wordOf(await visitor.visit(url.href, { method: 'POST', headers, body: webhook.body }));
    },
  };
}

function newSecret(print: (line: string) => void): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  print(`WEBHOOK_SECRET is not set; this run signs with ${secret}`);
  return secret;
}
