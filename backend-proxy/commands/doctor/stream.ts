// Whether the stream of an order reaches browsers: at once, and for longer than the usual timeout of reverse proxies.
import { needs, type Deployed } from './deployed.ts';
import { fail, ok, skipped, type Finding } from '../report.ts';
import { codeOf } from '../../received.ts';

const ABOUT = 'stream';
const FIRST_WITHIN_MS = 3_000;
/** The proxy sends a comment every 15 s. */
const MAX_SILENCE_MS = 20_000;
const BUFFERED = 'switch the buffering of answers off in the reverse proxy (nginx: proxy_buffering off)';

interface Seen {
  type: string;
  encoding: string | undefined;
  /** When each piece arrived, ms since the request. */
  piecesAt: number[];
  text: string;
  /** How the answer ended too early. */
  ended: string | undefined;
}

/** Reads for `seconds`; with 0 only until the first event. */
export async function tryStream(deployed: Deployed, seconds: number): Promise<Finding[]> {
  if (deployed.token === undefined) return [needs(ABOUT, 'ORDER_SECRET and ALLOWED_ORIGINS')];
  const seen = await watch(deployed, deployed.token(), seconds * 1000);
  const [first] = seen.piecesAt;
  if (!seen.type.startsWith('text/event-stream')) {
    return [fail(ABOUT, `not an event stream (${seen.type || seen.ended})`, 'pass on /order/events unchanged')];
  }
  if (seen.encoding !== undefined) {
    return [fail(ABOUT, `compressed (${seen.encoding}), which delays events`, 'do not compress text/event-stream')];
  }
  if (first === undefined || first > FIRST_WITHIN_MS || !seen.text.startsWith('event: order\n')) {
    return [fail(ABOUT, `no event within ${FIRST_WITHIN_MS / 1000} s`, BUFFERED)];
  }
  const began = ok(ABOUT, `the first event comes after ${Math.round(first)} ms, unbuffered`);
  if (seconds === 0) return [began, skipped(ABOUT, 'whether it lasts: left out by --quick')];
  return [began, lasting(seen, seconds)];
}

function lasting({ piecesAt, ended }: Seen, seconds: number): Finding {
  const until = ended === undefined ? seconds * 1000 : (piecesAt.at(-1) ?? 0);
  const silences = [...piecesAt, until].map((at, index) => at - (piecesAt[index - 1] ?? 0));
  const longest = Math.max(...silences);
  if (ended !== undefined) {
    const remedy = 'let the reverse proxy keep silent answers for longer than 20 s (nginx: proxy_read_timeout)';
    return fail(ABOUT, `it was cut before ${seconds} s (${ended})`, remedy);
  }
  if (longest > MAX_SILENCE_MS) return fail(ABOUT, `silent for ${Math.round(longest / 1000)} s`, BUFFERED);
  const cut = seconds > 60 ? ', so nothing cuts it at 60 s' : '';
  return ok(ABOUT, `open for ${seconds} s, heartbeats: ${piecesAt.length - 1}${cut}`);
}

async function watch({ base, visitor }: Deployed, headers: Record<string, string>, forMs: number): Promise<Seen> {
  const seen: Seen = { type: '', encoding: undefined, piecesAt: [], text: '', ended: undefined };
  const ending = new AbortController();
  const startedAt = performance.now();
  const timer = setTimeout(() => ending.abort(), Math.max(forMs, FIRST_WITHIN_MS));
  try {
    const options = { headers: { ...headers, 'Accept-Encoding': 'gzip, br' }, signal: ending.signal };
    const answer = await visitor.open(`${base.href}order/events`, options);
    seen.type = String(answer.headers['content-type'] ?? `HTTP ${answer.statusCode}`);
    const encoding = answer.headers['content-encoding'];
    if (encoding !== undefined) seen.encoding = String(encoding);
    for await (const piece of answer.body) {
      seen.piecesAt.push(performance.now() - startedAt);
      if (seen.text === '') seen.text = String(piece);
      if (forMs === 0) return seen;
    }
    seen.ended = 'ended by the other side';
  } catch (error) {
    if (!ending.signal.aborted) seen.ended = codeOf(error);
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
  return seen;
}
