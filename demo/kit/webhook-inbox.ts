// The receiver of the test world: every webhook of the proxy arrives here, is verified, kept, and passed on to the
// shop's own endpoint, if there is one, whose answer is then the proxy's.
import { verifyWebhook, type WebhookEvent } from '../../backend-proxy/client.ts';
import { WEBHOOKS } from '../../backend-proxy/protocol/merchant-view.ts';

/** The event, and what it came as: a test verifies the signature over `body`. */
export type ReceivedWebhook = WebhookEvent & { id: string; headers: Record<string, string>; body: string };

/** How long `next` waits for one that does not come. */
const WAIT_MS = 5_000;
const PASS_ON_MS = 15_000;

interface Waiting {
  matches: (event: ReceivedWebhook) => boolean;
  resolve: (event: ReceivedWebhook) => void;
}

export class WebhookInbox {
  readonly #secret: string;
  readonly #passOnTo: string | undefined;
  readonly #answers: number[] = [];
  #hasSaid = false;
  #received: ReceivedWebhook[] = [];
  /** Those that `next` has not returned yet. */
  #fresh: ReceivedWebhook[] = [];
  readonly #waiting = new Set<Waiting>();

  constructor(secret: string, passOnTo?: string) {
    this.#secret = secret;
    this.#passOnTo = passOnTo;
  }

  /** Oldest first; one that was sent twice is here twice, with one `id`. */
  get all(): readonly ReceivedWebhook[] {
    return this.#received;
  }

  /** The next `times` webhooks are answered with this status and go no further. */
  answer(status: number, { times = 1 }: { times?: number } = {}): void {
    if (!(Number.isInteger(status) && status >= 200 && status <= 599)) throw new Error('An HTTP status, 200 to 599.');
    this.#answers.push(...Array.from({ length: times }, () => status));
  }

  /**
   * The oldest webhook of this type that it has not returned yet; waits for it, and for the answer of the shop.
   * @throws {Error} After five seconds; it says which ones came. For an unknown type.
   */
  async next(type: WebhookEvent['type'], { orderId }: { orderId?: string } = {}): Promise<ReceivedWebhook> {
    if (!Object.hasOwn(WEBHOOKS, type))
      throw new Error(`There is no webhook '${type}': ${Object.keys(WEBHOOKS).join(', ')}.`);
    const matches = (event: ReceivedWebhook) =>
      event.type === type && (orderId === undefined || event.data.orderId === orderId);
    const found = this.#fresh.find(matches);
    if (found !== undefined) {
      this.#fresh = this.#fresh.filter((event) => event !== found);
      return found;
    }
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedWebhook>();
    const waiting = { matches, resolve };
    this.#waiting.add(waiting);
    const limit = setTimeout(() => {
      const came = this.#received.map((event) => `${event.type} of ${event.data.orderId}`).join(', ') || 'none';
      reject(
        new Error(`No webhook ${type}${orderId ? ` of ${orderId}` : ''} within ${WAIT_MS / 1000} s. Came: ${came}.`),
      );
    }, WAIT_MS);
    return promise.finally(() => {
      clearTimeout(limit);
      this.#waiting.delete(waiting);
    });
  }

  clear(): void {
    this.#received = [];
    this.#fresh = [];
    this.#answers.length = 0;
  }

  async receive(request: Request): Promise<Response> {
    const body = await request.text();
    const verified = await verifyWebhook(body, request.headers, this.#secret);
    const headers = Object.fromEntries([...request.headers].filter(([name]) => /^(webhook-|content-type)/.test(name)));
    const event = { ...verified, id: headers['webhook-id'] ?? '', headers, body };
    this.#received.push(event);
    const answer = this.#answers.shift();
    const response = answer === undefined ? await this.#passOn(headers, body) : new Response(null, { status: answer });
    const waiting = [...this.#waiting].find(({ matches }) => matches(event));
    if (waiting === undefined) this.#fresh.push(event);
    else waiting.resolve(event);
    return response;
  }

  /** Resolves with the shop's answer. */
  async #passOn(headers: Record<string, string>, body: string): Promise<Response> {
    if (this.#passOnTo === undefined) return new Response(null, { status: 204 });
    return fetch(this.#passOnTo, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(PASS_ON_MS),
    }).then(
      ({ status }) => new Response(null, { status }),
      (error: Error) => new Response(this.#whyNot(error), { status: 502 }),
    );
  }

  /** Said once on standard error too, because the shop's test sees only that nothing comes. */
  #whyNot({ name, cause }: Error): string {
    const { code = name } = Object(cause) as { code?: string };
    const why = `${code === 'ECONNREFUSED' ? 'Nothing listens at' : 'No answer from'} ${this.#passOnTo} (${code}).`;
    if (!this.#hasSaid) console.error(`payment-sandbox: ${why}`);
    this.#hasSaid = true;
    return why;
  }
}
