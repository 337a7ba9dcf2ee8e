// The way to the proxy: certificate, the redirect from http, HSTS.
import { connect, type PeerCertificate } from 'node:tls';
import { isIP } from 'node:net';
import { DAY_MS } from '../../protocol/durations.ts';
import { isLoopbackName } from '../../protocol/links.ts';
import type { Deployed } from './deployed.ts';
import { fail, ok, skipped, warn, type Finding } from '../report.ts';
import { wordOf } from '../visit.ts';

const TIMEOUT_MS = 10_000;
/** Automatic renewal happens about 30 days before a certificate ends. */
const SOON_DAYS = 14;
const DEFAULT_PORT = '';
/** Codes of OpenSSL and Node, such as CERT_HAS_EXPIRED. */
const CERTIFICATE_ERROR = /CERT|SIGNATURE|ISSUER|ERR_TLS|ERR_SSL|HOSTNAME/;

export async function tryCertificate({ base }: Deployed, now = Date.now()): Promise<Finding> {
  const about = 'certificate';
  if (base.protocol === 'http:') return skipped(about, 'http on loopback has none');
  const found = await certificateOf(base);
  if ('refused' in found) {
    const remedy = CERTIFICATE_ERROR.test(found.refused)
      ? 'renew it, or serve its whole chain; name an authority of your own in NODE_EXTRA_CA_CERTS'
      : 'correct the URL, the DNS or the firewall';
    return fail(about, `${base.host}: ${found.refused}`, remedy);
  }
  const days = Math.floor((Date.parse(found.valid_to) - now) / DAY_MS);
  if (days < SOON_DAYS)
    return warn(about, `ends in ${days} days (${found.valid_to})`, 'find out why it is not renewed');
  return ok(about, `valid for ${days} days`);
}

function certificateOf({ hostname, port }: URL): Promise<PeerCertificate | { refused: string }> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || 443, ...(isIP(host) === 0 && { servername: host }) });
    const end = (found: PeerCertificate | { refused: string }) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(TIMEOUT_MS, () => end({ refused: 'no answer' }));
    socket.once('error', (error: NodeJS.ErrnoException) => end({ refused: error.code ?? error.message }));
    socket.once('secureConnect', () => end(socket.getPeerCertificate()));
  });
}

export async function tryRedirect({ base, visitor }: Deployed): Promise<Finding> {
  const about = 'redirect';
  if (base.protocol === 'http:' || base.port !== DEFAULT_PORT) return skipped(about, 'only for https at port 443');
  const answer = await visitor.visit(`http://${base.host}${base.pathname}healthz`);
  if ('lost' in answer) return ok(about, `nothing answers plain http (${answer.lost})`);
  const target = URL.parse(answer.headers.location ?? '', base);
  const isRedirect = answer.status >= 300 && answer.status < 400;
  if (isRedirect && target?.protocol === 'https:') return ok(about, `http leads to https (${wordOf(answer)})`);
  const remedy = 'let the TLS terminator answer http with 308 and the https address, or close port 80';
  return fail(about, `plain http is answered (${wordOf(answer)}), so secrets could be sent in the clear`, remedy);
}

/** HSTS applies to a whole host, so the operator decides about it at the TLS terminator. */
export async function tryHsts({ base, visit }: Deployed): Promise<Finding> {
  const about = 'HSTS';
  if (isLoopbackName(base.hostname)) return skipped(about, 'browsers do not use it on loopback');
  const answer = await visit('healthz');
  if ('lost' in answer) return skipped(about, 'no answer');
  const value = answer.headers['strict-transport-security'];
  if (value === undefined) return ok(about, 'not set; the TLS terminator may set it for the whole host');
  if (/includeSubDomains/i.test(value)) {
    const remedy = 'drop includeSubDomains unless every one of them has https';
    return warn(about, `forces https on every subdomain of ${base.hostname} as well`, remedy);
  }
  return ok(about, value);
}
