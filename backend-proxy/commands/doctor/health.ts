// Whether the proxy answers and can take payments, by which gateway, and its clocks.
import { needs, type Deployed } from './deployed.ts';
import { isLoopbackName } from '../../protocol/links.ts';
import { clockFinding, fail, ok, warn, type Finding } from '../report.ts';
import { jsonOf, wordOf } from '../visit.ts';

export async function tryHealth({ visit }: Deployed): Promise<Finding> {
  const answer = await visit('healthz');
  if (!('lost' in answer) && answer.status === 200 && jsonOf(answer)?.['status'] === 'ok') {
    return ok('health', 'the proxy answers');
  }
  const remedy = 'start the proxy, and let the reverse proxy pass on the whole path below this URL';
  return fail('health', `healthz is not answered by a proxy (${wordOf(answer)})`, remedy);
}

export async function tryReadiness({ visit }: Deployed): Promise<Finding[]> {
  const answer = await visit('readyz');
  const body = jsonOf(answer);
  if (wordOf(answer) !== 'HTTP 200') {
    const detail = typeof body?.['detail'] === 'string' ? `: ${body['detail']}` : '';
    return [fail('readiness', `${wordOf(answer)}${detail}`, 'see "At 3 a.m." in docs/operations.md')];
  }
  const warnings = Array.isArray(body?.['warnings']) ? body['warnings'] : [];
  if (warnings.length === 0) return [ok('readiness', 'payments can start')];
  return warnings.map((each) => warn('readiness', String(each), 'see "At 3 a.m." in docs/operations.md'));
}

/** The Date header has the proxy's clock, the order view its database's. */
export async function tryOrder({ base, token, visit }: Deployed): Promise<Finding[]> {
  if (token === undefined) return [needs('clocks', 'ORDER_SECRET and ALLOWED_ORIGINS')];
  const answer = await visit('order', { headers: token() });
  if ('lost' in answer || answer.status !== 200) {
    const remedy = 'use the ORDER_SECRET and ALLOWED_ORIGINS of the deployed proxy';
    return [fail('order', `it does not show an order signed with ORDER_SECRET (${wordOf(answer)})`, remedy)];
  }
  const date = Date.parse(String(answer.headers.date));
  const view = jsonOf(answer);
  const serverTime = Date.parse(String(view?.['serverTime']));
  return [
    ok('order', 'it shows an order signed with ORDER_SECRET'),
    moneyFinding(view?.['test'] === true, isLoopbackName(base.hostname)),
    ...(Number.isNaN(date) ? [] : [clockFinding('clock of the proxy', date - Date.now())]),
    ...(Number.isNaN(serverTime) ? [] : [clockFinding('clock of the database', serverTime - Date.now())]),
  ];
}

function moneyFinding(isTest: boolean, isHere: boolean): Finding {
  if (!isTest) return ok('money', 'the gateway moves money');
  if (isHere) return ok('money', 'a test gateway: no money moves');
  const remedy = 'set GATEWAY_URL and GATEWAY_PROFILE of the live gateway; a shop for tests may stay as it is';
  return fail('money', 'a test gateway at a public address: shoppers pay, and no money moves', remedy);
}
