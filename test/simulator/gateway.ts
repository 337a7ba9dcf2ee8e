// The gateway's own account book: what it was asked to collect or to send, whose money moved, and what it tells about
// that. The truth that the invariants compare the proxies with; how its answers are spoiled on the way is in wire.ts.
import { TYPES, type TransactionType } from '../../backend-proxy/protocol/transaction.ts';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import type { Agenda } from './agenda.ts';

export type Status = 'PROCESSING' | 'SUCCESS' | 'FAILED';
export type Fields = Record<string, unknown>;

export interface Entry {
  id: string;
  type: TransactionType;
  paymentId: number;
  amount: number;
  method: Method | null;
  /** Prompted, or to receive. */
  wallet: string | null;
  /** Made by a POST of our proxies, and not by another shop on the same account. */
  isOurs: boolean;
  payer: string | null;
  /** Oldest first; never empty. */
  changes: { at: number; status: Status }[];
  /** When the call that made it left its process, if that is ours. */
  sentAt?: number;
}

interface NewEntry extends Pick<Entry, 'id' | 'type' | 'amount' | 'method' | 'wallet' | 'isOurs' | 'sentAt'> {
  status?: Status;
  payer?: string;
}

export class Gateway {
  readonly entries: Entry[] = [];
  /** Called when an entry has ended. */
  onEnd: (entry: Entry) => void = () => undefined;
  readonly #agenda: Agenda;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  /** The one that status checks report: the first of its id. To the gateway, a refund is a payout. */
  find(id: string, type: TransactionType): Entry | undefined {
    return this.entries.find((entry) => entry.id === id && entry.type === TYPES[type].atGateway);
  }

  ours(id: string): Entry | undefined {
    return this.entries.find((entry) => entry.id === id && entry.isOurs);
  }

  create({ status = 'PROCESSING', payer, ...given }: NewEntry): Entry {
    const paymentId = 1_000 + this.entries.length;
    const entry: Entry = {
      ...given,
      paymentId,
      payer: null,
      changes: [{ at: this.#agenda.now, status: 'PROCESSING' }],
    };
    this.entries.push(entry);
    if (status !== 'PROCESSING') this.end(entry, status, payer);
    return entry;
  }

  end(entry: Entry, status: Status, payer: string | null = entry.wallet): void {
    if (status === 'SUCCESS') entry.payer = payer;
    entry.changes.push({ at: this.#agenda.now, status });
    this.onEnd(entry);
  }

  /** What a status check or an IPN says; undefined if the gateway did not have it at that time. */
  report(entry: Entry | undefined, at = this.#agenda.now): Fields | undefined {
    const status = entry && statusOf(entry, at);
    if (entry === undefined || status === undefined) return undefined;
    const { id, type, paymentId, amount, wallet, payer } = entry;
    const customer = status === 'SUCCESS' && type === 'PAY' ? payer : wallet;
    return { orderId: id, paymentId, type, customer, amount, currency: 'EUR', status, message: status };
  }
}

export function statusOf({ changes }: Entry, at = Infinity): Status | undefined {
  return changes.findLast((change) => change.at <= at)?.status;
}

/** Whether it ever was so. */
export function was({ changes }: Entry, status: Status): boolean {
  return changes.some((change) => change.status === status);
}
