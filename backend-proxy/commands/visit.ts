// Requests of the commands: one connection pool, no redirect followed, every wait and every answer limited. An error
// is an answer too.
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request, type Dispatcher } from 'undici';
import { codeOf, readBody } from '../received.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

export interface Visit {
  status: number;
  headers: IncomingHttpHeaders;
  /** The bytes as sent: compressed if a content encoding says so. */
  body: Buffer;
}

/** No answer: the error's code, or its name. */
export interface Lost {
  lost: string;
}

export interface VisitOptions {
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
