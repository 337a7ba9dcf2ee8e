// `payment-proxy check`: tries what a start needs, before the start, and changes nothing: configuration, database,
// gateway, webhook host and clocks.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { configWarnings, readConfig, type Config, type Environment } from '../config/config.ts';
import { merchantKeysOf } from '../config/merchant-keys.ts';
import type { Profile } from '../gateway/profile.ts';
import { REMEDIES, WIDGET_FOLDER } from '../installation.ts';
import { METHODS } from '../protocol/wire.ts';
import { checkDatabase } from './check-database.ts';
import { checkGateway } from './check-gateway.ts';
import { checkWebhookHost } from './check-webhook-host.ts';
import type { Call } from './command-call.ts';
import { createReport, fail, ok, skipped, warn, type Finding } from './report.ts';

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
