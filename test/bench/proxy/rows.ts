// The rows of `npm run bench -- proxy`, in the order in which they run.
import type { Row } from './findings.ts';
import { measureBacklog } from './rows/backlog.ts';
import { measureDisk } from './rows/disk.ts';
import { measureEvents } from './rows/events.ts';
import { measureGrowth, measureGrowthOnPostgres } from './rows/growth.ts';
import { measureGuards } from './rows/guards.ts';
import { measureIpns } from './rows/ipns.ts';
import { measureMemory } from './rows/memory.ts';
import { measureNetwork } from './rows/network.ts';
import { measurePayments, measurePaymentsOnPostgres } from './rows/payments.ts';
import { measureOtherProxy } from './rows/proxies.ts';
import { measureStarts } from './rows/starts.ts';

export const ROWS = {
  start: { title: 'A start, from the request to the answer, open loop', measure: measureStarts },
  payments: { title: 'Payments a second, 32 connections', measure: measurePayments },
  postgres: { title: 'Payments a second on PostgreSQL, 32 connections', measure: measurePaymentsOnPostgres },
  ipn: { title: 'IPN → stored and answered 200, 64 connections', measure: measureIpns },
  event: { title: 'IPN → status check → event on the stream', measure: measureEvents },
  other: { title: 'IPN at one proxy → event at another, PostgreSQL', measure: measureOtherProxy },
  backlog: { title: 'A fresh IPN behind due status checks', measure: measureBacklog },
  guards: { title: 'Guards: GET /healthz, 32 connections', measure: measureGuards },
  memory: { title: 'Open streams', measure: measureMemory },
  network: { title: 'A longer way to PostgreSQL, one request at a time', measure: measureNetwork },
  disk: { title: 'A slower disk, SQLite', measure: measureDisk },
  growth: { title: 'How cost grows with the payments in the database, SQLite', measure: measureGrowth },
  growthPostgres: {
    title: 'How cost grows with the payments in the database, PostgreSQL',
    measure: measureGrowthOnPostgres,
  },
} satisfies Record<string, Row>;
export type RowName = keyof typeof ROWS;
