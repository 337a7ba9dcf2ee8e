// Payments a second at 32 connections, on SQLite beside five floors and on PostgreSQL beside one.
import { atLeast, figures, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

const CONNECTIONS = 32;

export async function measurePayments(lab: Lab): Promise<Measured> {
  const subjects = ['raw', 'hono', 'gateway', 'grouped', 'each', 'proxy', 'proxy, QR code'] as const;
  const measured = await lab.inTurns(subjects, lab.options.rounds, async (name) => {
    const isQr = name === 'proxy, QR code';
    const server = await lab.start(isQr ? 'proxy' : name);
    const rate = await lab.rate(server, isQr ? 'startQr' : 'start', { connections: CONNECTIONS });
    await server.end();
    return rate;
  });
  const to = (floor: (typeof subjects)[number]) =>
    ratios(figures(measured.proxy, 'perSecond'), figures(measured[floor], 'perSecond'));
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
    const server = await lab.start(name, { database: await lab.createDatabase('PostgreSQL') });
    const rate = await lab.rate(server, 'start', { connections: CONNECTIONS });
    await server.end();
    return rate;
  });
  const rates = ratios(figures(measured.proxy, 'perSecond'), figures(measured.postgres, 'perSecond'));
  return {
    text: ratesTable('payments, PostgreSQL', measured, 'postgres'),
    findings: [atLeast('payments a second on PostgreSQL / 3 CTEs', 0.6, rates)],
  };
}
