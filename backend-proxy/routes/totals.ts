// GET /totals: sums and counts over days, as JSON or CSV.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { daysBetween, daysIn, isDay, type Days } from '../reports/calendar-days.ts';
import { csvLine } from '../reports/csv.ts';
import { currencySchema } from '../orders/order-token.ts';
import { DIMENSIONS, type Totals } from '../reports/totals.ts';
import { answerJson } from '../http/answer.ts';
import { csvAnswer, csvName, wantsCsv } from './csv-answer.ts';
import { MERCHANT, TOTAL_COLUMNS, csv, json, totalsSchema } from './merchant-schemas.ts';
import { keysWith } from '../http/access.ts';
import { invalid, refusedBy } from '../http/problem.ts';
import { serveRoute } from '../http/route.ts';

const MAX_DAYS = 366;
const day = z.string().refine(isDay, { error: 'a day, as 2026-11-20' });
const BY = { error: `a comma-separated list of ${DIMENSIONS.join(', ')}` };
const getTotals = createRoute({
  method: 'get',
  path: '/totals',
  operationId: 'getTotals',
  summary: 'Sums and counts over days, by type and currency',
  security: keysWith('read'),
  request: {
    query: z.strictObject({
      from: day.openapi({ description: 'The first day' }),
      to: day.openapi({ description: `The day after the last; at most ${MAX_DAYS} days later` }),
      timeZone: z.string().max(50).default('UTC').openapi({ description: 'IANA name; when days begin' }),
      by: z
        .string()
        .regex(/^(|(day|method|status)(,(day|method|status))*)$/, BY)
        .default('day,method')
        .openapi({ description: `What to divide by besides type and currency: ${BY.error}` }),
      basis: z
        .enum(['paid', 'created'], { error: 'paid or created' })
        .default('paid')
        .openapi({ description: 'paid: what succeeded, when it did. created: all, when they were created' }),
      currency: currencySchema.optional(),
    }),
  },
  responses: {
    200: {
      description: 'What is not divided by is null',
      content: { ...json(totalsSchema, '').content, ...csv.content },
    },
    ...refusedBy(...MERCHANT, 'invalid_request', 'too_many_requests'),
  },
});

export function serveTotals(app: OpenAPIHono, totals: Totals): void {
  serveRoute(app, getTotals, async (c, { query }) => {
    const { timeZone, by, ...asked } = query;
    const days = daysOf(timeZone);
    const count = daysBetween(asked.from, asked.to);
    if (count < 1 || count > MAX_DAYS) throw invalid({ field: 'to', detail: `1 to ${MAX_DAYS} days after from` });
    const dimensions = DIMENSIONS.filter((dimension) => by.split(',').includes(dimension));
    const found = await totals.read({ ...asked, days, by: dimensions }, c.req.raw.signal);
    if (wantsCsv(c)) {
      const rows = found.map((total) => csvLine(TOTAL_COLUMNS.map((column) => total[column])));
      return csvAnswer(c, [csvLine(TOTAL_COLUMNS), ...rows].join(''), csvName('totals', asked));
    }
    const { from, to, basis } = asked;
    return answerJson(c, { from, to, timeZone, basis, totals: found }, 200, { Vary: 'Accept' });
  });
}

function daysOf(timeZone: string): Days {
  try {
    return daysIn(timeZone);
  } catch {
    throw invalid({ field: 'timeZone', detail: 'an IANA name, as Europe/Paris' });
  }
}
