// Payments a second at 32 connections, on SQLite beside five floors and on PostgreSQL beside one.
import { atLeast, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab, Rate } from '../lab.ts';
import { startFloor, startProxy } from '../servers.ts';

const CONNECTIONS = 32;
const perSecond = (rates: readonly Rate[]) => rates.map((rate) => rate.perSecond);

export async function measurePayments(lab: Lab): Promise<Measured> {
  const subjects = ['raw', 'hono', 'gateway', 'grouped', 'each', 'proxy', 'proxy, QR code'] as const;
  const measured = await lab.inTurns(subjects, lab.options.rounds, async (name) => {
    const isProxy = name === 'proxy' || name === 'proxy, QR code';
    const server = isProxy ? await startProxy(lab) : await startFloor(name, lab);
    const rate = await lab.rate(server, name === 'proxy, QR code' ? 'startQr' : 'start', { connections: CONNECTIONS });
    await server.end();
    return rate;
  });
  const to = (floor: (typeof subjects)[number]) => ratios(perSecond(measured.proxy), perSecond(measured[floor]));
  return {
    text: ratesTable('payments, SQLite', measured, 'hono'),
    findings: [
      atLeast('payments a second / bare Hono', 0.15, to('hono')),
      atLeast('payments a second / one commit a request', 1, to('each')),
      atLeast('payments a second / grouped skeleton', 0.25, to('grouped')),
    ],
  };
}

export async function measurePaymentsOnPostgres(lab: Lab): Promise<Measured> {
  const measured = await lab.inTurns(['postgres', 'proxy'] as const, lab.options.rounds, async (name) => {
    const database = await lab.createPostgresDatabase();
    const server = name === 'proxy' ? await startProxy(lab, { database }) : await startFloor(name, lab, { database });
    const rate = await lab.rate(server, 'start', { connections: CONNECTIONS });
    await server.end();
    return rate;
  });
  return {
    text: ratesTable('payments, PostgreSQL', measured, 'postgres'),
    findings: [
      atLeast(
        'payments a second on PostgreSQL / 3 CTEs',
        0.6,
        ratios(perSecond(measured.proxy), perSecond(measured.postgres)),
      ),
    ],
  };
}
