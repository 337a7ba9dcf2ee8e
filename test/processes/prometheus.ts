// A Prometheus of Debian's package, as a process that scrapes one proxy. Ended by its own process, never by name.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackage } from '../debian-package.ts';
import { freePort } from '../free-port.ts';

const READY_WITHIN_MS = 30_000;

export interface Prometheus {
  /** The series that a query finds now; throws if it is not PromQL. */
  query(promql: string): Promise<unknown[]>;
  /** The expressions of the rules that it has loaded. */
  rules(): Promise<{ name: string; query: string }[]>;
  stop(): Promise<void>;
}

/** The path of a program of the package, such as `promtool`. */
export async function programOf(name: 'prometheus' | 'promtool'): Promise<string> {
  return join(await debianPackage(['prometheus']), 'usr/bin', name);
}

export async function startPrometheus(proxy: { url: string; token: string }, rulesFile: string): Promise<Prometheus> {
  const program = await programOf('prometheus');
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const config = join(folder, 'prometheus.yml');
  // JSON is YAML.
  const settings = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [
      {
        job_name: 'payment-proxy',
        authorization: { credentials: proxy.token },
        static_configs: [{ targets: [new URL(proxy.url).host] }],
      },
    ],
  };
  await writeFile(config, JSON.stringify(settings), { mode: 0o600 });
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)));
  const killIt = () => child.kill('SIGKILL');
  process.once('exit', killIt);
  const ended = once(child, 'close');

  const get = async (path: string) => fetch(`http://${address}${path}`);
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await get('/-/ready').catch(() => undefined))?.ok) {
    assert.ok(child.exitCode === null && Date.now() < deadline, `Prometheus does not answer:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  return {
    async query(promql) {
      const answer = await get(`/api/v1/query?query=${encodeURIComponent(promql)}`);
      const body = (await answer.json()) as { status: string; error?: string; data: { result: unknown[] } };
      assert.equal(body.status, 'success', `${promql}: ${body.error}`);
      return body.data.result;
    },
    async rules() {
      const body = (await (await get('/api/v1/rules')).json()) as {
        data: { groups: { rules: { name: string; query: string }[] }[] };
      };
      return body.data.groups.flatMap(({ rules }) => rules);
    },
    async stop() {
      process.off('exit', killIt);
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
