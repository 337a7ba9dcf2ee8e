// What the gateway's tests share: the adapter that the contract runs on, the script of its gateway, and common calls.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Collection, Gateway, Operation, PayoutOrder } from '../../../backend-proxy/gateway/gateway.ts';
import type { GatewayType } from '../../../backend-proxy/protocol/transaction.ts';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';

/** What an accepting answer says. `qr`: the text of the code, before it is encoded. */
export interface Offer {
  transactionId: string;
  paymentId: string | null;
  method?: Method;
  checkoutUrl?: string;
  qr?: string;
  appUrl?: string;
}

/** What a report or an IPN says. `unlisted`: a status that the gateway has never documented. */
export interface Reported {
  transactionId: string;
  type: GatewayType;
  paymentId?: string;
  customer?: string;
  amount?: string;
  currency?: string;
  outcome?: 'pending' | 'succeeded' | 'failed' | 'unlisted';
}

export const BREAKS = ['cut', 'half', 'silence', 'drip', 'flood'] as const;
export type Break = (typeof BREAKS)[number];

/** Each sets the answer to every further call. */
export interface Says {
  accepted(offer: Offer): void;
  reported(report: Reported): void;
  /** The gateway's own refusal, with a code of its own. */
  refused(code: string): void;
  duplicate(): void;
  /** The refusal of a firewall or framework before the gateway. */
  foreign(): void;
  unknown(isNoSuchOrder: boolean): void;
  failing(retryAfterMs?: number): void;
  redirect(): void;
  garbage(): void;
  nothing(because: Break): void;
}

/** A call as the gateway has read it. */
export interface Arrived {
  operation: Operation;
  transactionId: string;
  /** Digits as they were sent. */
  amount?: string;
  currency?: string;
  method?: string;
  type?: GatewayType;
}

export interface ScriptedGateway {
  gateway: Gateway;
  says: Says;
  arrived(): Arrived[];
  ipn(report: Reported): string;
  /** Ends each connection and refuses new ones. */
  stop(): Promise<void>;
}

export interface Opening {
  checkoutHosts?: string[];
  /** The limit of a whole call. */
  timeoutMs?: number;
  /** Without a status check. */
  isWeaker?: boolean;
}

export interface Adapter {
  name: string;
  /** Closed when the test ends. */
  open(t: TestContext, opening?: Opening): Promise<ScriptedGateway>;
}

export const COLLECTION: Collection = {
  transactionId: 'A-1',
  method: 'CHECKOUT',
  amountMinor: 1010,
  currency: 'EUR',
  returnUrl: 'https://shop.example/thanks',
  customer: '12345678',
  customerReference: 'C-1',
  language: 'en',
};
export const PAYOUT: PayoutOrder = {
  transactionId: 'P-1',
  amountMinor: 5000,
  currency: 'EUR',
  customer: '12345678',
  note: 'Thank you',
};

export async function statusOf(gateway: Gateway, id = 'A-1', type: GatewayType = 'PAY') {
  assert.ok(gateway.status);
  return gateway.status(id, type);
}
