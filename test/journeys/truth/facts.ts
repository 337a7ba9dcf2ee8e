// What is true about one order at one instant, from four records outside the product: the sandbox's (the payments and
// their changes), the gateway relay's (which starts reached it, and what the proxy received), the browser's (the page's
// requests and their answers) and the browser relay's (when the connection was cut). Pure: gathered once at the end of
// a journey, then evaluated for any instant.
import type { Method, Purpose } from '../../../backend-proxy/protocol/wire.ts';

export type Status = 'INITIALIZED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';

/** A payment as the sandbox has it. Times are ms since 1970. */
export interface Payment {
  id: string;
  asked: Method;
  method: Method;
  /** The content of the code, for JETGO and QR. */
  code: string | null;
  /** For CHECKOUT. */
  token: string | null;
  expiresAt: number | null;
  amount: number;
  /** The wallet that paid, once it has. */
  customer: string | null;
  /** When the shopper confirmed it; null if they did not. */
  confirmedAt: number | null;
  /** Oldest first; the first is its creation. */
  history: readonly { at: number; status: Status; message: string }[];
}

/** A payout of the sandbox that sends money of a payment back. */
export type Refund = Pick<Payment, 'id' | 'amount' | 'customer' | 'history'>;

/** What the shop has signed. */
export interface Terms {
  at: number;
  amount: number;
  merchant: string;
  purpose: Purpose;
}

/** A start on its way from the proxy to the gateway. */
export interface Start {
  id: string;
  asked: Method;
  at: number;
  /** When the proxy received the answer's end; null while it waits. */
  answeredAt: number | null;
  /** A documented yes or no, or `broken`, which leaves open what the gateway did. */
  answer: 'accepted' | 'refused' | 'broken' | null;
}

/** One request of the browser to the proxy. */
export interface PageRequest {
  at: number;
  isStart: boolean;
  /** Idempotency-Key of a start. */
  key: string | null;
  /** When its status reached the page; null while it has none. */
  answeredAt: number | null;
  endedAt: number | null;
  /** Null if there was none. */
  status: number | null;
  /** The code of a problem document. */
  problem: string | null;
}

/** Cut: connections end at once. Frozen: they stay open, and no bytes pass. */
export type Connection = 'up' | 'cut' | 'frozen';

export interface OrderRecords {
  /** Oldest first, like all lists here. */
  terms: readonly Terms[];
  payments: readonly Payment[];
  refunds: readonly Refund[];
  starts: readonly Start[];
  requests: readonly PageRequest[];
  connections: readonly { at: number; is: Connection }[];
  /** Of each stream to the page, the versions of its views in their order. */
  streams: readonly (readonly number[])[];
  /** When the proxy was told of a SUCCESS that does not agree with the order. */
  doubtedAt: number | null;
  /** When a person at the shop was about to decide on it. */
  decidedAt: number | null;
  /** When a person at the shop ended the payment; null if none did. */
  closedAt: number | null;
  /** When the shop closed the order; null if it did not. */
  orderClosedAt: number | null;
}

export interface Facts {
  at: number;
  terms: Terms | undefined;
  payments: (Pick<Payment, 'id' | 'asked' | 'method' | 'code' | 'token' | 'expiresAt' | 'amount' | 'customer'> & {
    status: Status;
    message: string;
  })[];
  refunds: (Pick<Refund, 'amount' | 'customer'> & { status: Status; since: number })[];
  starts: Start[];
  requests: PageRequest[];
  connection: { is: Connection; since: number };
  /** Sooner or later a payment succeeded that the shopper had not confirmed. */
  isConfirmedByOthers: boolean;
  /** A person at the shop has to decide whether the order is paid. */
  isDoubted: boolean;
  closedAt: number | null;
  isOrderClosed: boolean;
}

export function factsAt(records: OrderRecords, at: number): Facts {
  const { payments, refunds, starts, requests, connections, doubtedAt, decidedAt, closedAt, orderClosedAt } = records;
  const by = (time: number | null) => time !== null && time <= at;
  return {
    at,
    terms: records.terms.findLast((terms) => by(terms.at)),
    payments: payments.flatMap(({ history, ...payment }) => {
      const now = history.findLast((entry) => by(entry.at));
      return now ? [{ ...payment, status: now.status, message: now.message }] : [];
    }),
    refunds: refunds.flatMap(({ history, amount, customer }) => {
      const now = history.findLast((entry) => by(entry.at));
      return now ? [{ amount, customer, status: now.status, since: now.at }] : [];
    }),
    starts: starts
      .filter((start) => by(start.at))
      .map((start) => (by(start.answeredAt) ? start : { ...start, answeredAt: null, answer: null })),
    requests: requests
      .filter((request) => by(request.at))
      .map((request) => ({
        ...request,
        ...(!by(request.answeredAt) && { answeredAt: null, status: null, problem: null }),
        ...(!by(request.endedAt) && { endedAt: null }),
      })),
    connection: connections.map(({ is, at: since }) => ({ is, since })).findLast(({ since }) => by(since)) ?? {
      is: 'up',
      since: 0,
    },
    isConfirmedByOthers: payments.some(({ confirmedAt, history }) =>
      history.some((entry) => entry.status === 'SUCCESS' && entry.at < (confirmedAt ?? Infinity)),
    ),
    isDoubted: by(doubtedAt) && !by(decidedAt),
    closedAt: by(closedAt) ? closedAt : null,
    isOrderClosed: by(orderClosedAt),
  };
}

/** Every instant at which a fact changed, in order. */
export function changesOf(records: OrderRecords): number[] {
  const { payments, refunds, starts, requests, connections, doubtedAt, decidedAt, closedAt, orderClosedAt } = records;
  const times = [
    ...records.terms.map((terms) => terms.at),
    ...payments.flatMap(({ history, expiresAt }) => [...history.map(({ at }) => at), expiresAt]),
    ...refunds.flatMap(({ history }) => history.map(({ at }) => at)),
    ...starts.flatMap(({ at, answeredAt }) => [at, answeredAt]),
    ...requests.flatMap(({ at, answeredAt, endedAt }) => [at, answeredAt, endedAt]),
    ...connections.map(({ at }) => at),
    doubtedAt,
    decidedAt,
    closedAt,
    orderClosedAt,
  ];
  return [...new Set(times.filter((time) => time !== null))].toSorted((one, other) => one - other);
}
