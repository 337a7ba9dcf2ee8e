// The steps of a random sequence, as fast-check draws and shrinks them. model-run.ts performs them.
import fc from 'fast-check';
import { D, H, M, S } from '../backend-proxy/time.ts';
import type { Method } from './model-transaction.ts';
import type { Spoil } from './model-gateway.ts';

export type Step =
  | { do: 'start'; order: 0 | 1; method: Method; key: number; times: number; answer: Spoil }
  | { do: 'pay out'; payout: 0 | 1; amount: number; answer: Spoil }
  | { do: 'decide'; which: number; action: 'approve' | 'decline' | 'expire'; ipn: 'once' | 'twice' | 'never' }
  | { do: 'forge'; which: number; fields: Record<string, unknown> }
  | { do: 'spoil checks'; answers: Spoil[] }
  | { do: 'wait'; ms: number }
  | { do: 'resolve'; which: number; status: 'SUCCESS' | 'FAILED' }
  /** The id prefix from then on. */
  | { do: 'restart'; prefix: string };

/**
 * By the gateway itself, by an intermediary, by a framework without such a path, by a gateway that already has the id.
 */
const REFUSALS = [
  '{"code":"WALLET_NOT_FOUND","message":"No such wallet."}',
  '{}',
  '{"timestamp":"2026-11-20T12:00:00Z","status":404,"error":"Not Found","path":"/pay"}',
  '<html><h1>403 Forbidden</h1></html>',
  '{"code":"ORDER_ALREADY_EXISTS","message":"Order id was used before."}',
];
const refusal = fc
  .record({
    status: fc.constantFrom(302, 400, 400, 401, 403, 404, 409, 422, 429, 500, 503),
    body: fc.constantFrom(...REFUSALS),
    // The gateway received the request before something on the way refused it.
    reachesGateway: fc.boolean(),
  })
  .map((fields) => ({ kind: 'http', ...fields }) as const);
const loss = fc.constantFrom<Spoil>({ kind: 'unsent' }, { kind: 'lost' }, { kind: 'cut' }, { kind: 'garbage' });
const well = fc.constant<Spoil>({ kind: 'none' });
const createAnswer = fc.oneof(
  { weight: 6, arbitrary: well },
  { weight: 3, arbitrary: loss },
  { weight: 3, arbitrary: refusal },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<Record<string, unknown>>(
        { orderId: 'another' },
        { method: 'CASH' },
        { method: 'CHECKOUT', checkout: 'javascript:alert(1)' },
        { qr: '%' },
        { paymentId: null },
      )
      .map((fields) => ({ kind: 'tamper', fields }) as const),
  },
);
const lie = fc.constantFrom<Record<string, unknown>>(
  { amount: 10.11 },
  { amount: null },
  { currency: 'USD' },
  { type: 'PAYOUT' },
  { type: 'LOAN' },
  { paymentId: 7 },
  { customer: '99999999' },
  { status: 'SUCCESS', amount: null },
  { status: 'FAILED', message: 'TOKEN_EXPIRED' },
  { orderId: 'another' },
  { status: 'SUCCESS' },
  { status: 'SUCCESS' },
  { status: 'SUCCESS' },
  { status: 'FAILED' },
  { status: 'FAILED' },
  { status: 'ERROR' },
  { status: 'PROCESSING' },
  { status: 'SOMETHING_NEW' },
);
const checkAnswer = fc.oneof(
  { weight: 2, arbitrary: well },
  { weight: 2, arbitrary: loss },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<[number, string]>([404, '{}'], [404, '<h1>Not Found</h1>'], [500, '{}'], [429, '{}'])
      .map(([status, body]) => ({ kind: 'http', status, body, reachesGateway: true }) as const),
  },
  { weight: 2, arbitrary: lie.map((fields) => ({ kind: 'tamper', fields }) as const) },
);
const which = fc.nat({ max: 9 });

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      // More often the first order, so that the limits of one order are reached.
      order: fc.constantFrom(0, 0, 0, 1),
      method: fc.constantFrom<Method>('DIRECT', 'CHECKOUT', 'JETGO', 'QR'),
      key: fc.nat({ max: 7 }),
      // Sometimes many, so that the limits of an order or a wallet are reached.
      times: fc.constantFrom(1, 1, 1, 1, 1, 1, 6),
      answer: createAnswer,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pay out' as const),
      payout: fc.constantFrom(0, 1),
      amount: fc.constantFrom(25, 25, 26),
      answer: createAnswer,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      which,
      action: fc.constantFrom('approve', 'approve', 'decline', 'expire'),
      ipn: fc.constantFrom('once', 'once', 'twice', 'never'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('forge' as const), which, fields: lie }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('spoil checks' as const),
      answers: fc.array(checkAnswer, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(S, 3 * S, 31 * S, 61 * S, 2 * M, 5 * M, 18 * M, 31 * M, H, 25 * H, 8 * D),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      which,
      status: fc.constantFrom('SUCCESS' as const, 'FAILED' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const), prefix: fc.constantFrom('', '', 'shop-') }),
  },
);
