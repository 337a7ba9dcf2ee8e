// docs/deploy/compose.yaml and kubernetes.yaml, read as their engines would: every variable is one that its program
// reads, every secret is made and used, every host and port fits, and the proxy accepts the whole configuration.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { configWarnings, readConfig } from '../../backend-proxy/config/config.ts';
import { setting, STAGE_HEADS } from './image-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';

interface Service {
  environment: Record<string, string | number>;
  secrets: string[];
  ports?: string[];
  profiles?: string[];
  build?: { target: string };
  command?: string[];
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<'proxy' | 'postgres' | 'sandbox' | 'shop', Service>;
  secrets: Record<string, { file: string }>;
}

/** After the drain, as the proxy's own limit has it. */
const STOP_LIMIT_S = 35;
const IMAGE_PORT = 8787;
const compose = parse(readFileSync('docs/deploy/compose.yaml', 'utf8'), { merge: true }) as Compose;
const { services } = compose;

/** The lines `NAME=value` of a file. */
function variablesIn(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\w/.test(line));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
}

/** `${NAME:?message}` and `${NAME:-default}`, as Compose reads them. */
function interpolate(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = values[name] ?? '';
    if (value === '' && kind === '?') throw new Error(`${name}: ${rest}`);
    return value === '' ? rest : value;
  });
}

function makeSecrets(t: TestContext): string {
  const folder = temporaryFolder(t);
  execFileSync('docs/deploy/make-secrets.sh', [folder], { stdio: 'pipe' });
  writeFileSync(join(folder, 'gateway_api_key'), 'any');
  return folder;
}

/** The program's environment, with the files of its secrets where they are here. */
function environmentOf(environment: Record<string, string | number>, secretsAt: string, folder: string) {
  const values = variablesIn('docs/deploy/demo.env');
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      interpolate(String(value), values).replace(secretsAt, folder),
    ]),
  );
}

describe('compose.yaml', () => {
  it('the proxy accepts the configuration that compose.yaml gives it for the demo, without a warning', (t) => {
    const env = environmentOf(services.proxy.environment, '/run/secrets', makeSecrets(t));
    const config = readConfig(env);
    assert.match(config.DATABASE_URL, /^postgres:\/\/payment:\w+@postgres:5432\/payment$/);
    assert.deepEqual(configWarnings(env), []);
    const grace = Number(/^(\d+)s$/.exec(services.proxy.stop_grace_period ?? '')?.[1]);
    assert.ok(grace > config.DRAIN_SECONDS + STOP_LIMIT_S);
  });

  it('compose.yaml refuses to start without the addresses that only the operator knows', () => {
    for (const name of ['GATEWAY_URL', 'ALLOWED_ORIGINS', 'PUBLIC_URL', 'WEBHOOK_URL']) {
      assert.throws(() => interpolate(String(services.proxy.environment[name]), {}), new RegExp(`^Error: ${name}: `));
    }
  });

  it('compose.yaml uses each secret that make-secrets.sh makes, and no other', (t) => {
    const folder = makeSecrets(t);
    const made = readdirSync(folder).toSorted();
    assert.deepEqual(Object.keys(compose.secrets).toSorted(), made);
    for (const [name, { file }] of Object.entries(compose.secrets)) assert.equal(file, `./secrets/${name}`);
    const used = Object.values(services).flatMap(({ secrets }) => secrets);
    assert.deepEqual([...new Set(used)].toSorted(), made);
    for (const { environment, command = [], secrets } of Object.values(services)) {
      const text = JSON.stringify([environment, command]);
      const named = [...text.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, name = '']) => name);
      assert.deepEqual(named.toSorted(), secrets.toSorted());
    }
  });

  it('make-secrets.sh keeps existing secrets, and lets nobody else into their folder', (t) => {
    const folder = makeSecrets(t);
    const before = readFileSync(join(folder, 'order_secret'), 'utf8');
    execFileSync('docs/deploy/make-secrets.sh', [folder]);
    assert.equal(readFileSync(join(folder, 'order_secret'), 'utf8'), before);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('each host and port in compose.yaml and demo.env is that of a service, and those on localhost are published', () => {
    const portOf = (name: string): number =>
      name === 'proxy' ? IMAGE_PORT : Number(services[name as 'shop'].environment['PORT']);
    const text = JSON.stringify(services) + readFileSync('docs/deploy/demo.env', 'utf8');
    const addresses = [...text.matchAll(/http:\/\/([a-z]+):(\d+)/g)];
    assert.ok(addresses.length > 5);
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    for (const [address, host = '', port] of addresses) {
      if (host === 'localhost') assert.ok(published.includes(`127.0.0.1:${port}:${port}`), address);
      else assert.equal(Number(port), portOf(host), address);
    }
    const privateHosts = variablesIn('docs/deploy/demo.env')['PRIVATE_HOSTS']?.split(',');
    assert.deepEqual(privateHosts, ['sandbox', 'shop']);
  });

  it('each variable of the demo’s services in compose.yaml is one that they read', () => {
    for (const [name, program] of [
      ['sandbox', 'demo/sandbox/main.ts'],
      ['shop', 'demo/shop.ts'],
    ] as const) {
      const source = readFileSync(program, 'utf8');
      const { environment, command = [] } = services[name];
      const set = [...command.join(' ').matchAll(/([A-Z_]+)=/g)].map(([, variable = '']) => variable);
      for (const variable of [...Object.keys(environment), ...set]) assert.ok(source.includes(variable), variable);
      assert.match(command.at(-1) ?? '', new RegExp(`exec node ${program}$`));
      assert.deepEqual(services[name].profiles, ['demo']);
    }
  });

  it('compose.yaml builds stages of the Dockerfile, and runs the proxy read-only, without rights, after its database', () => {
    const stages = STAGE_HEADS.map((head) => head.split(' AS ')[1]);
    for (const { build } of Object.values(services)) if (build) assert.ok(stages.includes(build.target), build.target);
    const { read_only: readOnly, cap_drop: dropped, security_opt: options, depends_on: after } = services.proxy;
    assert.deepEqual([readOnly, dropped, options], [true, ['ALL'], ['no-new-privileges:true']]);
    assert.deepEqual(after, { postgres: { condition: 'service_healthy' } });
  });
});

interface Probe {
  httpGet: { path: string; port: string };
}

interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsUser: number };
  containers: [
    {
      ports: { name: string; containerPort: number }[];
      env: { name: string; value: string }[];
      startupProbe: Probe;
      readinessProbe: Probe;
      livenessProbe: Probe;
    },
  ];
}

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(readFileSync('docs/deploy/kubernetes.yaml', 'utf8')).map(
    (each) => each.toJS() as { kind: string; spec: { template: { spec: Pod } } },
  );
  const pod = documents.find(({ kind }) => kind === 'Deployment')?.spec.template.spec ?? assert.fail();
  const [container] = pod.containers;

  it('the proxy accepts the configuration that kubernetes.yaml gives it, without a warning', (t) => {
    const given = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    const env = environmentOf(given, '/run/secrets/payment-proxy', makeSecrets(t));
    const { DRAIN_SECONDS } = readConfig(env);
    assert.deepEqual(configWarnings(env), []);
    assert.ok(pod.terminationGracePeriodSeconds > DRAIN_SECONDS + STOP_LIMIT_S);
  });

  it('kubernetes.yaml asks for readiness at /readyz and for life at /healthz, at the image’s port, as its user', () => {
    const { startupProbe, readinessProbe, livenessProbe, ports } = container;
    const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);
    assert.deepEqual(paths, ['/healthz', '/readyz', '/healthz']);
    assert.deepEqual(ports, [{ name: 'http', containerPort: IMAGE_PORT }]);
    assert.equal(setting('USER'), `${pod.securityContext.runAsUser}:1000`);
    const kinds = documents.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['Deployment', 'Service', 'PodDisruptionBudget']);
  });
});
