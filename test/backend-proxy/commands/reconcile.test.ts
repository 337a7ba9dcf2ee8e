// `payment-proxy reconcile`: what it finds in a statement, in every form that its options describe.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runCommand } from '../../../backend-proxy/commands/command-line.ts';
import { compareStatement } from '../../../backend-proxy/commands/statement/compare.ts';
import { D, S } from '../time.ts';
import { SECRETS, createWorld, type World } from '../world.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const ENV = { MERCHANT_API_KEY: SECRETS.merchant, PORT: '8787' };
const PERIOD = ['--from', '2026-11-20', '--to', '2026-11-21'];
const COLUMNS = ['--columns', 'id=Order,amount=Gross,currency=Cur,status=State,type=Kind'];

interface Result {
  code: number;
  lines: string[];
}

/** Runs the command over this statement and a proxy that `request` reaches. */
async function compare(
  t: TestContext,
  statement: string | Buffer,
  args: string[],
  request: typeof fetch,
): Promise<Result> {
  const lines: string[] = [];
  const call = {
    args: [statementFile(t, statement), ...args],
    env: ENV,
    print: (line: string) => void lines.push(line),
  };
  return { code: await compareStatement(call, request), lines };
}

function statementFile(t: TestContext, statement: string | Buffer): string {
  const folder = temporaryFolder(t);
  const file = join(folder, 'statement.csv');
  writeFileSync(file, statement);
  return file;
}

/** Runs the command over the proxy of a world. */
function run(t: TestContext, world: World, statement: string | Buffer, args: string[]): Promise<Result> {
  const local = 'http://127.0.0.1:8787';
  return compare(t, statement, args, (url, init) => world.request('GET', (url as string).replace(local, ''), init));
}

const BY_PAYMENT_ID = ['--columns', 'paymentId=Pay,amount=Gross', '--currency', 'EUR'];
const LISTED = 'type,gatewayOrderId,paymentId,amount,currency,status,needsReview,succeededAt\n';
const NOON = '2026-11-20T12:00:00.000Z';

/** A row of the export; all have one payment id. */
function exportedRow(type: string, id: string, amount: string, succeededAt = NOON): string {
  return `${type},${id},77,${amount},EUR,SUCCESS,false,${succeededAt}\n`;
}

/** Runs the command over a proxy that lists these rows, and knows each older payment as one of 10 euros at noon. */
function runOver(t: TestContext, statement: string, rows: string[], args: string[]): Promise<Result> {
  return compare(t, statement, [...PERIOD, ...args], async (url) => {
    const { pathname, search } = new URL(url as string);
    if (search !== '') return new Response(LISTED + rows.join(''), { headers: { 'Content-Type': 'text/csv' } });
    const history = [{ event: 'succeeded', at: NOON }];
    const amount = { amount: '10.00', currency: 'EUR', status: 'SUCCESS', type: 'PAY' };
    return Response.json({ ...amount, gatewayOrderId: pathname.split('/').at(-1), history });
  });
}

/** A-1 paid, A-2 declined, A-3 open, P-1 paid out, all at noon. */
async function createSome(t: TestContext): Promise<World> {
  const world = await createWorld(t);
  for (const orderId of ['A-1', 'A-2', 'A-3']) await world.start(world.token({ orderId }), { method: 'QR' });
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 50, currency: 'EUR', customer: '12345678' });
  world.skip(S);
  await world.customer('approve', 'A-1');
  await world.customer('decline', 'A-2');
  await world.settle();
  return world;
}

const HEAD = 'Order,Gross,Cur,State,Kind\n';
const SAME = 'A-1,10.10,EUR,SUCCESS,PAY\nA-2,10.1,EUR,FAILED,PAY\nP-1,50,EUR,SUCCESS,PAYOUT\n';

describe('payment-proxy reconcile', () => {
  it('a statement that agrees has no differences, and the exit code is 0', async (t) => {
    const world = await createSome(t);
    const { code, lines } = await run(t, world, HEAD + SAME, [...PERIOD, ...COLUMNS]);
    assert.deepEqual(lines, [
      'Succeeded in the period here: 2; lines there: 3',
      'EUR: here 60.10, there 60.10',
      'No differences',
    ]);
    assert.equal(code, 0);
  });

  it('each difference is a line with both sides and what to do, and the exit code is 1', async (t) => {
    const world = await createSome(t);
    const statement = `${HEAD}A-1,10.11,EUR,SUCCESS,PAY\nA-2,10.10,EUR,SUCCESS,PAYOUT\nA-3,10.10,USD,SUCCESS,PAY
X-9,5.00,EUR,SUCCESS,PAY\nA-3,10.10,EUR,PROCESSING,PAY\n`;
    const { code, lines } = await run(t, world, statement, [...PERIOD, ...COLUMNS]);
    const support = "ask the gateway's support";
    assert.deepEqual(lines, [
      `amount        A-1: here 10.10 EUR SUCCESS PAY, there 10.11 EUR SUCCESS PAY (line 2) -> ${support}`,
      `type          A-2: here 10.10 EUR FAILED PAY, there 10.10 EUR SUCCESS PAYOUT (line 3) -> ${support}`,
      `status        A-2: here 10.10 EUR FAILED PAY, there 10.10 EUR SUCCESS PAYOUT (line 3) -> money moved for a transaction reported as FAILED; ${support}`,
      `currency      A-3: here 10.10 EUR PENDING PAY, there 10.10 USD SUCCESS PAY (line 4) -> ${support}`,
      'status        A-3: here 10.10 EUR PENDING PAY, there 10.10 USD SUCCESS PAY (line 4) -> the proxy goes on asking the gateway; if it needs review, resolve it',
      `missing here  X-9: here –, there 5.00 EUR SUCCESS PAY (line 5) -> not started by this proxy: another shop on the account, or a lost row (GET /ipns); ${support}`,
      `twice         A-3: here 10.10 EUR PENDING PAY, there 10.10 EUR PENDING PAY (line 6) -> the statement has this id more than once; ${support}`,
      `missing there P-1: here 50.00 EUR SUCCESS PAYOUT, there – -> check the period of the statement, then ${support}`,
      'Succeeded in the period here: 2; lines there: 5',
      'EUR: here 60.10, there 25.21',
      'USD: here 0.00, there 10.10',
      'The sums differ: EUR, USD',
      '8 differences',
    ]); // prettier-ignore
    assert.equal(code, 1);
  });

  it('--csv prints the differences and the sums that differ as CSV, and nothing else', async (t) => {
    const world = await createSome(t);
    const { lines } = await run(t, world, `${HEAD}=1+1,5,EUR,SUCCESS,PAY\n${SAME}`, [...PERIOD, ...COLUMNS, '--csv']);
    assert.deepEqual(lines, [
      'difference,id,line,hereAmount,hereCurrency,hereStatus,hereType,thereAmount,thereCurrency,thereStatus,thereType,remedy',
      'missing here,\'=1+1,2,,,,,5.00,EUR,SUCCESS,PAY,"not started by this proxy: another shop on the account, or a lost row (GET /ipns); ask the gateway\'s support"',
      'sums,,,60.10,EUR,,,65.10,EUR,,,',
    ]);
  });

  it('a statement in another form is read as its options say: separators, signs, words, payment ids, encoding', async (t) => {
    const world = await createSome(t);
    const { body } = await world.merchant<{ transactions: { orderId: string; paymentId: string }[] }>('GET', '/transactions'); // prettier-ignore
    const idOf = (orderId: string) => body.transactions.find((each) => each.orderId === orderId)?.paymentId;
    const statement = Buffer.from(
      `Bank für Wallets\n\nZahlung;Betrag;Zustand;Text\n${idOf('A-1')};10,10;bezahlt;für A\n${idOf('P-1')};-0.050,000;bezahlt;"a;b"\n`,
      'latin1',
    );
    const form =
      '--columns paymentId=Zahlung,amount=Betrag,status=Zustand --currency EUR --signed --delimiter ; --decimal , ' +
      '--thousands . --success bezahlt --skip 2 --encoding latin1';
    const { lines } = await run(t, world, statement, [...PERIOD, ...form.split(' ')]);
    assert.deepEqual(lines.at(-1), 'No differences');
  });

  it('without a status column each line counts as SUCCESS, and the report says so', async (t) => {
    const world = await createSome(t);
    const statement = 'Order,Gross\nA-1,10.10\nA-2,10.10\nP-1,50\n';
    const { lines } = await run(t, world, statement, [...PERIOD, '--columns', 'id=Order,amount=Gross', '--currency', 'EUR']); // prettier-ignore
    assert.ok(lines.includes('The statement has no status: each line counts as SUCCESS'));
    assert.match(lines[0] ?? '', /^status +A-2: here 10\.10 EUR FAILED PAY, there 10\.10 EUR SUCCESS \(line 3\)/);
    assert.equal(lines.at(-1), '1 difference');
  });

  it('a payment counts in the period in which it succeeded, and an older one is looked up', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token(), { method: 'QR' });
    await world.faults({ status: { status: 503 } });
    world.skip(8 * D);
    await world.settle();
    world.skip(12 * D);
    await world.merchant('POST', '/transactions/A-1/resolve', { status: 'SUCCESS', by: 'ada', note: 'asked' });
    const paid = `${HEAD}A-1,10.10,EUR,SUCCESS,PAY\n`;
    assert.equal((await run(t, world, paid, ['--from', '2026-12-10', '--to', '2026-12-11', ...COLUMNS])).code, 0);
    assert.equal((await run(t, world, HEAD, [...PERIOD, ...COLUMNS])).code, 0);
    assert.equal((await run(t, world, HEAD, ['--from', '2026-12-01', '--to', '2026-12-31', ...COLUMNS])).code, 0);
  });

  it('an id that is surely not of this proxy is missing here, and the comparison goes on', async (t) => {
    const world = await createSome(t);
    const foreign = ['Order 12', 'Bestellung-12-ü', 'x'.repeat(150), 'a/b?c#d', '..', '.'];
    const rows = foreign.map((id) => `"${id}",50,EUR,SUCCESS,PAY\n`).join('');
    const { lines } = await run(t, world, `${HEAD}${rows}A-1,99.99,EUR,SUCCESS,PAY\n`, [...PERIOD, ...COLUMNS]);
    for (const id of foreign)
      assert.ok(
        lines.some((line) => line.startsWith(`missing here  ${id}: `)),
        id,
      );
    assert.ok(lines.some((line) => /^amount +A-1: /.test(line)));
    assert.match(lines.at(-1) ?? '', /differences$/);
  });

  it('what cannot be read ends the comparison with the line, the column and what is allowed', async (t) => {
    const world = await createSome(t);
    for (const [row, message] of [
      [',10.10,EUR,SUCCESS,PAY', /^Line 2, Order: "" is not an id/],
      [
        'A-1,"10,10",EUR,SUCCESS,PAY',
        /^Line 2, Gross: "10,10" is not an amount with "\." before the decimals, without a sign/,
      ],
      ['A-1,1e3,EUR,SUCCESS,PAY', /Gross: "1e3"/],
      ['A-1,-10.10,EUR,SUCCESS,PAY', /Gross: "-10.10"/],
      ['A-1,10.101,EUR,SUCCESS,PAY', /Gross: "10.101"/],
      ['A-1,10.10,EURO,SUCCESS,PAY', /Cur: "EURO" is not an ISO 4217 code/],
      ['A-1,10.10,EUR,Paid,PAY', /State: "Paid" is not one of the words of --success, --failed and --pending/],
      ['A-1,10.10,EUR,SUCCESS,IN', /Kind: "IN" is not one of the words of --pay and --payout/],
    ] as const) {
      await assert.rejects(run(t, world, `${HEAD}${row}\n`, [...PERIOD, ...COLUMNS]), { message }, row);
    }
    await assert.rejects(run(t, world, 'Order;Gross\n', [...PERIOD, ...COLUMNS]), /has no column Order, Gross, Cur, State, Kind; it has: Order;Gross/); // prettier-ignore
  });

  it('a line that was not looked up is reported as such, because nobody knows whether it is missing', async (t) => {
    const byId = ['--columns', 'id=Order,amount=Gross', '--currency', 'EUR'];
    const old = Array.from({ length: 1_002 }, (_, at) => `L-${at},10\n`).join('');
    const found = await runOver(t, `Order,Gross\n${old}`, [], byId);
    assert.deepEqual(
      [found.code, found.lines],
      [
        1,
        [
          ...[1_000, 1_001].map(
            (at) =>
              `not looked up L-${at}: here –, there 10.00 EUR SUCCESS (line ${at + 2}) -> perhaps older than the period, not looked up: search GET /transactions for it`,
          ),
          'Succeeded in the period here: 1000; lines there: 1002',
          'The statement has no status: each line counts as SUCCESS',
          'Perhaps older than the period, not looked up: 2',
          'EUR: here 10000.00, there 10020.00',
          'The sums differ: EUR',
          '2 differences',
        ],
      ],
    ); // prettier-ignore
    const { code, lines } = await runOver(t, 'Pay,Gross\n7,10\n', [], [...BY_PAYMENT_ID, '--csv']);
    assert.equal(code, 1);
    assert.equal(
      lines[1],
      'not looked up,7,2,,,,,10.00,EUR,SUCCESS,,"perhaps older than the period, not looked up: search GET /transactions for it"',
    ); // prettier-ignore
  });

  it('one line stands for one transaction, also where a payment and a payout share a payment id', async (t) => {
    const shared = [exportedRow('PAY', 'A-1', '10.00'), exportedRow('PAYOUT', 'P-1', '5.00')];
    const one = await runOver(t, 'Pay,Gross\n77,5\n', shared, BY_PAYMENT_ID);
    assert.equal(one.code, 1);
    assert.match(one.lines[0] ?? '', /^missing there A-1: here 10\.00 EUR SUCCESS PAY, there –/);
    assert.deepEqual(one.lines.slice(-2), ['The sums differ: EUR', '1 difference']);
    for (const rows of ['77,5\n77,10\n', '77,10\n77,5\n']) {
      assert.equal((await runOver(t, `Pay,Gross\n${rows}`, shared, BY_PAYMENT_ID)).lines.at(-1), 'No differences');
    }
    const three = await runOver(t, 'Pay,Gross\n77,5\n77,10\n77,5\n', shared, BY_PAYMENT_ID);
    assert.deepEqual([three.code, three.lines.filter((line) => line.startsWith('twice')).length], [1, 1]);
  });

  it('sums that differ are reported and end with 1, also if no line differs', async (t) => {
    const before = exportedRow('PAY', 'A-1', '10.00', '2026-11-19T23:59:59.000Z');
    const { code, lines } = await runOver(t, 'Pay,Gross\n77,10\n', [before], BY_PAYMENT_ID);
    assert.deepEqual([code, lines.slice(-2)], [1, ['The sums differ: EUR', 'No line differs, only the sums']]);
  });

  it('a named column that is there twice, and a statement without a header, are errors', async (t) => {
    for (const [statement, args, message] of [
      ['Pay,Gross,Fee,Gross\n77,10,1,9\n', [], /^The statement has the column Gross more than once$/],
      ['', [], /^No header was read/],
      ['Pay,Gross\n77,10\n', ['--skip', '9'], /^No header was read: the statement is empty, or --skip/],
    ] as const) {
      await assert.rejects(runOver(t, statement, [], [...BY_PAYMENT_ID, ...args]), { message });
    }
    await runOver(t, 'Pay,Gross,Fee,Fee\n', [], BY_PAYMENT_ID);
  });

  it('no control character of a statement reaches the terminal', async (t) => {
    const { lines } = await runOver(t, 'Pay,Gross\n"\u001B[31mX\n7",10\n', [], [...BY_PAYMENT_ID, '--csv']);
    assert.match(lines[1] ?? '', /^not looked up," \[31mX 7"/);
    for (const statement of [
      'Pay,\u001B[31mGros\n',
      'Pay,Gross\n7,"\u001B[31m\n1"\n',
      'Pay,Gross\n7,"\u001B[31m"x\n',
    ]) {
      const errors: string[] = [];
      const args = ['reconcile', statementFile(t, statement), ...PERIOD, ...BY_PAYMENT_ID];
      const code = await runCommand(args, { env: ENV, print: () => undefined, printError: (line) => errors.push(line) }); // prettier-ignore
      assert.equal(code, 1);
      assert.doesNotMatch(errors.join('|'), /\p{Cc}/u);
    }
  });

  it('a call without a period, columns or one currency, or with contradictions, prints the usage', async () => {
    const good = ['reconcile', 'x.csv', ...PERIOD];
    for (const [args, says] of [
      [['reconcile'], /name one file/],
      [['reconcile', 'x.csv', ...COLUMNS], /--from is the first day/],
      [['reconcile', 'x.csv', '--from', '2026-11-21', '--to', '2026-11-20', ...COLUMNS], /--from is the first day/],
      [good, /--columns says/],
      [[...good, '--columns', 'amount=A'], /has to name id .* or paymentId/],
      [[...good, '--columns', 'id=A,paymentId=B,amount=C'], /one of the two/],
      [[...good, '--columns', 'id=A'], /has to name amount/],
      [[...good, '--columns', 'order=A'], /is a list like/],
      [[...good, '--columns', 'id=A,amount=B'], /Name the column of the currency/],
      [[...good, ...COLUMNS, '--currency', 'EUR'], /currency=NAME\), or the one of all lines/],
      [[...good, ...COLUMNS, '--signed'], /without a type column/],
      [[...good, ...COLUMNS, '--decimal', ',', '--thousands', ','], /another character/],
      [[...good, ...COLUMNS, '--failed', 'SUCCESS'], /one meaning/],
      [[...good, ...COLUMNS, '--proxy', 'http://pay.example'], /https, or http on loopback/],
      [[...good, ...COLUMNS, '--unknown'], /unknown/i],
    ] as const) {
      const errors: string[] = [];
      const code = await runCommand([...args], { env: ENV, print: () => undefined, printError: (line) => errors.push(line) }); // prettier-ignore
      assert.equal(code, 2, args.join(' '));
      assert.match(errors.join('\n'), says);
      assert.match(errors.join('\n'), /Usage:\n {2}payment-proxy reconcile STATEMENT\.csv/);
    }
  });

  it('a list that is broken off is an error, never a comparison', async (t) => {
    const csv = LISTED + exportedRow('PAY', 'A-1', '10.00');
    const call = {
      args: [statementFile(t, 'Pay,Gross\n77,10\n'), ...PERIOD, ...BY_PAYMENT_ID],
      env: ENV,
      print: () => assert.fail('nothing is compared'),
    };
    const broken = async () => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from(csv.slice(0, -1)));
          controller.error(new Error('reset'));
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'text/csv' } });
    };
    const down = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' });
    for (const [request, message] of [
      [broken, /cut the list off/],
      [async () => new Response('', { status: 401 }), /refuses the merchant's key/],
      [async () => assert.fail(new TypeError('fetch failed', { cause: down })), /does not answer: ECONNREFUSED$/],
    ] as const) {
      await assert.rejects(compareStatement(call, request), { message });
    }
  });
});

it('a refund is a payout in the statement, found by its own id', async (t) => {
  const statement = 'Order,Gross,Cur,State,Kind\nA-1-r1,4.00,EUR,SUCCESS,PAYOUT\n';
  const row = exportedRow('REFUND', 'A-1-r1', '4.00');
  assert.equal((await runOver(t, statement, [row], COLUMNS)).code, 0);
  const wrong = await runOver(t, statement.replace('PAYOUT', 'PAY'), [row], COLUMNS);
  assert.equal(wrong.code, 1);
});
