// Compares what the screen said with what was true, at every change of either. A false claim is a sentence, the claim
// that did not hold, and the time. While the connection is down and the screen says so, the page is measured by what
// was true when it broke. Also what the screen must say: that a payment is checked while a person has to decide on it.
// And no stream may go back to an older view.
import { CLAIMS, NEWS_MS, type Claim, type ClaimName, type Said } from './claims.ts';
import { changesOf, factsAt, type OrderRecords, type Facts } from './facts.ts';
import { isWordless, sentencesIn, type Text } from './dictionary-sentences.ts';
import { SENTENCES } from './sentences.ts';

/** What was shown from `at` until the next screen. */
export interface Screen {
  at: number;
  texts: readonly Text[];
  codes: readonly string[];
  links: readonly string[];
  chosen?: string | undefined;
}

/** Buttons that lead to another payment. */
const OFFERS = /^(pay(_order|_deposit|_donation)?|again|other|newCode|newRequest|redirectOpen|appOpen)$/;

/**
 * Each false claim once, with its first time: `0.4 s: "…" claims requestAtWallet`. Times count from the first screen.
 */
export function findFalseClaims(
  screens: readonly Screen[],
  until: number,
  records: OrderRecords,
  isData: RegExp,
): string[] {
  const changes = changesOf(records);
  const begin = screens[0]?.at ?? until;
  const falseClaims = new Map<string, number>();
  const { doubtedAt, decidedAt, orderClosedAt } = records;
  const note = (falseClaim: string, at: number) =>
    falseClaims.set(falseClaim, Math.min(at, falseClaims.get(falseClaim) ?? Infinity));
  screens.forEach((screen, index) => {
    const end = screens[index + 1]?.at ?? until;
    const keys = screen.texts.flatMap((text) => sentencesIn(text).map(({ key }) => key));
    const saysLost = keys.includes('lost');
    const isDoubted = doubtedAt !== null && end > doubtedAt + NEWS_MS && screen.at < (decidedAt ?? Infinity);
    const isClosed = orderClosedAt !== null && end > orderClosedAt + NEWS_MS;
    const needed = isClosed ? 'closed' : 'checking';
    // A page that is loaded again says that it is checking until its first view; its claim is tested like any other.
    const isSaid = keys.includes(needed) || keys.includes('checking');
    if ((isDoubted || isClosed) && screen.texts.length > 0) {
      if (!isSaid) note(`no sentence says ${needed}`, screen.at);
      const offer = keys.find((key) => OFFERS.test(key)) ?? screen.codes[0];
      if (offer !== undefined) note(`${offer} is offered instead of ${needed}`, screen.at);
    }
    for (const text of screen.texts) {
      if (isWordless(text.text) || isData.test(text.text)) continue;
      const sentences = sentencesIn(text);
      if (sentences.length === 0) note(`${JSON.stringify(text.text)} is no sentence of the dictionary`, screen.at);
      const untrue = sentences.map((sentence) => {
        const said: Said = { ...sentence, codes: screen.codes, links: screen.links, chosen: screen.chosen };
        const isAction = text.place === 'method' && sentence.key !== 'unavailable';
        const names: readonly ClaimName[] = isAction ? [] : SENTENCES[sentence.key];
        return names.flatMap((name) => {
          const at = firstUntrue(CLAIMS[name], said, { from: screen.at, end, changes, records, saysLost });
          return at === null ? [] : [{ name, at }];
        });
      });
      // If two sentences share their words, the true one counts.
      if (untrue.some((claims) => claims.length === 0)) continue;
      for (const { name, at } of untrue[0] ?? []) note(`${JSON.stringify(text.text)} claims ${name}`, at);
    }
  });
  for (const versions of records.streams) {
    if (versions.some((version, index) => version < (versions[index - 1] ?? 0)))
      note(`a stream goes back: ${versions.join()}`, until);
  }
  return [...falseClaims].map(([falseClaim, at]) => `${((at - begin) / 1000).toFixed(1)} s: ${falseClaim}`);
}

interface Span {
  from: number;
  end: number;
  changes: readonly number[];
  records: OrderRecords;
  saysLost: boolean;
}

/** The first instant in the span at which the claim neither holds nor is within its grace. */
function firstUntrue(claim: Claim, said: Said, { from, end, changes, records, saysLost }: Span): number | null {
  const { staysMs = 0, leadsMs = 0 } = claim;
  const holdsAt = (at: number) => claim.holds(known(factsAt(records, at), records, saysLost), said);
  // Also just before a change, which may end what time alone had made true.
  const inReach = (at: number) =>
    changes.filter((time) => time > at - staysMs && time <= at + leadsMs).flatMap((time) => [time - 1, time]);
  const isExcused = (at: number) => [at, at - staysMs, at + leadsMs, ...inReach(at)].some(holdsAt);
  const within = (time: number) => time >= from && time < end;
  // Between two changes a claim can only end, by time. So it is tested just before the next change and after its grace.
  const instants = changes.flatMap((time) => [time - 1, time, time + staysMs + 1]).filter(within);
  instants.push(from, Math.max(from, end - 1));
  return instants.toSorted((one, other) => one - other).find((at) => !isExcused(at)) ?? null;
}

/** A page that shows a lost connection knows nothing newer about payments, but still the state of the connection. */
function known(now: Facts, records: OrderRecords, saysLost: boolean): Facts {
  if (!saysLost || now.connection.is === 'up') return now;
  const { payments, refunds, starts } = factsAt(records, now.connection.since);
  return { ...now, payments, refunds, starts };
}
