// Whether pages of each allowed origin may talk to the proxy, and others may not.
import { needs, type Deployed } from './deployed.ts';
import { fail, ok, type Finding } from '../report.ts';
import { wordOf } from '../visit.ts';

const FOREIGN = 'https://payment-proxy-doctor.invalid';

export async function tryOrigins(deployed: Deployed): Promise<Finding[]> {
  const { ALLOWED_ORIGINS: origins } = deployed.settings;
  const allowed = origins ?? [];
  return [
    ...(origins === undefined ? [needs('origins', 'ALLOWED_ORIGINS')] : []),
    ...(await Promise.all(allowed.map((origin) => tryAllowed(deployed, origin)))),
    await tryForeign(deployed),
  ];
}

function preflight({ visit }: Deployed, origin: string) {
  const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
  return visit('order/payments', { method: 'OPTIONS', headers });
}

async function tryAllowed(deployed: Deployed, origin: string): Promise<Finding> {
  const answer = await preflight(deployed, origin);
  const given = 'lost' in answer ? undefined : answer.headers['access-control-allow-origin'];
  if (given === origin) return ok('origins', `pages of ${origin} may talk to it`);
  const says = given === undefined ? wordOf(answer) : `the answer names ${given}`;
  const remedy = 'add it to ALLOWED_ORIGINS, and set no CORS header in the reverse proxy';
  return fail('origins', `pages of ${origin} may not talk to it (${says})`, remedy);
}

async function tryForeign(deployed: Deployed): Promise<Finding> {
  const answer = await preflight(deployed, FOREIGN);
  const given = 'lost' in answer ? undefined : answer.headers['access-control-allow-origin'];
  if (!('lost' in answer) && answer.status === 403 && given === undefined) {
    return ok('origins', 'pages of another origin may not');
  }
  const says = `pages of any origin may talk to it (${wordOf(answer)}${given === undefined ? '' : `, ${given}`})`;
  return fail('origins', says, 'set no CORS header in the reverse proxy');
}
