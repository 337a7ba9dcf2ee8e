// What the widget's sentences can claim, each as a pure test of one instant. Facts about wallets and payments come from
// the sandbox alone, facts about the page's own actions ("we keep trying") from its requests. Each claim says how long
// it may stay on the screen after it ceased to be true, if that does no harm: a shopper who has just approved may still
// read "waiting", but no shopper may read "paid" too early, or about a request that never existed.
import type { MessageKey } from '../../../widget/locales/en.ts';
import type { PageRequest, Connection, Facts } from './facts.ts';

/** The rest of the sentence and of the screen. */
export interface Said {
  key: MessageKey;
  /** The values of the sentence's placeholders. */
  values: Record<string, string>;
  /** Texts of the drawn codes, and the targets of the links. */
  codes: readonly string[];
  links: readonly string[];
  /** The method that is chosen, where methods are shown. */
  chosen?: string | undefined;
}

export interface Claim {
  holds(facts: Facts, said: Said): boolean;
  /** How long the sentence may stay after the claim ends. Default: not at all. */
  staysMs?: number;
  /**
   * How early the sentence may come. Only for the page's own actions, which are recorded a moment later. Default:
   * not at all.
   */
  leadsMs?: number;
}

/** From a change at the sandbox through IPN and stream to the screen, on a busy machine. */
export const NEWS_MS = 5_000;
/** For claims about money and about the last attempt: until the screen of a new try, whose request goes out first. */
const SHORTLY_MS = 1_000;
/** From the press to the request. */
const PRESS_MS = 2_000;
/**
 * The longest pause between two requests of a page that retries: ten seconds, up to half as much again at random, and
 * the transfer.
 */
const PAUSE_MS = 17_000;
/** How long a page may not notice: three tries of a cut connection; forty seconds of silence and one request. */
const UNNOTICED_MS: Record<Connection, number> = { up: Infinity, cut: 10_000, frozen: 50_000 };
/** The relay notices after the proxy that the proxy hung up, and the screen may be faster. */
const HANG_UP_MS = 500;
/** Shown after four seconds by the page's clock, which may be a little less by another clock. */
const LONG_MS = 3_000;
/** A status check may lag behind a wallet by this much. */
const LAG_MS = 600_000;
/** A refund is taken for failed only after two status checks 30 s apart, so that none is sent twice. */
const BELIEVED_MS = 45_000;
/** How much too long the remaining time may be shown. */
const CLOCK_MS = 3_000;

const isOpen = ({ status }: { status: string }) => status === 'INITIALIZED' || status === 'PROCESSING';
const paidOnes = ({ payments }: Facts) => payments.filter(({ status }) => status === 'SUCCESS');
/** What may be offered: of a closed order, nothing. */
const payable = ({ payments, isOrderClosed }: Facts) => (isOrderClosed ? [] : payments.filter(isOpen));
const startsOf = ({ requests }: Facts): PageRequest[] => requests.filter(({ isStart }) => isStart);
/** The latest attempt's payment at the sandbox, if there is one. */
const latest = ({ payments, starts }: Facts) => {
  const id = starts.at(-1)?.id;
  return payments.find((payment) => payment.id === id);
};
const isStartUnderWay = (facts: Facts) =>
  facts.starts.some(({ answeredAt }) => answeredAt === null) ||
  startsOf(facts).some(({ answeredAt, endedAt }) => answeredAt === null && endedAt === null);
/** The start will be sent again, because it had no answer or one that asks for it. */
const isRepeated = (facts: Facts) => {
  const last = startsOf(facts).at(-1);
  if (!last?.endedAt || (last.status !== null && last.status < 500)) return false;
  return facts.at - last.endedAt < PAUSE_MS;
};
/** The gateway may have the payment, but the proxy received no answer. */
const isUnknown = (facts: Facts) => {
  const payment = latest(facts);
  return facts.starts.at(-1)?.answer === 'broken' && (!payment || isOpen(payment));
};
/** The last start asked a wallet, its answer was lost, and it is too early to believe that the gateway has nothing. */
const isRequestLost = ({ starts, at }: Facts) => {
  const last = starts.at(-1);
  return last?.asked === 'DIRECT' && last.answer === 'broken' && at - last.at < LAG_MS;
};
const wasAnswered = ({ starts }: Facts, id: string) =>
  starts.some((start) => start.id === id && start.answer === 'accepted');
/** Somebody may have had what it takes to pay it. */
const wasOffered = (facts: Facts, { id, method }: Facts['payments'][number]) =>
  method === 'DIRECT' || wasAnswered(facts, id);
const isListening = ({ requests, at }: Facts) =>
  requests.some((request) => request.endedAt === null || at - request.endedAt < PAUSE_MS || at - request.at < PAUSE_MS);
const isExpired = ({ at, payments }: Facts) =>
  payments.some(
    ({ message, expiresAt }) => message === 'TOKEN_EXPIRED' || (expiresAt !== null && at >= expiresAt - CLOCK_MS),
  );
/** Of refunds to a wallet that paid. */
const sumBack = (facts: Facts, counts: (refund: Facts['refunds'][number]) => boolean) => {
  const payers = new Set(paidOnes(facts).map(({ customer }) => customer));
  return facts.refunds
    .filter((refund) => counts(refund) && payers.has(refund.customer))
    .reduce((sum, { amount }) => sum + amount, 0);
};
const mayBeOpen =
  ({ at }: Facts) =>
  (refund: Facts['refunds'][number]) =>
    isOpen(refund) || (refund.status === 'FAILED' && at - refund.since < BELIEVED_MS);
const numberIn = (amount = '') => Number(amount.replaceAll(/[^\d.]/g, ''));
const problems = (facts: Facts) => facts.requests.flatMap(({ problem }) => problem ?? []);
const codeIn = (link: string) => new URL(link).searchParams.get('code');
const tokenIn = (link: string) => new URL(link).searchParams.get('token');

export const CLAIMS = {
  /** The button says what the press does by the token; once a payment was started, that it pays. */
  purposeOfToken: {
    holds: (facts, { key }) =>
      key === 'pay'
        ? facts.terms?.purpose === 'payment' || startsOf(facts).length > 0
        : key === `pay_${facts.terms?.purpose}` && facts.starts.length === 0,
    staysMs: NEWS_MS,
    leadsMs: PRESS_MS,
  },
  /** The amount is the order's; a button may still wait for it. */
  amountOfOrder: {
    holds: ({ terms }, { values }) => !values['amount'] || numberIn(values['amount']) === terms?.amount,
  },
  merchantOfOrder: {
    holds: ({ terms }, { values }) => [undefined, `\u2068${terms?.merchant}\u2069`].includes(values['merchant']),
  },
  /** By a method that the wallet confirms, and no payment of this order was ever confirmed by anybody else. */
  onlyByShopper: { holds: ({ isConfirmedByOthers }, { chosen }) => chosen !== 'CHECKOUT' && !isConfirmedByOthers },
  /** A payment of this order, and of this amount, waits for approval in a wallet. */
  requestAtWallet: {
    holds: (facts, { values: { amount } }) =>
      payable(facts).some((payment) => payment.method === 'DIRECT' && (!amount || payment.amount === numberIn(amount))),
    staysMs: NEWS_MS,
  },
  /** There is a code or an app link, and each one shown can be paid now. */
  codeIsGood: {
    holds: (facts, { codes, links }) => {
      const shown = [...codes, ...links].flatMap((link) => codeIn(link) ?? []);
      const good = new Set(payable(facts).map(({ code }) => code));
      return shown.length > 0 && shown.every((code) => good.has(code));
    },
    staysMs: NEWS_MS,
  },
  /** The link leads to a checkout that can be paid now. */
  pageIsGood: {
    holds: (facts, { links }) => {
      const tokens = links.flatMap((link) => tokenIn(link) ?? []);
      return payable(facts).some(({ token }) => token && tokens.includes(token));
    },
    staysMs: NEWS_MS,
  },
  /** The payment was to go directly to the wallet, and the gateway made it a checkout. */
  notDirect: {
    holds: ({ payments }) => payments.some(({ asked, method }) => asked === 'DIRECT' && method !== 'DIRECT'),
  },
  /** A start has no answer yet, or is about to be sent again. */
  starting: {
    holds: (facts) => isStartUnderWay(facts) || isRepeated(facts),
    staysMs: NEWS_MS,
    leadsMs: PRESS_MS,
  },
  /** A person has to decide, the outcome of a start is unknown, or the page has received nothing about its order. */
  outcomeUnknown: {
    holds: (facts) =>
      facts.isDoubted ||
      isStartUnderWay(facts) ||
      isUnknown(facts) ||
      facts.requests.every(({ answeredAt }) => answeredAt === null) ||
      facts.requests.some(({ isStart, answeredAt, endedAt }) => !isStart && answeredAt === null && endedAt === null),
    staysMs: NEWS_MS,
    leadsMs: PRESS_MS,
  },
  /** A person of the shop decides what the page waits for, so that nothing is left to do in it. */
  closable: { holds: ({ isDoubted }) => isDoubted, staysMs: NEWS_MS },
  /** A start takes longer than most do. */
  startingLong: {
    holds: ({ at, starts, requests }) =>
      starts.some((start) => start.answeredAt === null && at - start.at >= LONG_MS) ||
      requests.some((request) => request.isStart && request.endedAt === null && at - request.at >= LONG_MS),
    staysMs: NEWS_MS,
  },
  /** The last start ended without a usable answer, so it will bring no means to pay. */
  answerLost: {
    holds: ({ starts }) => starts.at(-1)?.answer === 'broken',
    staysMs: SHORTLY_MS,
    leadsMs: HANG_UP_MS,
  },
  /** A new try cannot lead to two payments: no request waits in a wallet, and no code was ever shown. */
  safeToRepeat: {
    holds: (facts) =>
      paidOnes(facts).length === 0 &&
      facts.payments.every((payment) => !isOpen(payment) || !wasOffered(facts, payment)),
    staysMs: NEWS_MS,
  },
  /** The proxy refused the start without calling the gateway. */
  noneStarted: {
    holds: (facts) => {
      const last = startsOf(facts).at(-1);
      return last !== undefined && last.problem !== null && facts.starts.every(({ at }) => at < last.at);
    },
    staysMs: PRESS_MS,
  },
  /** A person at the shop ended the payment. */
  closedByShop: { holds: ({ closedAt }) => closedAt !== null },
  orderClosed: { holds: ({ isOrderClosed }) => isOrderClosed },
  /** Something of this order can be paid, or may be, as far as anybody but the wallet can know. */
  open: {
    holds: (facts) => facts.payments.some(isOpen) || isStartUnderWay(facts) || isUnknown(facts) || isRequestLost(facts),
    staysMs: NEWS_MS,
  },
  /**
   * Another payment is open besides the paid one. A start whose answer was lost counts too: its outcome is unknown, and
   * the claim does no harm.
   */
  otherOpen: {
    holds: (facts) =>
      paidOnes(facts).length > 0 &&
      (facts.payments.some(isOpen) || facts.starts.some(({ answer }) => answer === 'broken')),
    staysMs: NEWS_MS,
  },
  /** What succeeds after the order was closed pays nothing. */
  paid: { holds: (facts) => paidOnes(facts).length > 0 && !facts.isOrderClosed },
  paidTwice: { holds: (facts) => paidOnes(facts).length > 1 },
  /** The gateway has accepted payouts of this sum to the wallet that paid, and none has arrived or long failed. */
  onItsWayBack: {
    holds: (facts, { values }) =>
      [isOpen, mayBeOpen(facts)].some((counts) => sumBack(facts, counts) === numberIn(values['amount'])),
    staysMs: NEWS_MS,
  },
  /** The gateway has paid out this sum to the wallet that paid; more may have followed just now. */
  sentBack: {
    holds: (facts, { values }) => sumBack(facts, ({ status }) => status === 'SUCCESS') === numberIn(values['amount']),
    staysMs: NEWS_MS,
  },
  notPaid: { holds: (facts) => paidOnes(facts).length === 0, staysMs: NEWS_MS },
  /**
   * Nothing was paid, and the last attempt can no longer be, or not without the code or page that nobody has seen. A
   * replaced attempt still may: it is checked, and would be shown.
   */
  noMoneyTaken: {
    holds: (facts) => {
      const payment = latest(facts);
      const isPayable = payment && isOpen(payment) && wasOffered(facts, payment);
      const isOver = !isStartUnderWay(facts) && !isRequestLost(facts) && !isPayable;
      return paidOnes(facts).length === 0 && isOver;
    },
    staysMs: SHORTLY_MS,
    leadsMs: HANG_UP_MS,
  },
  /** However often a start was sent, there are no more payments than presses, and at most one is paid. */
  onceOnly: {
    holds: (facts) =>
      facts.payments.length <= new Set(startsOf(facts).map(({ key }) => key)).size && paidOnes(facts).length <= 1,
  },
  /** A payment ended without money, and not because of its time limit. */
  declined: {
    holds: (facts) => facts.payments.some(({ status, message }) => status === 'FAILED' && message !== 'TOKEN_EXPIRED'),
  },
  /** The customer ended a payment at the checkout. */
  cancelled: { holds: ({ payments }) => payments.some(({ message }) => message === 'USER_CANCELLED') },
  lowBalance: { holds: ({ payments }) => payments.some(({ message }) => message === 'INSUFFICIENT_BALANCE') },
  expired: { holds: isExpired },
  timeIsUp: { holds: isExpired, staysMs: NEWS_MS },
  /** No more time is shown than there is. */
  timeLeft: {
    holds: ({ at, payments }, { values }) => {
      const [minutes = NaN, seconds = NaN] = (values['time'] ?? '').split(':').map(Number);
      const ends = payments.filter(isOpen).map(({ expiresAt }) => (expiresAt ?? 0) - at + CLOCK_MS);
      return ends.some((leftMs) => (minutes * 60 + seconds) * 1000 <= leftMs);
    },
    staysMs: NEWS_MS,
  },
  replaced: { holds: ({ starts }) => starts.length > 1 },
  /** The gateway refused the last attempt. */
  rejected: { holds: ({ starts }) => starts.at(-1)?.answer === 'refused', staysMs: SHORTLY_MS },
  /** The gateway does not have the last attempt. */
  notCreated: {
    holds: (facts) => facts.starts.length > 0 && !latest(facts) && !isStartUnderWay(facts) && !isRequestLost(facts),
    staysMs: SHORTLY_MS,
  },
  /** The connection between this page and the proxy is down. */
  noConnection: { holds: ({ connection }) => connection.is !== 'up', staysMs: PAUSE_MS },
  /** The last start had no answer, or only one of an intermediary. */
  unreached: {
    holds: (facts) => {
      const last = startsOf(facts).at(-1);
      return facts.connection.is !== 'up' || !last || (last.endedAt !== null && last.problem === null);
    },
    staysMs: SHORTLY_MS,
  },
  /** A request is open, or the last one was at most a pause ago. */
  tries: { holds: isListening, leadsMs: PRESS_MS },
  /**
   * The page would receive news: it sends requests, and the connection is up, or went down too recently to be noticed.
   */
  follows: {
    holds: (facts) => isListening(facts) && facts.at - facts.connection.since < UNNOTICED_MS[facts.connection.is],
    leadsMs: PRESS_MS,
  },
  /** The proxy answered with exactly this problem. */
  sentByProxy: { holds: (facts, { key }) => problems(facts).includes(key) },
  methodRefused: { holds: (facts) => problems(facts).includes('method_unavailable') },
  /** The proxy answered with a problem that stops this page or the last attempt. */
  refused: { holds: (facts) => problems(facts).length > 0 },
} satisfies Record<string, Claim>;

export type ClaimName = keyof typeof CLAIMS;
