// A database may be used only with its own gateway and account, unless the operator allows another.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ensureOwner } from '../../../backend-proxy/use-cases/database-owner.ts';
import type { Checked, Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { DatabaseOwner } from '../../../backend-proxy/ledger/model.ts';
import { D, NOON } from '../time.ts';
import type { Transaction, GatewayType } from '../../../backend-proxy/protocol/transaction.ts';

const GATEWAY_URL = 'https://gateway.example/api';
const UNKNOWN: Checked = { kind: 'unknown', isNoSuchOrder: false };
const UNAVAILABLE: Checked = { kind: 'unavailable', detail: 'timeout' };
const REPORT = { transactionId: 'P1', paymentId: null, customer: null, amount: null, currency: null, outcome: 'pending' } as const; // prettier-ignore

interface Start {
  url?: string;
  apiKey?: string;
  renamedFrom?: string;
  allowsWeaker?: boolean;
  hasStatusCheck?: boolean;
  answer?: (type: GatewayType) => Checked;
}

/** An in-memory database and consecutive starts of a proxy on it. */
function bench(newest: Partial<Record<GatewayType, string>> = { PAY: 'P1' }) {
  let owner: DatabaseOwner | undefined;
  let now = NOON;
  const asked: string[] = [];
  const ledger = {
    owner: async () => owner,
    setOwner: async (given) => void (owner = { ...given }),
    time: async () => now,
    newestFound: async (type) =>
      newest[type] === undefined ? undefined : ({ id: newest[type], type, updatedAt: NOON } as Transaction),
  } satisfies Partial<Ledger> as Partial<Ledger> as Ledger;
  const start = ({ hasStatusCheck = true, answer, ...given }: Start = {}): Promise<void> => {
    const status: Gateway['status'] = async (id, type) => {
      asked.push(id);
      return answer?.(type) ?? { kind: 'found', report: { ...REPORT, type } };
    };
    const gateway = { ...(hasStatusCheck && { status }) } as Gateway;
    return ensureOwner({ ledger, gateway, url: GATEWAY_URL, apiKey: 'key-1', renamedFrom: undefined, allowsWeaker: false, ...given }); // prettier-ignore
  };
  return { start, asked, owner: () => owner, pass: (ms: number) => void (now += ms) };
}

it('the first start stores the host, base path and status check as the owner, and only a digest of the key', async () => {
  const { start, owner, asked } = bench();
  await start();
  const { keyDigest, ...rest } = owner()!;
  assert.deepEqual(rest, { gateway: 'gateway.example/api', hasStatusCheck: true });
  assert.match(keyDigest, /^[0-9a-f]{64}$/);
  assert.deepEqual(asked, [], 'no status check is made');
});

it('a start at the same gateway is allowed with or without a trailing slash', async () => {
  const { start, owner } = bench();
  await start();
  const before = owner();
  await start({ url: `${GATEWAY_URL}/` });
  assert.deepEqual(owner(), before);
});

it('a start at a loopback gateway is allowed on any port', async () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const { start } = bench();
    await start({ url: `http://${host}:1234` });
    await start({ url: `http://${host}:4321` });
  }
  const { start } = bench();
  await start({ url: 'https://gateway.example:1234' });
  await assert.rejects(start({ url: 'https://gateway.example:4321' }), /another gateway needs another DATABASE_URL/);
});

it('a start at another host or base path is refused, and the message says how to allow it', async () => {
  for (const url of ['https://other.example/api', 'https://gateway.example/other']) {
    const { start, owner } = bench();
    await start();
    const before = owner();
    await assert.rejects(start({ url }), /another gateway needs another DATABASE_URL.*GATEWAY_RENAMED_FROM=gateway\.example\/api/); // prettier-ignore
    assert.deepEqual(owner(), before, 'nothing was written');
  }
});

it('a start under a new gateway name is allowed if GATEWAY_RENAMED_FROM has the stored name, and only then', async () => {
  const { start, owner } = bench();
  await start();
  const url = 'https://renamed.example/api';
  await assert.rejects(start({ url, renamedFrom: 'wrong.example' }), /GATEWAY_URL/);
  await start({ url, renamedFrom: 'gateway.example/api' });
  assert.equal(owner()?.gateway, 'renamed.example/api');
  await start({ url });
});

it('a start without a status check needs GATEWAY_WEAKER_MODE if the database had one; gaining one is allowed', async () => {
  const { start, owner } = bench();
  await start();
  await assert.rejects(start({ hasStatusCheck: false }), /GATEWAY_WEAKER_MODE=yes/);
  await start({ hasStatusCheck: false, allowsWeaker: true });
  assert.equal(owner()?.hasStatusCheck, false);
  await start();
  assert.equal(owner()?.hasStatusCheck, true);
});

it('another API key is checked with the newest transaction of each type, and stored if the gateway knows them', async () => {
  const { start, owner, asked } = bench({ PAY: 'P1', PAYOUT: 'O1' });
  await start();
  const before = owner()!.keyDigest;
  await start({ apiKey: 'key-2' });
  assert.deepEqual(asked, ['P1', 'O1']);
  assert.notEqual(owner()!.keyDigest, before);
  await start({ apiKey: 'key-2' });
  assert.equal(asked.length, 2, 'once');
});

it('an API key of another account is refused, because the gateway does not know the transactions', async () => {
  for (const unknownOf of ['PAY', 'PAYOUT'] as const) {
    const { start, owner } = bench({ PAY: 'P1', PAYOUT: 'O1' });
    await start();
    const before = owner();
    const answer = (type: GatewayType): Checked =>
      type === unknownOf ? UNKNOWN : { kind: 'found', report: { ...REPORT, type } };
    await assert.rejects(start({ apiKey: 'key-2', answer }), /the key belongs to another account/);
    assert.deepEqual(owner(), before);
  }
});

it('another API key is checked again at the next start if the gateway did not answer', async () => {
  const { start, owner, asked } = bench();
  await start();
  const before = owner();
  await start({ apiKey: 'key-2', answer: () => UNAVAILABLE });
  assert.deepEqual(owner(), before);
  await start({ apiKey: 'key-2' });
  assert.deepEqual(asked, ['P1', 'P1']);
});

it('after a quiet season another API key is stored unchecked, because the gateway may have forgotten the newest', async () => {
  const { start, owner, asked, pass } = bench();
  await start();
  const before = owner()!.keyDigest;
  pass(30 * D);
  await assert.rejects(start({ apiKey: 'key-2', answer: () => UNKNOWN }), /another account/);
  pass(1);
  await start({ apiKey: 'key-2', answer: () => UNKNOWN });
  assert.notEqual(owner()!.keyDigest, before);
  assert.deepEqual(asked, ['P1']);
});

it('another API key is stored unchecked if no transaction was ever found', async () => {
  const { start, owner, asked } = bench({});
  await start();
  const before = owner()!.keyDigest;
  await start({ apiKey: 'key-2' });
  assert.deepEqual(asked, []);
  assert.notEqual(owner()!.keyDigest, before);
});

it('another API key is checked even if the gateway was renamed at the same time', async () => {
  const { start, asked } = bench();
  await start();
  const renamed = { url: 'https://renamed.example', renamedFrom: 'gateway.example/api' };
  await assert.rejects(start({ ...renamed, answer: () => UNKNOWN }), /another account/);
  assert.deepEqual(asked, ['P1']);
});
