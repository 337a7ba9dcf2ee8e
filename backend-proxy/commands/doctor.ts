// `payment-proxy doctor URL`: tries a deployed proxy from outside, as browsers, the gateway and the merchant's server
// reach it. It starts no payment and sends no payout. With the environment of the proxy it tries more; a check whose
// secret is missing is skipped, and says so. The secrets go only to URL, and only after it has answered as a proxy.
import { createHash, createSecretKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { parseArgs } from 'node:util';
import { readSome, type Config, merchantKeysOf } from '../config/config.ts';
import { WIDGET_FOLDER } from '../installation.ts';
import { signToken } from '../orders/order-token.ts';
import { isLoopbackName, isSafeWebUrl } from '../protocol/links.ts';
import { SCOPE_NAMES, type MerchantKey, type Scope } from '../protocol/merchant-key.ts';
import { MAX_STREAMS } from '../routes/events.ts';
import { DOCTOR_IPN } from '../routes/ipn.ts';
import { UsageError, type Call, createReport, fail, ok, skipped, warn, type Finding } from './report.ts';
import { createVisitor, jsonOf, wordOf, type Visitor } from './requests.ts';

const TIMEOUT_MS = 10_000;
const FIRST_EVENT_WITHIN_MS = 3_000;
const TOKEN_LIFETIME_S = 3_600;
const FOREIGN = 'https://payment-proxy-doctor.invalid';
const JSON_BODY = { 'Content-Type': 'application/json' };

const SETTINGS = ['ORDER_SECRET', 'MERCHANT_API_KEY', 'MERCHANT_KEYS', 'IPN_SECRET', 'ALLOWED_ORIGINS'] as const;

/** `base` ends with a slash. The settings are those of this command's environment; they should be the proxy's. */
export interface Deployed extends Pick<Visitor, 'visit' | 'open'> {
  base: URL;
  settings: Partial<Pick<Config, (typeof SETTINGS)[number]>>;
}

const needs = (about: string, variables: string) => skipped(about, `needs ${variables}`);

export async function doctor({ args, env, print }: Call): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } });
  const base = baseOf(positionals);
  const visitor = createVisitor();
  const deployed: Deployed = {
    base,
    settings: readSome(env, SETTINGS),
    visit: (path, options) => visitor.visit(`${base.href}${path}`, options),
    open: (path, options) => visitor.open(`${base.href}${path}`, options),
  };
  const report = createReport(print, values.json === true);
  try {
    report.add(await tryCertificate(deployed));
    const health = await tryHealth(deployed);
    report.add(health);
    if (health.result === 'FAIL') {
      report.add(skipped('everything else', 'no proxy answers there, and secrets are sent to nothing else'));
      return report.end();
    }
    const attempts = [tryOrder, tryStream, tryAddresses, tryOrigins, tryWidgetFiles, tryIpn, tryMerchantApi];
    for (const attempt of attempts) report.add(await attempt(deployed));
    return report.end();
  } finally {
    await visitor.close();
  }
}

/** With a slash at the end, so that paths can be appended. */
function baseOf([text = '', ...more]: string[]): URL {
  const url = URL.parse(text);
  if (more.length > 0 || url === null || !isSafeWebUrl(url) || url.search !== '' || url.hash !== '') {
    throw new UsageError('name the URL of one proxy: https, or http on loopback.');
  }
  url.pathname = url.pathname.replace(/\/*$/, '/');
  return url;
}

function tryCertificate({ base: { protocol, hostname, port, host } }: Deployed): Promise<Finding> | Finding {
  const about = 'certificate';
  if (protocol === 'http:') return skipped(about, 'http on loopback has none');
  const name = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host: name, port: Number(port) || 443, ...(isIP(name) === 0 && { servername: name }) });
    const end = (finding: Finding) => {
      socket.destroy();
      resolve(finding);
    };
    const refuse = (cause: string) =>
      end(fail(about, `${host}: ${cause}`, 'correct the URL or the DNS, renew it, or serve its whole chain'));
    socket.setTimeout(TIMEOUT_MS, () => refuse('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => refuse(error.code ?? error.message));
    socket.once('secureConnect', () => end(ok(about, `valid to ${socket.getPeerCertificate().valid_to}`)));
  });
}

async function tryHealth({ visit }: Deployed): Promise<Finding> {
  const answer = await visit('healthz');
  if (wordOf(answer) === 'HTTP 200' && jsonOf(answer)?.['status'] === 'ok') return ok('health', 'the proxy answers');
  const remedy = 'start the proxy, and let the reverse proxy pass on the whole path below this URL';
  return fail('health', `healthz is not answered by a proxy (${wordOf(answer)})`, remedy);
}

/**
 * The header with a token for an order that nobody pays; undefined without the secret. It has no `iat`, so the proxy
 * stores nothing about an order that is only viewed.
 */
async function tokenOf(
  { settings }: Deployed,
  orderId = 'payment-proxy-doctor',
): Promise<Record<string, string> | undefined> {
  const [secret] = settings.ORDER_SECRET ?? [];
  const [origin] = settings.ALLOWED_ORIGINS ?? [];
  if (secret === undefined || origin === undefined) return undefined;
  const exp = Math.floor(Date.now() / 1000) + TOKEN_LIFETIME_S;
  const claims = { orderId, amount: '1', currency: 'EUR', returnUrl: `${origin}/`, exp };
  return { Authorization: `Bearer ${await signToken(claims, createSecretKey(Buffer.from(secret)))}` };
}

export async function tryOrder(deployed: Deployed): Promise<Finding[]> {
  const headers = await tokenOf(deployed);
  if (headers === undefined) return [needs('order', 'ORDER_SECRET and ALLOWED_ORIGINS')];
  const answer = await deployed.visit('order', { headers });
  if (wordOf(answer) !== 'HTTP 200') {
    const remedy = 'use the ORDER_SECRET and ALLOWED_ORIGINS of the deployed proxy';
    return [fail('order', `it does not show an order signed with ORDER_SECRET (${wordOf(answer)})`, remedy)];
  }
  const shown = ok('order', 'it shows an order signed with ORDER_SECRET');
  if (jsonOf(answer)?.['test'] !== true) return [shown, ok('money', 'the gateway moves money')];
  if (isLoopbackName(deployed.base.hostname)) return [shown, ok('money', 'a test gateway')];
  const remedy = 'set GATEWAY_URL and GATEWAY_PROFILE of the live gateway; a shop for tests may stay as it is';
  return [shown, fail('money', 'a test gateway at a public address: shoppers pay, and no money moves', remedy)];
}

/** Whether the stream's first event comes at once, so that nothing buffers it. */
async function tryStream(deployed: Deployed): Promise<Finding> {
  const about = 'stream';
  const headers = await tokenOf(deployed);
  if (headers === undefined) return needs(about, 'ORDER_SECRET and ALLOWED_ORIGINS');
  const signal = AbortSignal.timeout(FIRST_EVENT_WITHIN_MS);
  const buffered = 'switch buffering and compression of text/event-stream off (nginx: proxy_buffering off)';
  try {
    const { body } = await deployed.open('order/events', { headers, signal });
    for await (const piece of body) {
      if (String(piece).startsWith('event: order\n')) return ok(about, 'the first event comes at once, unbuffered');
      break;
    }
    return fail(about, 'its answer is no event stream', 'pass on /order/events unchanged');
  } catch {
    return fail(about, `no event within ${FIRST_EVENT_WITHIN_MS / 1000} s`, buffered);
  }
}

/** Streams are limited by address, as starts of payments are, and cost nothing. */
async function tryAddresses(deployed: Deployed): Promise<Finding> {
  const about = 'addresses';
  if ((await tokenOf(deployed)) === undefined) return needs(about, 'ORDER_SECRET and ALLOWED_ORIGINS');
  const remedy = 'set TRUSTED_PROXIES to the number of reverse proxies; nginx: $proxy_add_x_forwarded_for';
  // 198.51.100.0/24 is for documentation: nobody has these addresses.
  if (!(await isOneRefused(deployed, () => '198.51.100.1'))) {
    if (isLoopbackName(deployed.base.hostname)) return skipped(about, 'not judged on loopback');
    return warn(about, 'no address is counted, so the limit of starts stops nobody', remedy);
  }
  if (await isOneRefused(deployed, (at) => `198.51.100.${at + 2}`)) {
    return ok(about, 'callers are counted, and a forged X-Forwarded-For changes nothing');
  }
  return fail(about, 'a forged X-Forwarded-For is believed, so the limit of starts stops nobody', remedy);
}

/** Opens as many streams as one address may have, and one more; all are closed again. */
async function isOneRefused(deployed: Deployed, addressOf: (at: number) => string): Promise<boolean> {
  const ending = new AbortController();
  const open = async (at: number): Promise<number> => {
    const token = await tokenOf(deployed, `payment-proxy-doctor-${Math.floor(at / MAX_STREAMS.perOrder)}`);
    const headers = { ...token, 'X-Forwarded-For': addressOf(at) };
    const answer = await deployed.open('order/events', { headers, signal: ending.signal });
    // It ends with the signal, which is no error here.
    answer.body.on('error', () => undefined).resume();
    return answer.statusCode;
  };
  const opened = await Promise.allSettled(Array.from({ length: MAX_STREAMS.perAddress + 1 }, (_, at) => open(at)));
  ending.abort();
  return opened.some((each) => each.status === 'fulfilled' && each.value === 503);
}

async function tryOrigins({ settings, visit }: Deployed): Promise<Finding> {
  const { ALLOWED_ORIGINS: allowed = [] } = settings;
  const wrong: string[] = [];
  for (const origin of [...allowed, FOREIGN]) {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
    const answer = await visit('order/payments', { method: 'OPTIONS', headers });
    const given = 'lost' in answer ? answer.lost : answer.headers['access-control-allow-origin'];
    if (origin === FOREIGN ? given !== undefined : given !== origin) {
      wrong.push(origin === FOREIGN ? 'any origin may' : `${origin} may not`);
    }
  }
  const remedy = 'correct ALLOWED_ORIGINS, and set no CORS header in the reverse proxy';
  if (wrong.length > 0) return fail('origins', `pages of ${wrong.join(', of ')} talk to it`, remedy);
  if (allowed.length === 0) return needs('origins', 'ALLOWED_ORIGINS');
  return ok('origins', `pages of ${allowed.join(', of ')} may talk to it, and no others`);
}

async function tryWidgetFiles({ visit }: Deployed): Promise<Finding> {
  const about = 'widget files';
  const list = join(WIDGET_FOLDER, 'integrity.json');
  if (!existsSync(list)) return skipped(about, 'needs the widget of this installation, which is not built');
  const expected = Object.entries(JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>);
  const differing: string[] = [];
  for (const [name, integrity] of expected) {
    const answer = await visit(name);
    const hash = 'lost' in answer ? '' : createHash('sha384').update(answer.body).digest('base64');
    if (wordOf(answer) !== 'HTTP 200' || `sha384-${hash}` !== integrity) differing.push(name);
  }
  if (differing.length === 0) return ok(about, `all ${expected.length} are those of this installation`);
  const says = `${differing.length} of ${expected.length} are missing or differ, such as ${differing[0]}`;
  return fail(about, says, 'use the version that is deployed; or the reverse proxy changes or caches them');
}

/** The body is not that of an IPN, and is stored once however often it comes. */
async function tryIpn({ settings, visit }: Deployed): Promise<Finding> {
  const [secret] = settings.IPN_SECRET ?? [];
  if (secret === undefined) return needs('IPN', 'IPN_SECRET');
  const said = wordOf(await visit(`ipn/${secret}`, { method: 'POST', headers: JSON_BODY, body: DOCTOR_IPN }));
  if (said === 'HTTP 200') return ok('IPN', 'an IPN is accepted');
  const remedy = 'let the reverse proxy pass on POST /ipn/ unchanged, and use the IPN_SECRET of the deployed proxy';
  return fail('IPN', `an IPN is answered ${said}`, remedy);
}

/** A request that the scope opens and that does nothing: what it posts is not valid. */
const PROBES = {
  orders: ['POST', 'orders'],
  read: ['GET', 'transactions?limit=1'],
  refunds: ['POST', 'orders/payment-proxy-doctor/refunds'],
  payouts: ['POST', 'payouts'],
  operate: ['POST', 'transactions/payment-proxy-doctor/resolve'],
} as const satisfies Record<Scope, readonly ['GET' | 'POST', string]>;

async function tryMerchantApi({ settings, visit }: Deployed): Promise<Finding[]> {
  const about = 'merchant API';
  const remedy = 'use the MERCHANT_API_KEY and MERCHANT_KEYS of the deployed proxy';
  const tryKey = async ({ name, scopes, key }: MerchantKey): Promise<Finding> => {
    const asked = SCOPE_NAMES.map((scope) => {
      const [method, path] = PROBES[scope];
      const headers = { ...JSON_BODY, Authorization: `Bearer ${key}` };
      return visit(path, method === 'GET' ? { headers } : { method, headers, body: '{}' });
    });
    const answers = (await Promise.all(asked)).map(wordOf);
    const other = answers.find((answer) => !/^HTTP (200|400|403)$/.test(answer));
    if (other !== undefined) return fail(about, `the key ${name} is answered ${other}`, remedy);
    const opened = SCOPE_NAMES.filter((_, at) => answers[at] !== 'HTTP 403').join(', ') || 'nothing';
    const wanted = SCOPE_NAMES.filter((scope) => scopes.includes(scope)).join(', ') || 'nothing';
    if (opened === wanted) return ok(about, `the key ${name} opens ${opened}, and no more`);
    return fail(about, `the key ${name} opens ${opened}, not ${wanted}`, remedy);
  };
  const keys = merchantKeysOf(settings);
  return keys.length === 0 ? [needs(about, 'MERCHANT_API_KEY or MERCHANT_KEYS')] : Promise.all(keys.map(tryKey));
}
