// `payment-proxy check`: tries configuration, database, gateway, webhook host and clocks, and changes nothing.
// Run it before a start, which needs all of them.
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { existsSync, accessSync, constants, statSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { dirname, join, resolve as absolute } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { parseArgs } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import { hostOf } from '../config/addresses.ts';
import { configWarnings, readConfig, type Config, type Environment, merchantKeysOf } from '../config/config.ts';
import type { Checked } from '../gateway/gateway.ts';
import { createGateway } from '../gateway/http.ts';
import { type Profile, CODE } from '../gateway/profile.ts';
import { REMEDIES, WIDGET_FOLDER } from '../installation.ts';
import { filePathOf } from '../ledger/connect.ts';
import { explainStart } from '../ledger/postgres/errors.ts';
import type { SchemaState } from '../ledger/schema/schema.ts';
import { LITTLE_SPACE, TOO_LITTLE_SPACE, describeFree, freeBytes, inspectSqlite } from '../ledger/sqlite/files.ts';
import { METHODS } from '../protocol/wire.ts';
import { type Call, createReport, fail, ok, skipped, warn, type Finding, clockFinding } from './report.ts';

export async function check({ args, env, print }: Call): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
  const report = createReport(print, values.json === true);
  const { config, findings } = readConfiguration(env);
  report.add(findings);
  report.add(checkWidget());
  if (config === undefined) {
    for (const about of ['database', 'gateway', 'webhooks']) report.add(skipped(about, 'needs a valid configuration'));
    return report.end();
  }
  for (const { name, scopes } of merchantKeysOf(config)) {
    report.add(ok('merchant API', `the key ${name} has the scopes ${scopes.join(', ')}`));
  }
  report.add(await checkDatabase(config.DATABASE_URL));
  report.add(await checkGateway(config));
  report.add(checkRefunds(config.GATEWAY_PROFILE));
  report.add(await checkWebhookHost(config));
  return report.end();
}

/** Every wrong variable is a finding of its own. */
function readConfiguration(env: Environment): { config?: Config; findings: Finding[] } {
  try {
    const config = readConfig(env);
    const warnings = configWarnings(env).map((says) => warn('configuration', says, 'see docs/configuration.md'));
    return { config, findings: [ok('configuration', 'every variable is valid'), ...warnings] };
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).split('\n  ').slice(1);
    return { findings: lines.map((line) => fail('configuration', line, 'see docs/configuration.md')) };
  }
}

function checkRefunds({ refundAs, paths }: Profile): Finding {
  const on = METHODS.filter((method) => refundAs[method] !== 'no');
  if (on.length === 0) return ok('refunds', "none, because the profile's refundAs allows no method");
  if (paths.status === null) {
    return warn('refunds', 'none, because only a status check names the payer', 'set paths.status in the profile');
  }
  const how = on.map(
    (method) => `${method} ${refundAs[method] === null ? 'without a type' : `as ${refundAs[method]}`}`,
  );
  return ok('refunds', `the profile allows ${how.join(', ')}`);
}

function checkWidget(): Finding {
  return existsSync(join(WIDGET_FOLDER, 'widget.js'))
    ? ok('widget', 'its files are there')
    : fail('widget', 'its files are missing, so the proxy does not start', REMEDIES.widget);
}

// Checks the database of DATABASE_URL without changing it: whether it can be read, its tables, rights, and space.

const ABOUT_DATABASE = 'database';
const OTHERS = 0o077;

export async function checkDatabase(url: string): Promise<Finding[]> {
  const path = filePathOf(url);
  return path === undefined ? checkPostgres(url) : checkSqlite(absolute(path));
}

function checkSqlite(path: string): Finding[] {
  const folder = existingFolder(dirname(path));
  if (!isWritable(folder)) {
    const remedy = `give the user that runs the proxy the right to write there: SQLite has files beside its database`;
    return [fail(ABOUT_DATABASE, `this user cannot write in ${folder}`, remedy)];
  }
  if (!existsSync(path))
    return [ok(ABOUT_DATABASE, `${path} does not exist yet; the first start creates it`), ...spaceIn(folder)];
  if (!isWritable(path))
    return [fail(ABOUT_DATABASE, `this user cannot write ${path}`, 'run `check` as the user of the proxy')];
  try {
    const { schema, orders, transactions } = inspectSqlite(path);
    const rows = `${path}: ${orders} orders, ${transactions} transactions`;
    return [schemaFinding(schema, rows), ...rightsOf(path), ...spaceIn(folder)];
  } catch (error) {
    return [
      fail(
        ABOUT_DATABASE,
        String(error instanceof Error ? error.message : error),
        'name another file in DATABASE_URL, or restore a backup',
      ),
    ];
  }
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const { inspectPostgres } = await import('../ledger/postgres/postgres.ts');
  try {
    const found = await inspectPostgres(url);
    const { schema, version, role, schemaName } = found;
    const says = schemaFinding(schema, `PostgreSQL ${version}, role ${role}, schema ${schemaName}`);
    const clock = clockFinding('clock of the database', found.now - Date.now());
    if (found.mayCreate || schema.pending === 0) return [says, clock];
    const statement = `GRANT CREATE ON SCHEMA "${schemaName}" TO "${role}"`;
    return [
      fail(ABOUT_DATABASE, `the role ${role} may not create tables in ${schemaName}`, `as its owner: ${statement}`),
      clock,
    ];
  } catch (error) {
    return [fail(ABOUT_DATABASE, explainStart(error, url, 1), 'see DATABASE_URL in docs/configuration.md')];
  }
}

function schemaFinding({ schema, pending, refusal }: SchemaState, where: string): Finding {
  if (refusal !== undefined) return fail(ABOUT_DATABASE, `${where}; ${refusal}`, 'see docs/operations.md');
  if (schema === 0) return ok(ABOUT_DATABASE, `${where}; empty: the first start creates the tables`);
  if (pending === 0) return ok(ABOUT_DATABASE, `${where}; schema ${schema}, nothing to migrate`);
  return warn(
    ABOUT_DATABASE,
    `${where}; the next start migrates schema ${schema} to ${schema + pending}`,
    'make a backup first',
  );
}

function rightsOf(path: string): Finding[] {
  if (process.platform === 'win32' || (statSync(path).mode & OTHERS) === 0) return [];
  return [warn(ABOUT_DATABASE, `other users may read ${path}`, `chmod 600 ${path} (the next start does it)`)];
}

function spaceIn(folder: string): Finding[] {
  const free = freeBytes(folder);
  const says = describeFree(free, folder);
  if (free < TOO_LITTLE_SPACE) return [fail('disk', says, 'make room: on a full disk no payment starts')];
  return [free < LITTLE_SPACE ? warn('disk', says, 'make room; a payment keeps about 3 kB') : ok('disk', says)];
}

/** The start makes the folders that are missing. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

// Asks the gateway for the status of an id that never existed. This shows whether it can be reached, whether it accepts
// the key, and whether the profile's `noSuchOrder` fits its answer. It starts no payment.

const ABOUT_GATEWAY = 'gateway';
const MAX_BYTES = 64 * 1024;
const ANSWER_WITHIN_MS = 10_000;

type GatewaySettings = Pick<Config, 'GATEWAY_URL' | 'GATEWAY_API_KEY' | 'GATEWAY_PROFILE' | 'ORDER_ID_PREFIX'>;

async function checkGateway(config: GatewaySettings): Promise<Finding[]> {
  const { GATEWAY_URL: url, GATEWAY_API_KEY: apiKey, GATEWAY_PROFILE: profile, ORDER_ID_PREFIX: prefix = '' } = config;
  const seen = { text: '' };
  const agent = new Agent({ connect: { timeout: ANSWER_WITHIN_MS } });
  const dispatcher = agent.compose(observe(seen));
  const gateway = createGateway({
    url,
    apiKey,
    profile,
    checkoutHosts: [],
    dispatcher,
    totalTimeoutMs: ANSWER_WITHIN_MS,
  });
  try {
    if (gateway.status === undefined) {
      const remedy = 'set paths.status in the profile if the gateway has a status check';
      return [
        warn(
          ABOUT_GATEWAY,
          'the profile has no status check, so IPNs are trusted unchecked and nothing is tried',
          remedy,
        ),
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
        return ok(ABOUT_GATEWAY, `${host} accepts the key and answers an unknown id as the profile expects`);
      return warn(
        ABOUT_GATEWAY,
        `${host} answers an unknown id with 404, but not in the words of the profile's noSuchOrder`,
        `a wrong path looks the same; if the path is right, set noSuchOrder${words === '' ? '' : ` (it said ${words})`}`,
      );
    case 'found':
      return fail(ABOUT_GATEWAY, `${host} knows an id that never existed`, 'GATEWAY_URL or paths.status is wrong');
    case 'unavailable':
      return unavailable(answer.detail, host);
    default:
      return answer satisfies never;
  }
}

const REFUSED_KEY = new Set(['HTTP 401', 'HTTP 403']);

function unavailable(detail: string, host: string): Finding {
  if (REFUSED_KEY.has(detail)) return fail(ABOUT_GATEWAY, `${host} refuses the key (${detail})`, 'set GATEWAY_API_KEY');
  if (detail === 'HTTP 429')
    return warn(ABOUT_GATEWAY, `${host} accepts no more requests now (${detail})`, 'try again later');
  const says =
    detail.startsWith('HTTP') || detail.includes(' ') ? 'does not answer as documented' : 'cannot be reached';
  return fail(ABOUT_GATEWAY, `${host} ${says} (${detail})`, 'check GATEWAY_URL, paths.status and the network');
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

// Connects to the host of WEBHOOK_URL and sends nothing: its name, whether it answers, its certificate.

const ABOUT_WEBHOOKS = 'webhooks';
const CONNECT_WITHIN_MS = 5_000;

async function checkWebhookHost(config: Pick<Config, 'WEBHOOK_URL'>): Promise<Finding> {
  if (config.WEBHOOK_URL === undefined)
    return skipped(ABOUT_WEBHOOKS, 'WEBHOOK_URL is not set, so no payment is reported');
  const url = new URL(config.WEBHOOK_URL);
  const host = hostOf(url);
  const [first] = await lookup(host, { all: true }).catch(() => []);
  if (first === undefined) return fail(ABOUT_WEBHOOKS, `${host} has no address`, 'correct WEBHOOK_URL, or the DNS');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const refused = await tryConnection({ host: first.address, port }, url.protocol === 'https:' ? host : undefined);
  if (refused === undefined) return ok(ABOUT_WEBHOOKS, `${url.host} accepts connections`);
  return fail(
    ABOUT_WEBHOOKS,
    `${url.host} refuses connections (${refused})`,
    'start your endpoint, or fix its certificate',
  );
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
    socket.setTimeout(CONNECT_WITHIN_MS, () => end('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once(name === undefined ? 'connect' : 'secureConnect', () => end());
  });
}
