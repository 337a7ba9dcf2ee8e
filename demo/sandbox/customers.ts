// The wallet's customers and their money. Three people who exist from the start, each with a password, a two-factor
// secret and a purse per currency. Owns the only rule about balances: a balance is the sum of its movements, in whole
// minor units, and never below zero. Does not know why money moves: that is payment-processor.ts.
import { Secret, TOTP } from 'otpauth';
import { formatMoney, toMinor } from './money.ts';

export interface Movement {
  at: number;
  kind: 'TOP_UP' | 'PAYMENT' | 'PAYOUT';
  /** Above zero: came in. Below: went out. */
  minor: bigint;
  currency: string;
  orderId: string | null;
  note: string | null;
}

/** One password for all three: the login page prints it. */
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
    // A demo secret, the same after every start, so that a real authenticator app can be set up with it once.
    const secret = Secret.fromUTF8(`sandbox-wallet-${walletId}`);
    this.#totp = new TOTP({ issuer: 'Sandbox Wallet', label: email, secret, period: TOTP_PERIOD_MS / 1000 });
  }

  get balances(): ReadonlyMap<string, bigint> {
    return this.#balances;
  }

  balance(currency: string): bigint {
    return this.#balances.get(currency) ?? 0n;
  }

  move(movement: Movement): void {
    const after = this.balance(movement.currency) + movement.minor;
    if (after < 0n) {
      const missing = formatMoney(-after, movement.currency);
      throw new Error(`wallet ${this.walletId} lacks ${missing}: ask balance() before moving money`);
    }
    this.movements.push(movement);
    this.#balances.set(movement.currency, after);
  }

  /** The six digits that the customer's phone shows at that time. */
  code(now: number): string {
    return this.#totp.generate({ timestamp: now });
  }

  /** RFC 6238 with one step of tolerance either way. A code may be used again: demos follow quickly on one another. */
  accepts(code: string, now: number): boolean {
    return this.#totp.validate({ token: code.replaceAll(' ', ''), timestamp: now, window: 1 }) !== null;
  }
}

export function demoCustomers(now: number): Customer[] {
  return PEOPLE.map(([walletId, name, email, purse]) => {
    const customer = new Customer(walletId, name, email);
    for (const [currency, amount] of Object.entries(purse)) {
      const minor = toMinor(amount, currency) ?? 0n;
      customer.move({ at: now, kind: 'TOP_UP', minor, currency, orderId: null, note: 'Opening balance' });
    }
    return customer;
  });
}
