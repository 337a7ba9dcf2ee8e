// Compares the gateway's report with the ledger's record; the one table of what a report then does.
// Pure; every report must pass here before it becomes a fact. Any difference is a mismatch, and a mismatch never pays
// anything.
import { PAYS_BY, WALLET_ID_FORM } from './wire.ts';
import { decimalOf, minorOfReported } from './money.ts';
import { TYPES, type GatewayType, type PostOutcome, type Transaction } from './transaction.ts';

/** A status check's answer or an IPN, in our terms. The amount is the source text. */
export interface Report {
  transactionId: string;
  type: GatewayType;
  paymentId: string | null;
  /** Wallet id of the payer or receiver. */
  customer: string | null;
  amount: string | null;
  currency: string | null;
  outcome: 'pending' | 'failed' | 'succeeded';
  /** The gateway's code for a failure (`TOKEN_EXPIRED`), if it is a code. For the history only. */
  message?: string;
  /** The failure's code says that the gateway expired the transaction. */
  isExpired?: true;
}

/** An IPN as read; unlike a report, it may lack the outcome. */
export type IpnReading = Omit<Report, 'outcome'> & { outcome: Report['outcome'] | null };

/** The ledger's record of the transaction. `customer` is null if it was erased. */
type Recorded = Pick<
  Transaction,
  'id' | 'type' | 'asked' | 'answer' | 'paymentId' | 'amountMinor' | 'currency' | 'customer'
>;

/** Named as in the merchant's history. */
type MismatchField = 'gatewayOrderId' | 'type' | 'paymentId' | 'currency' | 'amount' | 'customer';

export type Verdict =
  /** `payer`: the whole wallet id that a status check names. */
  | ({ kind: 'verified'; payer: string | null } & Pick<Report, 'outcome' | 'paymentId' | 'message' | 'isExpired'>)
  /** `figures`: of money, what was asked and what is reported, with the outcome. */
  | { kind: 'mismatch'; field: MismatchField; figures?: string }
  | { kind: 'incomplete' }
  /** A SUCCESS that names the wallet, and the one that was asked is erased. */
  | { kind: 'incomparable' };

/**
 * Set `complete` for an IPN in the weaker mode, where no status check confirms it: without an amount and a currency it
 * proves nothing.
 * A status check asks the gateway itself, over TLS, about one order id, so missing fields are not differences. But
 * another shop on the same account may have used that id; so a success without amount or currency counts only with the
 * payment id from our own answer.
 */
export function verify(expected: Recorded, report: Report, { complete }: { complete: boolean }): Verdict {
  const field = differingField(expected, report);
  if (field !== undefined) {
    const isMoney = field === 'amount' || field === 'currency';
    return { kind: 'mismatch', field, ...(isMoney && { figures: figuresOf(expected, report) }) };
  }
  const { outcome, paymentId, message, isExpired } = report;
  const lacksAmount = report.amount === null || report.currency === null;
  const isOurs = expected.answer === 'identified' && paymentId !== null && paymentId === expected.paymentId;
  if (lacksAmount && (complete || (outcome === 'succeeded' && !isOurs))) return { kind: 'incomplete' };
  if (namesWallet(expected, report) && expected.customer === null) return { kind: 'incomparable' };
  return {
    kind: 'verified',
    outcome,
    paymentId,
    payer: complete ? null : wholeWallet(report.customer),
    ...(message && { message }),
    ...(isExpired && { isExpired }),
  };
}

function differingField(expected: Recorded, report: Report): MismatchField | undefined {
  if (report.transactionId !== expected.id) return 'gatewayOrderId';
  if (report.type !== TYPES[expected.type].atGateway) return 'type';
  const bothHaveId = report.paymentId !== null && expected.paymentId !== null;
  if (bothHaveId && report.paymentId !== expected.paymentId) return 'paymentId';
  if (report.currency !== null && report.currency !== expected.currency) return 'currency';
  if (report.amount !== null && minorOfReported(report.amount, expected.currency) !== expected.amountMinor) {
    return 'amount';
  }
  if (
    namesWallet(expected, report) &&
    expected.customer !== null &&
    !isSameWallet(expected.customer, report.customer)
  ) {
    return 'customer';
  }
  return undefined;
}

/** Exactly as a payout takes it: of a masked or formatted one, the money could go to somebody else. */
function wholeWallet(customer: string | null): string | null {
  return customer !== null && WALLET_ID_FORM.test(customer) ? customer : null;
}

const NUMBER = /^[-+.\deE]{1,40}$/;
const CODE = /^[A-Za-z]{3}$/;

/** What is no number or code stays out of history and log. */
function figuresOf(expected: Recorded, { amount, currency, outcome }: Report): string {
  const shown = (text: string | null, form: RegExp) => (text === null ? [] : form.test(text) ? [text] : ['unreadable']);
  const reported = [...shown(amount, NUMBER), ...shown(currency, CODE)].join(' ');
  return `asked ${decimalOf(expected.amountMinor, expected.currency)} ${expected.currency}, reported ${reported} as ${outcome}`;
}

function namesWallet(expected: Recorded, report: Report): report is Report & { customer: string } {
  return effectsOf(expected).comparesWallet && report.outcome === 'succeeded' && report.customer !== null;
}

const MASK = /[*xX•#]+/;

/** Compares the digits, ignoring separators. A masked wallet id matches if its visible digits do. */
function isSameWallet(asked: string, reported: string): boolean {
  const [ours, theirs] = [asked, reported].map((wallet) => wallet.replace(/[\s.+-]/g, '')) as [string, string];
  if (!MASK.test(theirs)) return ours === theirs;
  if (ours.length === theirs.length) return theirs.split('').every((char, at) => MASK.test(char) || char === ours[at]);
  // Lengths differ: the mask stands for any number of digits, and the visible parts must occur in this order without
  // overlapping.
  const shown = theirs.split(MASK);
  const [head = '', tail = ''] = [shown[0], shown.at(-1)];
  if (!ours.startsWith(head) || !ours.endsWith(tail) || head.length + tail.length > ours.length) return false;
  let rest = ours.slice(head.length, ours.length - tail.length);
  return shown.slice(1, -1).every((part) => {
    const at = rest.indexOf(part);
    rest = rest.slice(at + part.length);
    return at >= 0;
  });
}

// What a report of the gateway does, by how our one POST was answered and how the money moves. This is the one table of
// it: ledger/rules/observations.ts applies it to a row, and a test goes through every combination.

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
  /** Whether the wallet that a SUCCESS names has to be the one that was asked. Anyone may pay by a code. */
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
