// Calls the payment proxy's merchant API with the merchant's key, server to server, with a time limit. A call has one
// of three outcomes: an answer, null for 404, or an error whose `kind` says whether the proxy refused it (a person
// must change something) or could not be reached (the same call may be repeated).

export type Method = 'DIRECT' | 'CHECKOUT' | 'JETGO' | 'QR';
export type Status = 'INITIALIZED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';

interface Settling {
  orderId: string;
  /** Decimal string. */
  amount: string;
  currency: string;
  /** The wallet that was asked; of a payout the receiver. */
  customer: string | null;
  status: Status;
  reason: string | null;
  needsReview: boolean;
  createdAt: string;
}

export interface Payment extends Settling {
  type: 'PAY';
  /** Unique among the payments of the order. */
  gatewayOrderId: string;
  /** A newer proxy may have others. */
  method: Method | (string & {}) | null;
  /** The wallet that paid, as the gateway reports it. */
  payer: string | null;
  /** The order was already paid. */
  surplus: boolean;
  /** The order was closed before. */
  afterClose: boolean;
}

export interface Payout extends Settling {
  type: 'PAYOUT';
  note: string | null;
}

/** Money of a payment that goes back to the wallet that paid. */
export interface Refund extends Settling {
  type: 'REFUND';
  gatewayOrderId: string;
  /** The payment's `gatewayOrderId`. */
  refundOf: string;
  note: string | null;
}

export type Transaction = Payment | Payout | Refund;

export function isPayment(transaction: Transaction): transaction is Payment {
  return transaction.type === 'PAY';
}

export function isRefund(transaction: Transaction): transaction is Refund {
  return transaction.type === 'REFUND';
}

export interface OrderReport {
  orderId: string;
  paid: boolean;
  closed: boolean;
  payments: Payment[];
  refunds: Refund[];
}

export interface NewRefund {
  /** The payment's. */
  gatewayOrderId: string;
  amount: number;
  note?: string;
}

export interface NewPayout {
  orderId: string;
  amount: number;
  currency: string;
  customer: string;
  note?: string;
}

/** The proxy's error format (RFC 9457). */
interface Problem {
  detail: string;
  retryable: boolean;
  errors: { field: string; detail: string }[];
}

export class ProxyError extends Error {
  readonly kind: 'refused' | 'unreachable';

  constructor(kind: 'refused' | 'unreachable', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

interface TransactionPage {
  transactions: Transaction[];
  nextCursor: string | null;
}

const ANSWER_WITHIN_MS = 5_000;
const PAGE_SIZE = 100;
const PAGES_FOLLOWED = 10;

export class ProxyClient {
  readonly #url: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;

  constructor(url: string, key: string, fetcher: typeof fetch = fetch) {
    this.#url = url;
    this.#key = key;
    this.#fetch = fetcher;
  }

  order(orderId: string): Promise<OrderReport | null> {
    return this.#call('GET', `/orders/${encodeURIComponent(orderId)}`);
  }

  /** Safe to repeat with the same `orderId`: the proxy sends a payout once and answers a repeat with the stored one. */
  sendPayout(payout: NewPayout): Promise<Payout | null> {
    return this.#call('POST', '/payouts', payout);
  }

  /** Safe to repeat with the same key: the proxy sends one refund for each. */
  refund(orderId: string, refund: NewRefund, key: string): Promise<Refund | null> {
    return this.#call('POST', `/orders/${encodeURIComponent(orderId)}/refunds`, refund, { 'idempotency-key': key });
  }

  /** Those created since then, newest first, at most 1,000. */
  async transactions(from: Date): Promise<Transaction[]> {
    const found: Transaction[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < PAGES_FOLLOWED; pages++) {
      const query = new URLSearchParams({
        from: from.toISOString(),
        sort: '-createdAt',
        limit: String(PAGE_SIZE),
        ...(cursor && { cursor }),
      });
      const page = await this.#call<TransactionPage>('GET', `/transactions?${query.toString()}`);
      found.push(...(page?.transactions ?? []));
      cursor = page?.nextCursor ?? null;
      if (cursor === null) break;
    }
    return found;
  }

  async #call<Answer>(method: string, path: string, body?: object, headers: object = {}): Promise<Answer | null> {
    const response = await this.#fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch((cause: unknown) => {
      throw new ProxyError('unreachable', 'The payment proxy could not be reached.', { cause });
    });
    if (method === 'GET' && response.status === 404) return null;
    if (!response.ok) throw await errorOf(response);
    const answer: Answer = await response.json();
    return answer;
  }
}

async function errorOf(response: Response): Promise<ProxyError> {
  const problem: Partial<Problem> = await response.json().catch(() => ({}));
  const fields = problem.errors?.map(({ field, detail }) => `${field}: ${detail}`).join(' ');
  const message = fields || problem.detail || `The payment proxy answered ${response.status}.`;
  return new ProxyError(problem.retryable || response.status >= 500 ? 'unreachable' : 'refused', message);
}
