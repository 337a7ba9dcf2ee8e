// The wallet's customers and their money: three demo customers, each with a two-factor secret and a balance per
// currency. A balance is the sum of its movements, in whole minor units, and never below zero. payment-processor.ts
// decides when money moves.
import { Secret, TOTP } from 'otpauth';
import { formatMoney, toMinor } from './money.ts';

export interface Movement {
  at: number;
  kind: 'TOP_UP' | 'PAYMENT' | 'PAYOUT' | 'REFUND';
  /** Positive for money in, negative for money out. */
  minor: bigint;
  currency: string;
  /** The order, a note, or both; of money that comes from a merchant, also why. */
  about: string[];
  /** Of the transaction that moves it; a refund names its payment, too. */
  paymentId?: number;
  refunds?: number | undefined;
}

/** The same for all customers; the login page shows it. */
export const DEMO_PASSWORD = 'sandbox';
export const TOTP_PERIOD_MS = 30_000;

const PEOPLE = [
  ['12345678', 'Ada Keller', 'ada@example.com', { EUR: '2500.00', USD: '1800.00', GBP: '950.00' }],
  ['23456789', 'Bruno Costa', 'bruno@example.com', { EUR: '640.50', USD: '320.00', JPY: '120000' }],
  ['34567890', 'Chiyo Mori', 'chiyo@example.com', { EUR: '4.20', JPY: '900' }],
] as const;

export class Customer {
  readonly walletId: string;
  readonly name: string;
  readonly email: string;
  readonly movements: Movement[] = [];
  readonly #totp: TOTP;
  readonly #balances = new Map<string, bigint>();

  constructor(walletId: string, name: string, email: string) {
    this.walletId = walletId;
    this.name = name;
    this.email = email;
    // The same secret after each start, so that an authenticator app needs to be set up only once.
    const secret = Secret.fromUTF8(`sandbox-wallet-${walletId}`);
    this.#totp = new TOTP({ issuer: 'Sandbox Wallet', label: email, secret, period: TOTP_PERIOD_MS / 1000 });
  }

  /** As people read it. */
  get shownWalletId(): string {
    return this.walletId.replace(/(?=.{4}$)/, ' ');
  }

  get balances(): ReadonlyMap<string, bigint> {
    return this.#balances;
  }

  balance(currency: string): bigint {
    return this.#balances.get(currency) ?? 0n;
  }

  /** What the balance lacks for this payment. */
  missing({ minor, currency }: { minor: bigint; currency: string }): bigint {
    const left = this.balance(currency) - minor;
    return left < 0n ? -left : 0n;
  }

  /** What came back of a payment. */
  sentBack(paymentId: number): bigint {
    const back = this.movements.filter(({ refunds }) => refunds === paymentId);
    return back.reduce((sum, { minor }) => sum + minor, 0n);
  }

  move(movement: Movement): void {
    const after = this.balance(movement.currency) + movement.minor;
    if (after < 0n) {
      const missing = formatMoney(-after, movement.currency);
      throw new Error(`wallet ${this.walletId} lacks ${missing}: check balance() before moving money`);
    }
    this.movements.push(movement);
    this.#balances.set(movement.currency, after);
  }

  /** The six-digit security code at that time, ms since 1970. */
  code(now: number): string {
    return this.#totp.generate({ timestamp: now });
  }

  /** RFC 6238 with a tolerance of one step. A code may be used again, so that two demo payments need not wait 30 s. */
  accepts(code: string, now: number): boolean {
    return this.#totp.validate({ token: code, timestamp: now, window: 1 }) !== null;
  }
}

export function demoCustomers(now: number): Customer[] {
  return PEOPLE.map(([walletId, name, email, purse]) => {
    const customer = new Customer(walletId, name, email);
    for (const [currency, amount] of Object.entries(purse)) {
      const minor = toMinor(amount, currency) ?? 0n;
      customer.move({ at: now, kind: 'TOP_UP', minor, currency, about: ['Opening balance'] });
    }
    return customer;
  });
}
