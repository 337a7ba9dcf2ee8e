// What a report of the gateway does, by how our one POST was answered and how the money moves. This is the one table of
// it: ledger/rules/observations.ts applies it to a row, and a test goes through every combination.
import { PAYS_BY } from './methods.ts';
import { TYPES, type PostOutcome, type Transaction } from './transaction.ts';

/**
 * How the money moves: out, by a prompt in the payer's wallet, or by a page or code that only the answer to our POST
 * brings.
 */
export type Way = 'payout' | 'prompt' | 'shown';

export function wayOf({ type, asked }: Pick<Transaction, 'type' | 'asked'>): Way {
  if (TYPES[type].isOutgoing) return 'payout';
  return asked !== null && PAYS_BY[asked] === 'prompt' ? 'prompt' : 'shown';
}

interface Effects {
  /** A verified report: it raises the stage, or nothing. */
  pending: 'raise' | 'ignore';
  failed: 'raise' | 'ignore';
  /** A verified SUCCESS: it pays, or a person is asked. */
  succeeded: 'raise' | { flag: 'needs_review' | 'conflict'; detail: string };
  /**
   * What a differing report means: a mismatch, or proof that the transaction is not ours (never for a payout's
   * SUCCESS).
   */
  differs: 'mismatch' | 'reject';
  /** Whether the wallet that a SUCCESS names has to be the one that was asked. */
  comparesWallet: boolean;
}

const OURS: Effects = {
  pending: 'raise',
  failed: 'raise',
  succeeded: 'raise',
  differs: 'mismatch',
  comparesWallet: false,
};
const TO_WALLET: Effects = { ...OURS, comparesWallet: true };
const NOT_SHOWN: Effects = {
  ...OURS,
  succeeded: { flag: 'needs_review', detail: 'SUCCESS, but nobody was shown anything to pay with' },
};
const REFUSED: Effects = {
  ...OURS,
  succeeded: { flag: 'conflict', detail: 'SUCCESS after the gateway refused it' },
};
/** The id is most likely another's: marked for good. */
const MARKED = {
  pending: 'ignore',
  failed: 'ignore',
  differs: 'reject',
  comparesWallet: false,
} as const satisfies Partial<Effects>;
const DUPLICATE: Effects = {
  ...MARKED,
  succeeded: { flag: 'needs_review', detail: 'SUCCESS for an order id that the gateway reported as a duplicate' },
};
const UNREACHED: Effects = {
  ...MARKED,
  succeeded: { flag: 'needs_review', detail: 'SUCCESS for an order id that was never sent' },
};

const EFFECTS = {
  identified: { payout: TO_WALLET, prompt: OURS, shown: OURS },
  accepted: { payout: TO_WALLET, prompt: OURS, shown: OURS },
  refused: { payout: TO_WALLET, prompt: REFUSED, shown: REFUSED },
  foreign: { payout: TO_WALLET, prompt: TO_WALLET, shown: NOT_SHOWN },
  lost: { payout: TO_WALLET, prompt: TO_WALLET, shown: NOT_SHOWN },
  unreached: { payout: TO_WALLET, prompt: UNREACHED, shown: UNREACHED },
  duplicate: { payout: { ...DUPLICATE, comparesWallet: true }, prompt: DUPLICATE, shown: DUPLICATE },
  withheld: { payout: TO_WALLET, prompt: OURS, shown: OURS },
} as const satisfies Record<PostOutcome, Record<Way, Effects>>;

/** While our POST is under way, no report is asked for; later a missing answer counts as lost. */
export function effectsOf(transaction: Pick<Transaction, 'type' | 'asked' | 'answer'>): Effects {
  return EFFECTS[transaction.answer ?? 'lost'][wayOf(transaction)];
}
