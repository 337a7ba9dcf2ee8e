// nginx in front of proxies, with docs/deploy/nginx.conf as it is, apart from its ports, files and the proxies.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, KEY } from '../backend-proxy/gateway/self-signed.ts';
import { debianPackage } from '../debian-package.ts';
import { until } from '../faults/fault-test.ts';
import { freePort } from '../free-port.ts';
import { TIED } from '../tied.ts';
import { readDocumented } from './documented-file.ts';

const DOCUMENT = 'docs/deploy/nginx.conf';
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
/** The only one of a server that is on its own. */
const SECOND = '    server 127.0.0.1:8788 max_fails=0;\n';

export interface Nginx {
  port: number;
  httpPort: number;
  /** What it has written into a log. */
  log(name: 'access' | 'error'): string;
  end(): Promise<void>;
}

/** @param proxies the addresses (host and port) of one proxy or two */
export async function startNginx(proxies: readonly string[]): Promise<Nginx> {
  const program = join(await debianPackage(['nginx']), 'usr/sbin/nginx');
  const folder = mkdtempSync(join(tmpdir(), 'payment-nginx-'));
  // The workers run as another user.
  chmodSync(folder, 0o755);
  const [port, httpPort] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'certificate.pem'), CERTIFICATE);
  writeFileSync(join(folder, 'key.pem'), KEY);
  writeFileSync(join(folder, 'payment-proxy.conf'), documented(folder, port, httpPort, proxies));
  writeFileSync(join(folder, 'nginx.conf'), main(folder));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'start.log')];
  execFileSync(program, ['-t', '-q', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const child = spawn('/bin/sh', ['-c', TIED, program, ...args], { stdio: ['pipe', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  const end = async (): Promise<void> => {
    // A fast shutdown: QUIT would wait for open streams.
    child.stdin.end('TERM\n');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  const log = (name: string): string => readFileSync(join(folder, `payment-proxy.${name}.log`), 'utf8');
  await until('nginx listens', () => accepts(port));
  return { port, httpPort, log, end };
}

function documented(folder: string, port: number, httpPort: number, proxies: readonly string[]): string {
  const [first = '', second] = proxies;
  return readDocumented(DOCUMENT, [
    [SECOND, second === undefined ? '' : SECOND.replace('127.0.0.1:8788', second)],
    ['server 127.0.0.1:8787 ', `server ${first} `],
    ['    listen [::]:80;\n', ''],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/letsencrypt/live/shop.example/fullchain.pem', join(folder, 'certificate.pem')],
    ['/etc/letsencrypt/live/shop.example/privkey.pem', join(folder, 'key.pem')],
    ['/var/log/nginx/', `${folder}/`],
  ]);
}

function main(folder: string): string {
  const paths = TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`);
  const user = process.getuid?.() === 0 ? 'user nobody nogroup;\n' : '';
  return `daemon off;
${user}worker_processes 2;
pid ${join(folder, 'pid')};
events { worker_connections 4096; }
http {
  ${paths.join(' ')}
  include ${join(folder, 'payment-proxy.conf')};
}
`;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}
