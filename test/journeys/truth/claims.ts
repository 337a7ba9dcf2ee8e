// The few things that the widget's sentences can claim, each a pure test of one instant. What the wallet has and what was paid is
// asked of the sandbox alone, what we do ("we keep trying") of the requests that were seen. How long a claim may stay on the
// screen after it ceased to be true is written at the claim, and only where that does no harm: who approved a moment ago may
// still read "waiting", but nobody may read "paid" before it is, or of a request that was never there.
import type { MessageKey } from '../../../widget/locales/en.ts';
import type { PageRequest, Connection, Facts } from './facts.ts';

/** What else is on the screen and in the sentence. */
export interface Said {
  key: MessageKey;
  /** What stands in the sentence's placeholders. */
  values: Record<string, string>;
  /** Texts of the drawn codes, and where the links lead. */
  codes: readonly string[];
  links: readonly string[];
}

export interface Claim {
  holds(facts: Facts, said: Said): boolean;
  /** How long after its end the sentence may stay. Default: not at all. */
  staysMs?: number;
  /** How long before its begin it may come: only of what we do ourselves, which is seen a moment later. Default: not at all. */
  leadsMs?: number;
}

/** From the sandbox's change over its IPN and the stream to the screen, on a busy machine. */
const NEWS_MS = 5_000;
/** As short where it is said of money; the request of a next try goes out before the screen that shows it. */
const SHORTLY_MS = 1_000;
/** From the press to the request, and from the request to the screen that shows it: the request goes out first. */
const PRESS_MS = 2_000;
/** The longest pause between two requests of a page that tries: ten seconds, half as much again by chance, and the way. */
const PAUSE_MS = 17_000;
/** How long a page may not have noticed: three tries of a cut line; forty seconds of silence, and one question. */
const UNNOTICED_MS: Record<Connection, number> = { up: Infinity, cut: 10_000, frozen: 50_000 };
/** The box hears that the proxy hung up after the proxy did so, and the screen may be faster. */
const HANG_UP_MS = 500;
/** Most starts are answered by then: what is said after four seconds by one clock may be a little less by another. */
const LONG_MS = 3_000;
/** By how much the time left may be shown too long. */
const CLOCK_MS = 3_000;

type Payments = Facts['payments'];

const isOpen = ({ status }: Payments[number]) => status === 'INITIALIZED' || status === 'PROCESSING';
const paidOnes = ({ payments }: Facts) => payments.filter(({ status }) => status === 'SUCCESS');
const startsOf = ({ requests }: Facts): PageRequest[] => requests.filter(({ isStart }) => isStart);
/** The latest try: its payment at the sandbox, if it is there. */
const latest = ({ payments, starts }: Facts) => {
  const id = starts.at(-1)?.id;
  return payments.find((payment) => payment.id === id);
};
const isStartUnderWay = (facts: Facts) =>
  facts.starts.some(({ answeredAt }) => answeredAt === null) ||
  startsOf(facts).some(({ answeredAt, endedAt }) => answeredAt === null && endedAt === null);
/** The start will be sent again: it had no answer, or one that says so. */
const isRepeated = (facts: Facts) => {
  const last = startsOf(facts).at(-1);
  if (!last?.endedAt || (last.status !== null && last.status < 500)) return false;
  return facts.at - last.endedAt < PAUSE_MS;
};
/** The gateway may have the payment, and nobody was told. */
const isUnknown = (facts: Facts) => {
  const payment = latest(facts);
  return facts.starts.at(-1)?.answer === 'broken' && (!payment || isOpen(payment));
};
const wasAnswered = ({ starts }: Facts, id: string) =>
  starts.some((start) => start.id === id && start.answer === 'accepted');
const isListening = ({ requests, at }: Facts) =>
  requests.some((request) => request.endedAt === null || at - request.endedAt < PAUSE_MS || at - request.at < PAUSE_MS);
const isExpired = ({ at, payments }: Facts) =>
  payments.some(
    ({ message, expiresAt }) => message === 'TOKEN_EXPIRED' || (expiresAt !== null && at >= expiresAt - CLOCK_MS),
  );
const problems = (facts: Facts) => facts.requests.flatMap(({ problem }) => problem ?? []);
const codeIn = (link: string) => new URL(link).searchParams.get('code');
const tokenIn = (link: string) => new URL(link).searchParams.get('token');

export const CLAIMS = {
  /** Some request for this order waits for a yes in a wallet. */
  requestAtWallet: {
    holds: ({ payments }) => payments.some((payment) => payment.method === 'DIRECT' && isOpen(payment)),
    staysMs: NEWS_MS,
  },
  /** There is a code or a link into the app, and whatever is shown can be paid now. */
  codeIsGood: {
    holds: ({ payments }, { codes, links }) => {
      const shown = [...codes, ...links].flatMap((link) => codeIn(link) ?? []);
      const good = new Set(payments.filter(isOpen).map(({ code }) => code));
      return shown.length > 0 && shown.every((code) => good.has(code));
    },
    staysMs: NEWS_MS,
  },
  /** The link leads to a checkout that can be paid now. */
  pageIsGood: {
    holds: ({ payments }, { links }) => {
      const tokens = links.flatMap((link) => tokenIn(link) ?? []);
      return payments.some(({ token, ...payment }) => token && tokens.includes(token) && isOpen({ token, ...payment }));
    },
    staysMs: NEWS_MS,
  },
  /** This wallet was to be asked directly, and the gateway made a checkout of it. */
  notDirect: {
    holds: ({ payments }) => payments.some(({ asked, method }) => asked === 'DIRECT' && method !== 'DIRECT'),
  },
  /** A start of ours has no answer yet, or is about to be sent again. */
  starting: {
    holds: (facts) => isStartUnderWay(facts) || isRepeated(facts),
    staysMs: NEWS_MS,
    leadsMs: PRESS_MS,
  },
  /** It is not known what became of a start, or this page has not heard of its order yet. */
  outcomeUnknown: {
    holds: (facts) =>
      isStartUnderWay(facts) ||
      isUnknown(facts) ||
      facts.requests.every(({ answeredAt }) => answeredAt === null) ||
      facts.requests.some(({ isStart, answeredAt, endedAt }) => !isStart && answeredAt === null && endedAt === null),
    staysMs: NEWS_MS,
    leadsMs: PRESS_MS,
  },
  /** And it takes longer than most do. */
  startingLong: {
    holds: ({ at, starts, requests }) =>
      starts.some((start) => start.answeredAt === null && at - start.at >= LONG_MS) ||
      requests.some((request) => request.isStart && request.endedAt === null && at - request.at >= LONG_MS),
    staysMs: NEWS_MS,
  },
  /** The last start is over without an answer that says anything, so nothing to pay with will come of it. */
  answerLost: {
    holds: ({ starts }) => starts.at(-1)?.answer === 'broken',
    staysMs: SHORTLY_MS,
    leadsMs: HANG_UP_MS,
  },
  /** Nothing that somebody could confirm beside a new try: no request in a wallet, and no code that was ever shown. */
  safeToRepeat: {
    holds: (facts) =>
      paidOnes(facts).length === 0 &&
      facts.payments.every(
        (payment) => !isOpen(payment) || (payment.method !== 'DIRECT' && !wasAnswered(facts, payment.id)),
      ),
    staysMs: NEWS_MS,
  },
  /** What the proxy refused never went on its way to the gateway. */
  noneStarted: {
    holds: (facts) => {
      const last = startsOf(facts).at(-1);
      return last !== undefined && last.problem !== null && facts.starts.every(({ at }) => at < last.at);
    },
    staysMs: PRESS_MS,
  },
  /** A person at the shop said how it ended. */
  closedByShop: { holds: ({ closedAt }) => closedAt !== null },
  /** Something of this order can still be paid, or may be. */
  open: {
    holds: (facts) => facts.payments.some(isOpen) || isStartUnderWay(facts) || isUnknown(facts),
    staysMs: NEWS_MS,
  },
  /** Beside what was paid. Of one whose answer was lost nobody can know, and to say so of it does no harm. */
  otherOpen: {
    holds: (facts) =>
      paidOnes(facts).length > 0 &&
      (facts.payments.some(isOpen) || facts.starts.some(({ answer }) => answer === 'broken')),
    staysMs: NEWS_MS,
  },
  paid: { holds: (facts) => paidOnes(facts).length > 0 },
  paidTwice: { holds: (facts) => paidOnes(facts).length > 1 },
  notPaid: { holds: (facts) => paidOnes(facts).length === 0, staysMs: NEWS_MS },
  /** None was, and the last try can bring none any more. What was replaced before it may: that is followed, and would be shown. */
  noMoneyTaken: {
    holds: (facts) => {
      const payment = latest(facts);
      return paidOnes(facts).length === 0 && !isStartUnderWay(facts) && (!payment || !isOpen(payment));
    },
    staysMs: SHORTLY_MS,
  },
  /** However often it was sent: no more payments at the gateway than presses, and no more than one of them paid. */
  onceOnly: {
    holds: (facts) =>
      facts.payments.length <= new Set(startsOf(facts).map(({ key }) => key)).size && paidOnes(facts).length <= 1,
  },
  /** It ended without money, and not because of the time. */
  declined: {
    holds: (facts) => facts.payments.some(({ status, message }) => status === 'FAILED' && message !== 'TOKEN_EXPIRED'),
  },
  expired: { holds: isExpired },
  timeIsUp: { holds: isExpired, staysMs: NEWS_MS },
  /** No more time is promised than there is. */
  timeLeft: {
    holds: ({ at, payments }, { values }) => {
      const [minutes = NaN, seconds = NaN] = (values['time'] ?? '').split(':').map(Number);
      const ends = payments.filter(isOpen).map(({ expiresAt }) => (expiresAt ?? 0) - at + CLOCK_MS);
      return ends.some((leftMs) => (minutes * 60 + seconds) * 1000 <= leftMs);
    },
    staysMs: NEWS_MS,
  },
  replaced: { holds: ({ starts }) => starts.length > 1 },
  /** The gateway refused the last try. */
  rejected: { holds: ({ starts }) => starts.at(-1)?.answer === 'refused', staysMs: PRESS_MS },
  /** The gateway has nothing of the last try. */
  notCreated: {
    holds: (facts) => facts.starts.length > 0 && !latest(facts) && !isStartUnderWay(facts),
    staysMs: PRESS_MS,
  },
  /** Nothing passes between this page and the proxy. */
  noConnection: { holds: ({ connection }) => connection.is !== 'up', staysMs: PAUSE_MS },
  /** The last start was not answered at all, or by some box on the way. */
  unreached: {
    holds: (facts) => {
      const last = startsOf(facts).at(-1);
      return facts.connection.is !== 'up' || !last || (last.endedAt !== null && last.problem === null);
    },
    staysMs: PRESS_MS,
  },
  /** Requests are seen: one is open, or the last was a pause ago. */
  tries: { holds: isListening, leadsMs: PRESS_MS },
  /** News would arrive: the page listens, and the line is up, or went down so short a time ago that nobody can have noticed. */
  follows: {
    holds: (facts) => isListening(facts) && facts.at - facts.connection.since < UNNOTICED_MS[facts.connection.is],
    leadsMs: PRESS_MS,
  },
  /** The proxy said just this. */
  sentByProxy: { holds: (facts, { key }) => problems(facts).includes(key) },
  /** The proxy said something that stops this page, or the last try. */
  refused: { holds: (facts) => problems(facts).length > 0 },
} satisfies Record<string, Claim>;

export type ClaimName = keyof typeof CLAIMS;
