// Caddy in front of proxies, with docs/deploy/Caddyfile as it is, apart from its host, certificate and the proxies.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, KEY } from '../backend-proxy/gateway/self-signed.ts';
import { debianPackage } from '../debian-package.ts';
import { until } from '../faults/fault-test.ts';
import { freePort } from '../free-port.ts';
import { TIED } from '../tied.ts';
import { readDocumented } from './documented-file.ts';

const DOCUMENT = 'docs/deploy/Caddyfile';
const READY_WITHIN_MS = 15_000;

export interface Caddy {
  port: number;
  /** Everything that it has written. */
  log(): string;
  end(): Promise<void>;
}

/** @param proxies the addresses (host and port) of one proxy or two */
export async function startCaddy(proxies: readonly string[]): Promise<Caddy> {
  const program = join(await debianPackage(['caddy']), 'usr/bin/caddy');
  execFileSync(program, ['validate', '--config', DOCUMENT], { stdio: 'pipe' });
  const folder = mkdtempSync(join(tmpdir(), 'payment-caddy-'));
  const port = await freePort();
  const pem = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tls = `tls ${pem('certificate.pem', CERTIFICATE)} ${pem('key.pem', KEY)}`;
  const text = readDocumented(DOCUMENT, [
    // No controls on another port, no redirect from port 80, no certificate from the internet.
    ['{\n\t# Of all logs', '{\n\tadmin off\n\tauto_https disable_redirects\n\t# Of all logs'],
    ['\npay.shop.example {\n', `\nlocalhost:${port} {\n\tbind 127.0.0.1\n\t${tls}\n`],
    ['127.0.0.1:8787 127.0.0.1:8788', proxies.join(' ')],
  ]);
  writeFileSync(join(folder, 'Caddyfile'), text);
  const args = ['run', '--config', join(folder, 'Caddyfile')];
  const child = spawn('/bin/sh', ['-c', TIED, program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder, PATH: process.env['PATH'] },
  });
  const closed = once(child, 'close');
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => (log += more));
  }
  const end = async (): Promise<void> => {
    child.stdin.end('KILL\n');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until('Caddy serves', () => log.includes('serving initial configuration'), READY_WITHIN_MS);
  } catch (error) {
    await end();
    throw new Error(`Caddy did not start: ${log}`, { cause: error });
  }
  return { port, log: () => log, end };
}
