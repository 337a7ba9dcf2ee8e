// Whether the gateway's IPNs and the merchant's server reach the proxy, and nobody else does.
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

export async function tryMerchantApi({ settings, visit }: Deployed): Promise<Finding[]> {
  const get = async (headers: Record<string, string>) => wordOf(await visit('transactions?limit=1', { headers }));
  const about = 'merchant API';
  const expectAnswer = (says: string, got: string, wanted: string, remedy: string) =>
    got === wanted ? ok(about, says) : fail(about, `${says}? It answers ${got}, not ${wanted}`, remedy);
  const unguarded = 'remove the header that the reverse proxy adds';
  const closed = expectAnswer('a request without the key is refused', await get({}), 'HTTP 401', unguarded);
  const [key] = settings.MERCHANT_API_KEY ?? [];
  if (key === undefined) return [closed, needs(about, 'MERCHANT_API_KEY')];
  const Authorization = `Bearer ${key}`;
  const open = await get({ Authorization });
  const fromPage = await get({ Authorization, Origin: 'https://payment-proxy-doctor.invalid' });
  return [
    closed,
    expectAnswer('the key is accepted', open, 'HTTP 200', 'use the MERCHANT_API_KEY of the deployed proxy'),
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
