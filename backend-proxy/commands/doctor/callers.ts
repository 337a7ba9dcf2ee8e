// Whether the gateway's IPNs and the merchant's server reach the proxy, and nobody else does.
import { merchantKeysOf } from '../../config/merchant-keys.ts';
import type { MerchantKey, Scope } from '../../protocol/merchant-key.ts';
import { DOCTOR } from '../../routes/ipn.ts';
import { needs, type Deployed } from './deployed.ts';
import { fail, ok, type Finding } from '../report.ts';
import { wordOf } from '../visit.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

/** The body is not that of an IPN, and is stored once however often it comes. */
export async function tryIpn({ settings, visit }: Deployed): Promise<Finding[]> {
  const post = (secret: string) => visit(`ipn/${secret}`, { method: 'POST', headers: JSON_BODY, body: DOCTOR.body });
  const wrong = wordOf(await post(DOCTOR.wrongSecret));
  const guarded =
    wrong === 'HTTP 404'
      ? ok('IPN', 'a wrong secret is refused')
      : fail('IPN', `a wrong secret is answered ${wrong}, not 404`, 'let the reverse proxy pass on /ipn/ unchanged');
  const [secret] = settings.IPN_SECRET ?? [];
  if (secret === undefined) return [guarded, needs('IPN', 'IPN_SECRET')];
  const answers = [wordOf(await post(secret)), wordOf(await post(secret))];
  if (answers.every((answer) => answer === 'HTTP 200'))
    return [guarded, ok('IPN', 'an IPN and its repeat are accepted')];
  const remedy = 'use the IPN_SECRET of the deployed proxy, and let the reverse proxy pass on POST /ipn/ unchanged';
  return [guarded, fail('IPN', `an IPN is answered ${answers.join(', its repeat ')}`, remedy)];
}

/** A request that the scope opens and that does nothing: what it posts is not valid. */
const PROBES = {
  orders: ['POST', 'orders'],
  read: ['GET', 'transactions?limit=1'],
  refunds: ['POST', 'orders/payment-proxy-doctor/refunds'],
  payouts: ['POST', 'payouts'],
  operate: ['POST', 'transactions/payment-proxy-doctor/resolve'],
} as const satisfies Partial<Record<Scope, readonly ['GET' | 'POST', string]>>;
const TRIED = Object.keys(PROBES) as (keyof typeof PROBES)[];

export async function tryMerchantApi({ settings, visit }: Deployed): Promise<Finding[]> {
  const about = 'merchant API';
  const ask = async (headers: Record<string, string>, scope: keyof typeof PROBES = 'read') => {
    const [method, path] = PROBES[scope];
    const body = method === 'POST' ? { headers: { ...headers, ...JSON_BODY }, body: '{}' } : { headers };
    return wordOf(await visit(path, { method, ...body }));
  };
  const expectAnswer = (says: string, got: string, wanted: string, remedy: string) =>
    got === wanted ? ok(about, says) : fail(about, `${says}? It answers ${got}, not ${wanted}`, remedy);
  const tryKey = async ({ name, scopes, key }: MerchantKey): Promise<Finding> => {
    const answers = await Promise.all(TRIED.map((scope) => ask({ Authorization: `Bearer ${key}` }, scope)));
    const others = answers.filter((answer) => !/^HTTP (200|400|403)$/.test(answer));
    const opened = TRIED.filter((_, at) => answers[at] !== 'HTTP 403').join(', ') || 'nothing';
    const wanted = TRIED.filter((scope) => scopes.includes(scope)).join(', ') || 'nothing';
    const remedy = 'use the MERCHANT_API_KEY and MERCHANT_KEYS of the deployed proxy';
    if (others[0] !== undefined) return fail(about, `the key ${name} is answered ${others[0]}`, remedy);
    return opened === wanted
      ? ok(about, `the key ${name} opens ${opened}, and no more`)
      : fail(about, `the key ${name} opens ${opened}, not ${wanted}`, remedy);
  };
  const unguarded = 'remove the header that the reverse proxy adds';
  const closed = expectAnswer('a request without the key is refused', await ask({}), 'HTTP 401', unguarded);
  const keys = merchantKeysOf(settings);
  if (keys.length === 0) return [closed, needs(about, 'MERCHANT_API_KEY or MERCHANT_KEYS')];
  const tried = [closed, ...(await Promise.all(keys.map(tryKey)))];
  // Another key is refused whether or not the Origin arrives.
  const reader = keys.find(({ scopes }) => scopes.includes('read'));
  if (reader === undefined) return [...tried, needs(about, 'a key with the scope read, to try a request of a page')];
  const fromPage = await ask({ Authorization: `Bearer ${reader.key}`, Origin: 'https://payment-proxy-doctor.invalid' });
  return [
    ...tried,
    expectAnswer('a request of a page is refused', fromPage, 'HTTP 403', 'let the reverse proxy pass on Origin'),
  ];
}

/** The body is not a payout, so nothing could be sent even if the token were accepted. */
export async function tryPayouts({ token, visit }: Deployed): Promise<Finding> {
  if (token === undefined) return needs('payouts', 'ORDER_SECRET and ALLOWED_ORIGINS');
  const answer = wordOf(await visit('payouts', { method: 'POST', headers: { ...JSON_BODY, ...token() }, body: '{}' }));
  return answer === 'HTTP 401'
    ? ok('payouts', "a shopper's token is refused")
    : fail('payouts', `a shopper's token is answered ${answer}, not 401`, 'is this URL a proxy of this version?');
}
