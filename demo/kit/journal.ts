// Every request and answer of the sandbox, the proxy and the receiver, in order: a failed test attaches it. Kept in
// memory, the newest of them.
export type Side = 'proxy' | 'gateway' | 'receiver';

export interface Entry {
  /** ISO 8601, of the test world's clock. */
  at: string;
  /** Who was asked. */
  to: Side;
  method: string;
  path: string;
  body: string;
  /** Null while it is unanswered, as a stream is until it ends. */
  status: number | null;
  answer: string;
}

const MAX_ENTRIES = 1_000;
const MAX_BODY = 16_384;

export class Journal {
  #entries: Entry[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  clear(): void {
    this.#entries = [];
  }

  /** Keeps the request and its answer; of a stream the head alone. */
  async record(
    to: Side,
    request: Request,
    answer: (request: Request) => Response | Promise<Response>,
  ): Promise<Response> {
    const { method, url, headers } = request;
    const { pathname, search } = new URL(url);
    const hasBody = method === 'POST' || method === 'DELETE';
    const body = hasBody ? await request.text() : '';
    const entry: Entry = {
      at: new Date(this.#now()).toISOString(),
      to,
      method,
      path: pathname + search,
      body: body.slice(0, MAX_BODY),
      status: null,
      answer: '',
    };
    this.#entries.push(entry);
    this.#entries.splice(0, Math.max(0, this.#entries.length - MAX_ENTRIES));
    const response = await answer(hasBody ? new Request(url, { method, headers, body }) : request);
    entry.status = response.status;
    if (/json|text\/plain/.test(response.headers.get('content-type') ?? '')) {
      entry.answer = (await response.clone().text()).slice(0, MAX_BODY);
    }
    return response;
  }
}
