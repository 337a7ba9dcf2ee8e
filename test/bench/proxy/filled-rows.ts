// The rows of payments as a year leaves them: 85% paid, 10% declined, 5% replaced; each with its history, an IPN and
// a delivered webhook. Or payments that are still open.
const DAY_MS = 86_400_000;

/** The orders `filled-0000000000`, `filled-0000000001` … */
export const FILLED = 'filled';

/**
 * `due`: instead of settled, sent a quarter of an hour ago and not checked since, so that a status check is due.
 * `open`: the same, and no check is planned.
 */
export type Filled = 'settled' | 'due' | 'open';

/** SQL for each column, where `i` is the number of the payment. */
export type Columns = Record<string, string>;

export type Dialect = 'sqlite' | 'postgres';

/** The rows of each table for payment `i` of `count`. */
export function filledRows(
  dialect: Dialect,
  count: number,
  filled: Filled,
  now: number,
): [table: string, rows: Columns[]][] {
  const pad = (number: string, digits: number, kind: 'd' | 'x') => {
    if (dialect === 'sqlite') return `printf('%0${digits}${kind}', ${number})`;
    return `lpad(${kind === 'x' ? `to_hex(${number})` : `(${number})::text`}, ${digits}, '0')`;
  };
  const isOpen = filled !== 'settled';
  const stepMs = Math.max(1, Math.floor((365 * DAY_MS) / count));
  const id = `('${FILLED}-' || ${pad('i', 10, 'd')})`;
  const at = isOpen ? `(${now} - 900000 + i % 60000)` : `(${now - 366 * DAY_MS} + i * ${stepMs})`;
  const rank = isOpen ? '3' : '(case when i % 20 = 0 then 4 when i % 10 = 1 then 8 else 9 end)';
  const ended = `(${at} + 40000)`;
  const paymentId = `(100000 + i)`;
  const transaction: Columns = {
    id,
    type: "'PAY'",
    order_id: id,
    attempt: '1',
    asked: "'CHECKOUT'",
    method: "'CHECKOUT'",
    amount_minor: '1010',
    currency: "'EUR'",
    customer: 'cast(10000000 + (i * 7919) % 80000000 as text)',
    idempotency_key: "('key-0123456789abcdef-' || i)",
    fingerprint: `'${'A'.repeat(43)}'`,
    rank,
    payment_id: isOpen ? 'null' : `('' || ${paymentId})`,
    checkout_url: `('https://checkout.example/pay?token=abc.def.' || i)`,
    expires_at: `(${at} + ${isOpen ? DAY_MS : 900_000})`,
    version: isOpen ? '4' : '5',
    created_at: at,
    updated_at: isOpen ? at : ended,
    sent_at: `(${at} + 2)`,
    answer: "'accepted'",
    pay_within_ms: isOpen ? `${DAY_MS}` : '900000',
    found_at: isOpen ? 'null' : ended,
    ipn_received_at: isOpen ? 'null' : `(${at} + 39000)`,
    ipns_received: isOpen ? '0' : '1',
    ipns_answered: isOpen ? '0' : '1',
    checked_at: isOpen ? 'null' : ended,
    next_check_at: filled === 'due' ? `(${now - 60_000} + i % 50000)` : 'null',
    checks: isOpen ? "'[]'" : `('[{"at":' || ${ended} || ',"byIpn":true}]')`,
  };
  const event = (name: string, afterMs: number, source: string): Columns => ({
    transaction_id: id,
    event: name,
    at: `(${at} + ${afterMs})`,
    source: `'${source}'`,
  });
  const end = `case ${rank} when 9 then 'succeeded' when 8 then 'declined' else 'replaced' end`;
  const begun = [event("'created'", 0, 'shopper'), event("'sending'", 2, 'shopper'), event("'pending'", 300, 'answer')];
  const order: Columns = {
    order_id: id,
    amount_minor: '1010',
    currency: "'EUR'",
    version: isOpen ? '4' : '5',
    paid_by: `case ${rank} when 9 then ${id} end`,
  };
  const ipn: Columns = {
    id: `'${'0123456789abcdef'.repeat(2)}' || ${pad('(i * 2654435761) % 99999999999', 11, 'd')}`,
    transaction_id: id,
    reading: `'{"transactionId":"' || ${id} || '","type":"PAY","paymentId":"' || ${paymentId} || '","customer":"12345678","amount":"10.1","currency":"EUR","outcome":"succeeded"}'`,
    body: `'{"paymentId":' || ${paymentId} || ',"orderId":"' || ${id} || '","type":"PAY","customer":"12345678","amount":10.1,"currency":"EUR","status":"SUCCESS","message":"SUCCESS"}'`,
    matched: '1',
    seen: '1',
    first_at: `(${at} + 39000)`,
    last_at: `(${at} + 39000)`,
  };
  const webhook: Columns = {
    id: `('msg_' || ${pad('i', 32, 'x')})`,
    transaction_id: id,
    order_id: id,
    type: `case ${rank} when 9 then 'payment.succeeded' else 'payment.failed' end`,
    body: `'{"type":"payment.succeeded","data":{"type":"PAY","orderId":"' || ${id} || '","pad":"${'x'.repeat(900)}"}}'`,
    state: "'delivered'",
    attempts: '1',
    next_at: ended,
    lease_until: '0',
    last_answer: "'HTTP 200'",
    created_at: ended,
  };
  return [
    ['orders', [order]],
    ['transactions', [transaction]],
    ['history', isOpen ? begun : [...begun, event(end, 40_000, 'check')]],
    ...(isOpen
      ? []
      : ([
          ['ipns', [ipn]],
          ['webhooks', [webhook]],
        ] as [string, Columns[]][])),
  ];
}
