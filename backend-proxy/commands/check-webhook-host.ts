// Connects to the host of WEBHOOK_URL and sends nothing: its name, whether webhooks may go to its address, its
// certificate.
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Config } from '../config/config.ts';
import { hostOf, mayBePrivate, remedyFor } from '../config/private-hosts.ts';
import { isPublicAddress } from '../config/public-address.ts';
import { fail, ok, skipped, type Finding } from './report.ts';

const ABOUT = 'webhooks';
const TIMEOUT_MS = 5_000;

export async function checkWebhookHost(config: Pick<Config, 'WEBHOOK_URL' | 'PRIVATE_HOSTS'>): Promise<Finding> {
  if (config.WEBHOOK_URL === undefined) return skipped(ABOUT, 'WEBHOOK_URL is not set, so no payment is reported');
  const url = new URL(config.WEBHOOK_URL);
  const host = hostOf(url);
  const isAllowed = mayBePrivate(url, config.PRIVATE_HOSTS ?? []);
  const addresses = await lookup(host, { all: true }).catch(() => []);
  if (addresses.length === 0) return fail(ABOUT, `${host} has no address`, 'correct WEBHOOK_URL, or the DNS');
  const allowed = addresses.filter(({ address }) => isAllowed || isPublicAddress(address));
  const [first] = allowed;
  if (first === undefined) {
    return fail(ABOUT, `${host} has only private addresses, so nothing is sent to it`, remedyFor(url));
  }
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const refused = await tryConnection({ host: first.address, port }, url.protocol === 'https:' ? host : undefined);
  if (refused === undefined) return ok(ABOUT, `${url.host} accepts connections`);
  return fail(ABOUT, `${url.host} refuses connections (${refused})`, 'start your endpoint, or fix its certificate');
}

/** The error's code, or undefined. With a server name it connects by TLS. */
async function tryConnection(to: { host: string; port: number }, name?: string): Promise<string | undefined> {
  const serverName = name !== undefined && isIP(name) === 0 ? { servername: name } : {};
  const socket: Socket = name === undefined ? connectTcp(to) : connectTls({ ...to, ...serverName });
  return new Promise((resolve) => {
    const end = (refused?: string) => {
      socket.destroy();
      resolve(refused);
    };
    socket.setTimeout(TIMEOUT_MS, () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once(name === undefined ? 'connect' : 'secureConnect', () => end());
  });
}
