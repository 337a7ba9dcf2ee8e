// Asks the gateway for the status of an id that never existed. This shows whether it can be reached, whether it accepts
// the key, and whether the profile's `noSuchOrder` fits its answer. It starts no payment.
import { randomBytes } from 'node:crypto';
import { Agent, type Dispatcher } from 'undici';
import type { Config } from '../config/config.ts';
import type { Checked } from '../gateway/gateway.ts';
import { createGateway } from '../gateway/http.ts';
import { CODE } from '../gateway/profile.ts';
import { clockFinding, fail, ok, warn, type Finding } from './report.ts';

const ABOUT = 'gateway';
const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;

export type GatewaySettings = Pick<Config, 'GATEWAY_URL' | 'GATEWAY_API_KEY' | 'GATEWAY_PROFILE' | 'ORDER_ID_PREFIX'>;

export async function checkGateway(config: GatewaySettings): Promise<Finding[]> {
  const { GATEWAY_URL: url, GATEWAY_API_KEY: apiKey, GATEWAY_PROFILE: profile, ORDER_ID_PREFIX: prefix = '' } = config;
  const seen = { text: '' };
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } });
  const dispatcher = agent.compose(observe(seen));
  const gateway = createGateway({ url, apiKey, profile, checkoutHosts: [], dispatcher, totalTimeoutMs: TIMEOUT_MS });
  try {
    if (gateway.status === undefined) {
      const remedy = 'set paths.status in the profile if the gateway has a status check';
      return [
        warn(ABOUT, 'the profile has no status check, so IPNs are trusted unchecked and nothing is tried', remedy),
      ];
    }
    const id = `${prefix}check-${randomBytes(9).toString('hex')}`;
    const answer = await gateway.status(id, 'PAY');
    const { host } = new URL(url);
    const offset = gateway.clockOffset();
    return [
      findingOf(answer, host, wordsIn(seen.text)),
      ...(offset === undefined ? [] : [clockFinding('clock of the gateway', offset)]),
    ];
  } finally {
    await agent.destroy();
  }
}

function findingOf(answer: Checked, host: string, words: string): Finding {
  switch (answer.kind) {
    case 'unknown':
      if (answer.isNoSuchOrder)
        return ok(ABOUT, `${host} accepts the key and answers an unknown id as the profile expects`);
      return warn(
        ABOUT,
        `${host} answers an unknown id with 404, but not in the words of the profile's noSuchOrder`,
        `a wrong path looks the same; if the path is right, set noSuchOrder${words === '' ? '' : ` (it said ${words})`}`,
      );
    case 'found':
      return fail(ABOUT, `${host} knows an id that never existed`, 'GATEWAY_URL or paths.status is wrong');
    case 'unavailable':
      return unavailable(answer.detail, host);
    default:
      return answer satisfies never;
  }
}

const REFUSED_KEY = new Set(['HTTP 401', 'HTTP 403']);

function unavailable(detail: string, host: string): Finding {
  if (REFUSED_KEY.has(detail)) return fail(ABOUT, `${host} refuses the key (${detail})`, 'set GATEWAY_API_KEY');
  if (detail === 'HTTP 429') return warn(ABOUT, `${host} accepts no more requests now (${detail})`, 'try again later');
  const says =
    detail.startsWith('HTTP') || detail.includes(' ') ? 'does not answer as documented' : 'cannot be reached';
  return fail(ABOUT, `${host} ${says} (${detail})`, 'check GATEWAY_URL, paths.status and the network');
}

/** Forwards everything, and keeps what the gateway answered, as it wrote it. */
function observe(seen: { text: string }): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData(...args) {
        if (seen.text.length < MAX_BYTES) seen.text += args[1].toString('utf8');
        handler.onResponseData?.(...args);
      },
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

/** Fields whose value is a code, such as `code: UNKNOWN_ORDER`; no other text of the gateway is shown. */
function wordsIn(text: string): string {
  try {
    const fields = JSON.parse(text) as unknown;
    if (typeof fields !== 'object' || fields === null) return '';
    const codes = Object.entries(fields).filter(([, value]) => typeof value === 'string' && CODE.test(value));
    return codes.map(([field, value]) => `{"field": "${field}", "value": "${String(value)}"}`).join(' or ');
  } catch {
    return '';
  }
}
