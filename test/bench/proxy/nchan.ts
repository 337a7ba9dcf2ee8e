// nginx with the nchan module, the leanest server of event streams in Debian: one worker on the servers' processor.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { TIED } from '../../tied.ts';
import { measured, SERVER_CPU, type Launched } from './launch.ts';

const MODULES = ['/usr/lib/nginx/modules', '/usr/share/nginx/modules', '/usr/lib64/nginx/modules'];
const MODULE = 'ngx_nchan_module.so';
const START_WITHIN_MS = 5_000;

export const SUBSCRIBE_PATH = '/stream?id=';

/** How to install what is missing, or undefined. */
export function whyNoNchan(): string | undefined {
  const isThere = existsSync('/usr/sbin/nginx') && MODULES.some((folder) => existsSync(join(folder, MODULE)));
  return isThere ? undefined : 'nchan is not installed: apt-get install nginx libnginx-mod-nchan';
}

export async function startNchan(folder: string): Promise<Launched & { port: number }> {
  const home = join(folder, 'nchan');
  mkdirSync(home, { recursive: true });
  const port = await freePort();
  const module = join(MODULES.find((each) => existsSync(join(each, MODULE))) ?? '', MODULE);
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  writeFileSync(
    join(home, 'nginx.conf'),
    `load_module ${module}; daemon off; worker_processes 1; worker_cpu_affinity ${SERVER_CPU === 0 ? '01' : '10'};
user root; pid ${home}/pid; error_log ${home}/error.log;
events { worker_connections 19000; }
http { access_log off; keepalive_timeout 3600; ${bodies.join(' ')}
  server { listen 127.0.0.1:${port} backlog=4096;
    location = /stream { nchan_subscriber eventsource; nchan_channel_id $arg_id; nchan_eventsource_ping_interval 15; } } }
`,
  );
  const nginx = ['/usr/sbin/nginx', '-p', home, '-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')];
  const shell = spawn('/bin/sh', ['-c', TIED, ...nginx], { stdio: ['pipe', 'ignore', 'ignore'] });
  const worker = await workerOf(join(home, 'pid'));
  return {
    ...measured(shell, worker),
    port,
    async end() {
      const closed = new Promise((resolve) => shell.once('exit', resolve));
      shell.stdin.end('\n');
      await closed;
    },
  };
}

async function workerOf(pidFile: string): Promise<number> {
  const deadline = performance.now() + START_WITHIN_MS;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const master = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : '';
    if (master === '') continue;
    const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
    const worker = Number(children.at(-1));
    if (worker > 0) return worker;
  }
  throw new Error(`nginx did not start: see ${pidFile.replace(/pid$/, 'error.log')}`);
}
