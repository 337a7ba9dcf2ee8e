// Each sentence that the shopper can read, and what it claims, each claim as a pure test of what the proxy has committed
// and answered; the compiler demands an entry for each new key. All claims of a sentence must hold. A label claims
// nothing: it names a field or a button, or says what to do there. The simulator compares the order view with the
// gateway; this compares the sentences with the order view.
import type { OrderClaims, OrderView, PaymentView, Problem } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../../widget/locales/en.ts';

/** What is true while a screen is shown. */
export interface Facts {
  view: OrderView;
  terms: OrderClaims;
  /** The proxy's answer that refused something. */
  problem?: Problem | undefined;
  isDown?: boolean;
  /** A start has no answer yet. */
  isStarting?: boolean;
  /** The streams and requests that are open. */
  listening?: number;
  /** The idempotency keys of all starts of one press. */
  keys?: ReadonlySet<string | null>;
}

/** The rest of the sentence and of the screen. */
export interface Said {
  key: MessageKey;
  /** The values of the sentence's placeholders. */
  values: Record<string, string>;
  links: readonly string[];
  /** Whether a code is drawn. */
  hasCode: boolean;
}

/** How much too long the remaining time may be shown. */
const CLOCK_MS = 3_000;

const isOpen = (payment: PaymentView | null) =>
  payment !== null && payment.status !== 'SUCCESS' && payment.status !== 'FAILED';
const hasFailed = ({ view: { payment } }: Facts, ...reasons: PaymentView['reason' | 'cause'][]) =>
  payment?.status === 'FAILED' && (reasons.includes(payment.reason) || reasons.includes(payment.cause));
const numberIn = (amount = '') => Number(amount.replaceAll(/[^\d.]/g, ''));
const sumOf = ({ view }: Facts, ...statuses: string[]) =>
  view.refunds.filter(({ status }) => statuses.includes(status)).reduce((sum, { amount }) => sum + Number(amount), 0);
const leftMs = ({ view: { payment, serverTime } }: Facts) =>
  Date.parse(payment?.expiresAt ?? '') - (Date.parse(serverTime) || Date.now());
/** An address that the widget does not open. */
const isHidden = (url: string | null | undefined, links: readonly string[]) => !!url && !links.includes(url);
/** The gateway may have it, but its answer has not come. */
const isAwaited = ({ view, isStarting }: Facts) => isStarting === true || view.payment?.answer === 'AWAITED';

export const CLAIMS = {
  /** The button says what the press does by the token; once a payment was started, that it pays. */
  purposeOfToken: ({ terms: { purpose = 'payment' }, view }, { key }) =>
    key === 'pay' ? purpose === 'payment' || view.payment !== null : key === `pay_${purpose}`,
  /** The amount is the order's, unless it is the shopper's; a button may still wait for it. */
  amountOfOrder: ({ view: { amount } }, { values }) =>
    !values['amount'] || amount === null || numberIn(values['amount']) === Number(amount),
  merchantOfOrder: ({ terms }, { values }) => [undefined, `\u2068${terms.merchant}\u2069`].includes(values['merchant']),
  methodRefused: ({ problem }) => problem?.code === 'method_unavailable',
  /** A payment waits for approval in a wallet. */
  requestAtWallet: ({ view: { payment } }) =>
    isOpen(payment) && payment?.method === 'DIRECT' && payment.answer === 'ARRIVED',
  /** There is a code or an app link, of a payment that can be paid. */
  codeIsGood: ({ view: { payment } }, { hasCode, links }) =>
    isOpen(payment) && ((hasCode && payment?.qr !== null) || links.includes(payment?.appUrl ?? '')),
  /** The link leads to the checkout of a payment that can be paid. */
  pageIsGood: ({ view: { payment } }, { links }) => isOpen(payment) && links.includes(payment?.checkoutUrl ?? ''),
  /** The payment was to go directly to the wallet, and the gateway made it a checkout. */
  notDirect: ({ view: { payment } }) => payment?.asked === 'DIRECT' && payment.method !== 'DIRECT',
  starting: isAwaited,
  /** A person has to decide, or the view has a status that nobody knows yet. */
  outcomeUnknown: ({ view }) =>
    view.checking ||
    view.refundInDoubtAmount !== null ||
    !['INITIALIZED', 'PROCESSING', 'SUCCESS', 'FAILED'].includes(view.payment?.status ?? ''),
  answerLost: ({ view: { payment } }) => isOpen(payment) && payment?.answer === 'LOST',
  open: ({ view }) => isOpen(view.payment) || view.otherOpen,
  notPaid: ({ view }) => !view.paid,
  paid: ({ view, problem }) => view.paid || problem?.code === 'already_paid',
  paidTwice: ({ view }) => view.surplus,
  owed: ({ view }, { values }) => numberIn(view.owedAmount ?? '') === numberIn(values['amount']),
  otherOpen: ({ view }) => view.paid && view.otherOpen,
  onItsWayBack: (facts) => sumOf(facts, 'PROCESSING') > 0,
  onItsWayBackAll: (facts, { values }) => sumOf(facts, 'PROCESSING') === numberIn(values['amount']),
  sentBackInPart: (facts) => sumOf(facts, 'SUCCESS') > 0,
  sentBack: (facts, { values }) => sumOf(facts, 'SUCCESS') === numberIn(values['amount']),
  refundInDoubt: ({ view }) => view.refundInDoubtAmount !== null,
  refundFailed: ({ view }) => view.refundFailedAmount !== null,
  declined: (facts) => hasFailed(facts, 'DECLINED'),
  cancelled: (facts) => hasFailed(facts, 'CANCELLED'),
  lowBalance: (facts) => hasFailed(facts, 'LOW_BALANCE'),
  expired: (facts) => hasFailed(facts, 'EXPIRED') || (isOpen(facts.view.payment) && leftMs(facts) <= 0),
  rejected: (facts) => hasFailed(facts, 'REJECTED'),
  /** A new try cannot lead to two payments: no request waits in a wallet, and no code and no page was ever shown. */
  safeToRepeat,
  notStarted: (facts, said) => safeToRepeat(facts, said) || isRefusedStart(facts),
  closedByShop: (facts) => hasFailed(facts, 'RESOLVED'),
  orderClosed: ({ view }) => view.closed && !view.paid,
  notToPay: ({ view }) => view.closed || view.paid,
  /** Nothing was paid, and there was no attempt or the last one can no longer be paid. */
  noMoneyTaken: (facts) =>
    !facts.view.paid &&
    ((!facts.view.payment && !facts.view.otherOpen) ||
      hasFailed(facts, 'DECLINED', 'REJECTED', 'NOT_CREATED', 'TOKEN_EXPIRED')),
  timeIsUp: (facts) => leftMs(facts) <= 0,
  /** No more time is shown than there is. */
  timeLeft: (facts, { values }) => {
    const [minutes = NaN, seconds = NaN] = (values['time'] ?? '').split(':').map(Number);
    return (minutes * 60 + seconds) * 1000 <= leftMs(facts) + CLOCK_MS;
  },
  noConnection: ({ isDown }) => isDown === true,
  /** The page would receive news. */
  follows: ({ listening = 0 }) => listening > 0,
  /** However often the start of one press is sent, it is one payment. */
  onceOnly: ({ keys }) => (keys?.size ?? 0) <= 1,
  /** No other payment could be paid as well as the one that is started or waited for. */
  onlyOneOpen: ({ view, isStarting, problem }) =>
    !view.otherOpen && !((isStarting || problem) && isOpen(view.payment) && view.payment?.answer !== 'AWAITED'),
  refused: ({ problem }) => problem !== undefined,
  /** The proxy answered with exactly this problem. */
  sentByProxy: ({ problem }, { key }) => problem?.code === key,
  noneStarted: isRefusedStart,
} satisfies Record<string, (facts: Facts, said: Said) => boolean>;

function safeToRepeat(facts: Facts, { links }: Said): boolean {
  const { paid, payment } = facts.view;
  const isLost = payment?.answer === 'LOST' && payment.method !== 'DIRECT';
  return hasFailed(facts, 'NOT_CREATED') || (!paid && (isLost || isHidden(payment?.checkoutUrl, links)));
}

/** It has made no payment: a refusal comes before anything is stored. */
function isRefusedStart({ problem, keys }: Facts): boolean {
  return problem !== undefined && (keys?.size ?? 0) === 1;
}

const label = [] as const;

export const SENTENCES = {
  choose: label,
  DIRECT: label,
  DIRECT_help: label,
  CHECKOUT: label,
  JETGO: label,
  QR: label,
  CHECKOUT_help: label,
  JETGO_help: label,
  QR_help: label,
  amount: label,
  between: label,
  wallet: label,
  walletHelp: label,
  pay: ['purposeOfToken', 'amountOfOrder'],
  pay_order: ['purposeOfToken'],
  pay_deposit: ['purposeOfToken', 'amountOfOrder'],
  pay_donation: ['purposeOfToken', 'amountOfOrder'],
  network: label,

  amountEmpty: label,
  amountWrong: label,
  amountDecimals: label,
  below: label,
  above: label,
  walletEmpty: label,
  walletWrong: label,
  unavailable: ['methodRefused'],
  checkoutTime: label,
  safe: label,
  test: label,
  sending: ['starting'],
  slow: ['starting'],
  once: ['onceOnly', 'onlyOneOpen'],
  back: label,
  unpaid: ['notPaid'],

  checking: ['outcomeUnknown'],
  checking_help: ['outcomeUnknown', 'follows'],
  doNotPay: ['outcomeUnknown'],
  lostRequest: ['answerLost'],
  lostRequest_help: ['answerLost'],
  onlyOne: label,
  newRequest: label,
  redirect: ['pageIsGood'],
  redirect_help: ['pageIsGood', 'follows'],
  notDirect: ['notDirect'],
  redirectOpen: label,
  timeLeft: ['timeLeft'],
  timeSpoken: ['timeLeft'],
  timeUp_help: ['timeIsUp', 'follows'],
  counts: ['open'],
  scan_help: ['codeIsGood'],
  otherDevice: label,
  thisDevice: label,
  scanLabel: ['codeIsGood', 'amountOfOrder'],
  appOpen: label,
  app: ['codeIsGood'],
  app_help: ['codeIsGood'],
  appHelp: label,
  appHelp_scan: ['codeIsGood'],
  appHelp_browser: label,
  copy: label,
  copyReference: label,
  copied: label,
  save: label,
  byId: label,
  direct: ['requestAtWallet'],
  direct_help: ['requestAtWallet', 'amountOfOrder', 'merchantOfOrder'],
  waiting: ['open'],
  sentTo: ['requestAtWallet'],
  otherWallet: label,
  other: label,

  paid: ['paid'],
  surplus: ['paidTwice'],
  owed: ['owed'],
  otherOpen: ['open'],
  doNotConfirm: ['otherOpen'],
  refunding: ['onItsWayBack'],
  onItsWay: ['onItsWayBackAll'],
  sentBack: ['sentBackInPart'],
  refunded: ['sentBack'],
  refundInDoubt: ['refundInDoubt'],
  refundFailed: ['refundFailed'],
  total: label,
  net: label,
  method: label,
  order: label,
  date: label,
  print: label,
  DECLINED: ['declined'],
  DECLINED_help: ['noMoneyTaken'],
  CANCELLED: ['cancelled'],
  LOW_BALANCE: ['lowBalance'],
  LOW_BALANCE_help: ['noMoneyTaken'],
  EXPIRED: ['expired'],
  EXPIRED_help: ['notPaid'],
  REJECTED: ['rejected'],
  REJECTED_help: ['noMoneyTaken'],
  NOT_CREATED: ['notStarted'],
  NOT_CREATED_help: ['safeToRepeat'],
  RESOLVED: ['closedByShop'],
  RESOLVED_help: label,
  closed: ['orderClosed'],
  closed_help: ['notToPay'],
  support: label,
  toShop: label,
  toMerchant: ['merchantOfOrder'],
  again: label,

  lost: ['noConnection', 'follows'],
  reconnect: ['noConnection'],
  reload: label,
  token_expired: ['refused'],
  token_expired_help: label,
  invalid_token: ['sentByProxy'],
  invalid_token_help: label,
  invalid_request: ['sentByProxy', 'noneStarted'],
  already_paid: ['paid'],
  already_paid_help: ['paid', 'onceOnly'],
  order_changed: ['sentByProxy'],
  order_changed_help: ['noneStarted'],
  too_many_payments: ['sentByProxy'],
  too_many_payments_help: ['noneStarted'],
  too_many_requests: ['sentByProxy', 'noneStarted'],
  too_many_prompts: ['sentByProxy', 'noneStarted'],
  forbidden_origin: ['sentByProxy'],
  forbidden_origin_help: ['noneStarted'],
  tryLater: ['refused'],
  notStarted: ['noneStarted'],
  notTaken: ['noMoneyTaken'],
  reference: label,
} as const satisfies Record<MessageKey, readonly (keyof typeof CLAIMS)[]>;
