// Holds what the screen said to what was true, at every change of either. A lie is a sentence, the claim that did not hold, and
// when. While the line is down and the screen says so, the page is held to what it could know: what was true when it went down.
import { CLAIMS, type Claim, type ClaimName, type Said } from './claims.ts';
import { changesOf, factsAt, type OrderRecords, type Facts } from './facts.ts';
import { isWordless, sentencesIn, type Text } from './dictionary-sentences.ts';
import { SENTENCES } from './sentences.ts';

/** What was to be seen from `at` on, until the next one. */
export interface Screen {
  at: number;
  texts: readonly Text[];
  codes: readonly string[];
  links: readonly string[];
}

/** Each lie once, with the moment it began: `0.4 s: "…" claims requestAtWallet`. Times count from the first screen. */
export function findFalseClaims(
  screens: readonly Screen[],
  until: number,
  records: OrderRecords,
  isData: RegExp,
): string[] {
  const changes = changesOf(records);
  const begin = screens[0]?.at ?? until;
  const falseClaims = new Map<string, number>();
  const note = (falseClaim: string, at: number) =>
    falseClaims.set(falseClaim, Math.min(at, falseClaims.get(falseClaim) ?? Infinity));
  screens.forEach((screen, index) => {
    const end = screens[index + 1]?.at ?? until;
    const saysLost = screen.texts.some((text) => sentencesIn(text).some(({ key }) => key === 'lost'));
    for (const text of screen.texts) {
      if (isWordless(text.text) || isData.test(text.text)) continue;
      const sentences = sentencesIn(text);
      if (sentences.length === 0) note(`${JSON.stringify(text.text)} is no sentence of the dictionary`, screen.at);
      const untrue = sentences.map((sentence) => {
        const said: Said = { ...sentence, codes: screen.codes, links: screen.links };
        const names: readonly ClaimName[] = SENTENCES[sentence.key];
        return names.flatMap((name) => {
          const at = firstUntrue(CLAIMS[name], said, { from: screen.at, end, changes, records, saysLost });
          return at === null ? [] : [{ name, at }];
        });
      });
      // Where two sentences have the same words, it is read as the one that holds.
      if (untrue.some((claims) => claims.length === 0)) continue;
      for (const { name, at } of untrue[0] ?? []) note(`${JSON.stringify(text.text)} claims ${name}`, at);
    }
  });
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
  // Just before a change, too: what time alone had made true ends there.
  const inReach = (at: number) =>
    changes.filter((time) => time > at - staysMs && time <= at + leadsMs).flatMap((time) => [time - 1, time]);
  const isExcused = (at: number) => [at, at - staysMs, at + leadsMs, ...inReach(at)].some(holdsAt);
  const within = (time: number) => time >= from && time < end;
  // Between two changes a claim can only end, by time: so each is looked at just before the next change, too, and after its grace.
  const instants = changes.flatMap((time) => [time - 1, time, time + staysMs + 1]).filter(within);
  instants.push(from, Math.max(from, end - 1));
  return instants.toSorted((one, other) => one - other).find((at) => !isExcused(at)) ?? null;
}

/** A page that says it hears nothing cannot know what came since; of the line itself it can. */
function known(now: Facts, records: OrderRecords, saysLost: boolean): Facts {
  if (!saysLost || now.connection.is === 'up') return now;
  const { payments, starts } = factsAt(records, now.connection.since);
  return { ...now, payments, starts };
}
