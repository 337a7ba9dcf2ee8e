// Whether callers are counted by their address, and cannot choose it by X-Forwarded-For. Streams are limited by
// address, as starts of payments are, and cost nothing: this opens as many as one address may have, and one more.
import { isLoopbackName } from '../../protocol/links.ts';
import { MAX_STREAMS } from '../../routes/events.ts';
import { needs, type Deployed } from './deployed.ts';
import { fail, ok, skipped, warn, type Finding } from '../report.ts';

const REFUSED = 503;
const TIMEOUT_MS = 5_000;
const ABOUT = 'addresses';

export async function tryAddresses(deployed: Deployed): Promise<Finding> {
  const { base, token } = deployed;
  if (token === undefined) return needs(ABOUT, 'ORDER_SECRET and ALLOWED_ORIGINS');
  // 198.51.100.0/24 is for documentation: nobody has these addresses.
  const fromOne = await openTooMany(deployed, token, () => '198.51.100.1');
  if (fromOne === 'no answer') return skipped(ABOUT, 'needs streams, and they are not answered');
  if (fromOne === 'all open' && isLoopbackName(base.hostname)) {
    return skipped(ABOUT, 'not judged on loopback, where callers have no address of their own');
  }
  if (fromOne === 'all open') {
    const says = 'no address is counted, so the limit of starts stops nobody';
    return warn(ABOUT, says, 'set TRUSTED_PROXIES to the number of reverse proxies in front');
  }
  const fromMany = await openTooMany(deployed, token, (at) => `198.51.100.${at + 2}`);
  if (fromMany === 'one refused') return ok(ABOUT, 'callers are counted, and a forged X-Forwarded-For changes nothing');
  const remedy =
    "set TRUSTED_PROXIES to the number of reverse proxies in front, and let each add its caller's address " +
    '(nginx: $proxy_add_x_forwarded_for)';
  return fail(ABOUT, 'a forged X-Forwarded-For is believed, so the limit of starts stops nobody', remedy);
}

/** All streams are closed again before this resolves. */
async function openTooMany(
  { base, visitor }: Deployed,
  token: NonNullable<Deployed['token']>,
  addressOf: (at: number) => string,
): Promise<'one refused' | 'all open' | 'no answer'> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const open = async (at: number): Promise<number> => {
    const order = `payment-proxy-doctor-${Math.floor(at / MAX_STREAMS.perOrder)}`;
    const headers = { ...token(order), 'X-Forwarded-For': addressOf(at) };
    const answer = await visitor.open(`${base.href}order/events`, { headers, signal });
    // It ends with the signal, which is no error here.
    answer.body.on('error', () => undefined).resume();
    return answer.statusCode;
  };
  try {
    const opened = await Promise.allSettled(Array.from({ length: MAX_STREAMS.perAddress + 1 }, (_, at) => open(at)));
    const statuses = opened.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
    if (statuses.includes(REFUSED)) return 'one refused';
    return statuses.includes(undefined) ? 'no answer' : 'all open';
  } finally {
    ending.abort();
  }
}
