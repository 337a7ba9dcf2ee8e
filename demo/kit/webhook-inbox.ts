// The receiver of the test world: every webhook of the proxy arrives here, is verified, kept, and passed on to the
// shop's own endpoint, if there is one, whose answer is then the proxy's.
import { verifyWebhook, type WebhookEvent } from '../../backend-proxy/client.ts';

export type ReceivedWebhook = WebhookEvent & { id: string };

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
    this.#answers.push(...Array.from({ length: times }, () => status));
  }

  /**
   * The oldest webhook of this type that it has not returned yet; waits for it.
   * @throws {Error} After five seconds; it says which ones came.
   */
  async next(type: WebhookEvent['type'], { orderId }: { orderId?: string } = {}): Promise<ReceivedWebhook> {
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
    const event = await verifyWebhook(body, request.headers, this.#secret);
    this.#keep({ ...event, id: request.headers.get('webhook-id') ?? '' });
    const answer = this.#answers.shift();
    if (answer !== undefined || this.#passOnTo === undefined) return new Response(null, { status: answer ?? 204 });
    const headers = Object.fromEntries([...request.headers].filter(([name]) => /^(webhook-|content-type)/.test(name)));
    const passedOn = await fetch(this.#passOnTo, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(PASS_ON_MS),
    }).catch(() => new Response(null, { status: 502 }));
    return new Response(null, { status: passedOn.status });
  }

  #keep(event: ReceivedWebhook): void {
    this.#received.push(event);
    const waiting = [...this.#waiting].find(({ matches }) => matches(event));
    if (waiting === undefined) this.#fresh.push(event);
    else waiting.resolve(event);
  }
}
