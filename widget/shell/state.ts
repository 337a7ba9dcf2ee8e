// The one mutable state of a widget, as data: what the proxy said last, what the shopper is doing, what the page wishes.
// Owns its shape and its beginning; flow/session.ts decides what it becomes.
import type { Method, OrderClaims, OrderView } from '../../backend-proxy/protocol/wire.ts';
import { claimedOrder, readClaims } from './order-token.ts';

/** What is wrong, as the shopper must know it. `code` is a problem's code, or `network`. */
export interface Trouble {
  code: string;
  retryable: boolean;
  requestId?: string | undefined;
  /** What the proxy said, in English, for developers. */
  detail?: string | undefined;
}

/** Fields that the shopper fills in, and why each is not accepted. */
export interface FieldErrors {
  amount?: 'amountWrong' | 'below' | 'above';
  /** An amount that would be accepted, as it is typed. */
  example?: string;
  customer?: 'walletWrong';
}

/** What the shopper is doing here. Everything else about the payment is in the order view. */
export type Stage =
  /** Looking at whatever the order view says. */
  | { at: 'following' }
  /** Back at the choice although there is a payment; or something about the last try is to be said there. */
  | { at: 'choosing'; trouble?: Trouble; errors?: FieldErrors }
  /**
   * A start was sent and has no answer yet; `slow`: for longer than most, or it had to be sent again. `anew`: in place of a payment
   * that ended or will not come, by this method.
   */
  | { at: 'sending'; slow: false | 'long' | 'again'; anew?: Method }
  /** Nothing can be done with this token. */
  | { at: 'stopped'; trouble: Trouble };

/** The one mutable state of a widget, replaced whole at each change. */
export interface SessionState {
  /** Null where the token cannot be read. */
  claims: OrderClaims | null;
  /** Latest view; at version -1 it is what the token claims, and nothing was heard yet. */
  order: OrderView;
  stage: Stage;
  /** Why no further payment can be started with this token, though what is open can still be paid; null where one can. */
  closed: Trouble | null;
  /** This page started a payment before it was loaded anew. */
  resuming: boolean;
  /** Neither the stream nor a poll gets through. */
  lost: boolean;
  /** The code's text that the shopper copied. */
  copied: string | null;
  /** The link into the app that the shopper pressed. */
  pressed: string | null;
  /** What the shopper chose and typed, as typed. */
  draft: { method: Method | null; amount: string | null; customer: string };
  /** The page's wishes: which methods, in which order, and the one chosen at first. */
  wishes: { methods: string[] | null; method: string | null };
  /** The proxy's clock minus ours, measured at the latest view. */
  skewMs: number;
}

export const FOLLOWING: Stage = { at: 'following' };

export const BLANK: SessionState = {
  claims: null,
  order: claimedOrder({}),
  stage: FOLLOWING,
  closed: null,
  resuming: false,
  lost: false,
  copied: null,
  pressed: null,
  draft: { method: null, amount: null, customer: '' },
  wishes: { methods: null, method: null },
  skewMs: 0,
};

/** The state for a token. A newer token of the same order changes nothing of what is known about it. */
export function stateFor(token: string, before: SessionState, isStarted: (orderId: string) => boolean): SessionState {
  const claims = readClaims(token);
  const { wishes, order } = before;
  const isSame = claims?.orderId === order.orderId;
  return {
    ...(isSame ? before : BLANK),
    wishes,
    claims,
    order: isSame && order.version >= 0 ? order : claimedOrder(claims ?? {}),
    stage: FOLLOWING,
    closed: null,
    resuming: isStarted(claims?.orderId ?? ''),
  };
}
