// `payment-proxy doctor URL`: tries a deployed proxy from outside, as browsers, the gateway and the merchant's server
// reach it. It starts no payment and sends no payout. With the environment of the proxy it tries more; a check whose
// secret is missing is skipped, and says so. The secrets go only to URL, and only after it has answered as a proxy.
import { parseArgs } from 'node:util';
import { readConfig, readSome, type Config, type Environment } from '../../config/config.ts';
import { isSafeWebUrl } from '../../protocol/links.ts';
import { checkGateway } from '../check-gateway.ts';
import { UsageError, type Call } from '../command-call.ts';
import { SETTINGS, type Deployed } from './deployed.ts';
import { createOrderToken } from './token.ts';
import { tryAddresses } from './addresses.ts';
import { tryIpn, tryMerchantApi, tryPayouts } from './callers.ts';
import { tryHealth, tryOrder, tryReadiness } from './health.ts';
import { tryOrigins } from './origins.ts';
import { tryStream } from './stream.ts';
import { tryCertificate, tryHsts, tryRedirect } from './transport.ts';
import { tryWidgetFiles } from './widget.ts';
import { createReport, skipped, type Finding } from '../report.ts';
import { createVisitor } from '../visit.ts';

/** Longer than the 60 s after which nginx and others by default end a silent answer. */
const STREAM_SECONDS = 70;
const MAX_STREAM_SECONDS = 3_600;

export async function doctor({ args, env, print }: Call): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, 'stream-seconds': { type: 'string' }, json: { type: 'boolean' } },
  });
  const base = baseOf(positionals);
  const settings = readSome(env, SETTINGS);
  const visitor = createVisitor();
  const deployed: Deployed = {
    base,
    settings,
    visitor,
    visit: (path, options) => visitor.visit(`${base.href}${path}`, options),
    token: createOrderToken(settings),
  };
  const report = createReport(print, values.json === true);
  try {
    for (const attempt of [tryCertificate, tryRedirect, tryHsts]) report.add(await attempt(deployed));
    const health = await tryHealth(deployed);
    report.add(health);
    if (health.result === 'FAIL') {
      report.add(skipped('everything else', 'no proxy answers there, and secrets are sent to nothing else'));
      return report.end();
    }
    const attempts = [tryReadiness, tryOrder, tryOrigins, tryWidgetFiles, tryIpn, tryMerchantApi, tryPayouts];
    for (const attempt of attempts) report.add(await attempt(deployed));
    report.add(await tryAddresses(deployed));
    report.add(await tryGateway(env));
    report.add(await tryStream(deployed, secondsOf(values)));
    return report.end();
  } finally {
    await visitor.close();
  }
}

/** With a slash at the end, so that paths can be appended. */
function baseOf([text, ...more]: string[]): URL {
  if (text === undefined || more.length > 0) throw new UsageError('name the URL of one proxy.');
  const url = URL.parse(text);
  if (url === null || !isSafeWebUrl(url) || url.search !== '' || url.hash !== '') {
    throw new UsageError('the URL of a proxy is https, or http on loopback.');
  }
  url.pathname = url.pathname.replace(/\/*$/, '/');
  return url;
}

function secondsOf(values: { quick?: boolean; 'stream-seconds'?: string }): number {
  if (values.quick === true) return 0;
  const text = values['stream-seconds'] ?? String(STREAM_SECONDS);
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > MAX_STREAM_SECONDS) {
    throw new UsageError(`--stream-seconds is a whole number of at most ${MAX_STREAM_SECONDS}.`);
  }
  return seconds;
}

/** Asked from this machine, which may not be the proxy's. */
async function tryGateway(env: Environment): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch {
    return [skipped('gateway', "needs the proxy's whole configuration (`payment-proxy check` says what is missing)")];
  }
  return checkGateway(config);
}
