// Steps of an invented newer version: every kind of step, on the tables that every payment writes, such that all
// versions can go on. They show that a proxy works on tables newer than itself.
import type { Step } from '../../backend-proxy/ledger/schema/steps.ts';

const TABLES = { orders: 'order_id', transactions: 'id', history: 'transaction_id', ipns: 'id', webhooks: 'id' };

const step = { compatibleWith: '0.1.0' };

export const NEWER_STEPS: readonly Step[] = [
  ...Object.entries(TABLES).flatMap(([table, key]): Step[] => [
    {
      ...step,
      name: `2999-01-widen-${table}`,
      change: ({ int }) => [
        `alter table ${table} add column future_note text`,
        `alter table ${table} add column future_count ${int} not null default 7`,
      ],
    },
    {
      ...step,
      name: `2999-01-index-${table}`,
      index: { name: `${table}_future`, on: table, columns: `future_note, ${key}`, where: 'future_count > 6' },
    },
    {
      ...step,
      name: `2999-01-fill-${table}`,
      backfill: { table, key, set: `future_note = 'filled'`, where: 'future_note is null' },
    },
  ]),
  {
    ...step,
    name: '2999-02-new-table',
    change: ({ int, strict }) => [`create table futures (id text not null primary key, n ${int} not null) ${strict}`],
  },
];
