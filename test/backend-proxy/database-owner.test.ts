// Books go on only at the gateway that they are of, unless the operator has said otherwise.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ensureOwner } from '../../backend-proxy/database-owner.ts';
import type { Checked, Gateway } from '../../backend-proxy/gateway/gateway.ts';
import type { DatabaseOwner, Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { Transaction, TransactionType } from '../../backend-proxy/protocol/transaction.ts';

const GATEWAY_URL = 'https://gateway.example/api';
const UNKNOWN: Checked = { kind: 'unknown', isOwnWord: false };
const UNAVAILABLE: Checked = { kind: 'unavailable', detail: 'timeout' };
const REPORT = { transactionId: 'P1', paymentId: null, customer: null, amount: null, currency: null, outcome: 'pending' } as const; // prettier-ignore

interface Start {
  url?: string;
  apiKey?: string;
  renamedFrom?: string;
  allowsWeaker?: boolean;
  hasStatusCheck?: boolean;
  answer?: (type: TransactionType) => Checked;
}

/** Books in memory, and the starts of proxies on them, one after the other. */
function bench(newest: Partial<Record<TransactionType, string>> = { PAY: 'P1' }) {
  let owner: DatabaseOwner | undefined;
  const asked: string[] = [];
  const ledger = {
    owner: async () => owner,
    setOwner: async (given) => void (owner = { ...given }),
    newestFound: async (type) => (newest[type] === undefined ? undefined : ({ id: newest[type], type } as Transaction)),
  } satisfies Partial<Ledger> as Partial<Ledger> as Ledger;
  const start = ({ hasStatusCheck = true, answer, ...given }: Start = {}): Promise<void> => {
    const status: Gateway['status'] = async (id, type) => {
      asked.push(id);
      return answer?.(type) ?? { kind: 'found', report: { ...REPORT, type } };
    };
    const gateway = { ...(hasStatusCheck && { status }) } as Gateway;
    return ensureOwner({ ledger, gateway, url: GATEWAY_URL, apiKey: 'key-1', renamedFrom: undefined, allowsWeaker: false, ...given }); // prettier-ignore
  };
  return { start, asked, owner: () => owner };
}

describe('books', () => {
  it('are bound at the first start to host, base path and status check, with nothing of the key', async () => {
    const { start, owner, asked } = bench();
    await start();
    const { keyDigest, ...rest } = owner()!;
    assert.deepEqual(rest, { gateway: 'gateway.example/api', hasStatusCheck: true });
    assert.match(keyDigest, /^[0-9a-f]{64}$/);
    assert.deepEqual(asked, [], 'and nobody is asked');
  });

  it('go on at the same gateway, whatever the slash at its end', async () => {
    const { start, owner } = bench();
    await start();
    const before = owner();
    await start({ url: `${GATEWAY_URL}/` });
    assert.deepEqual(owner(), before);
  });

  it('go on at a loopback gateway on whatever port', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const { start } = bench();
      await start({ url: `http://${host}:1234` });
      await start({ url: `http://${host}:4321` });
    }
    const { start } = bench();
    await start({ url: 'https://gateway.example:1234' });
    await assert.rejects(start({ url: 'https://gateway.example:4321' }), /another gateway needs other books/);
  });

  it('are refused at another host or base path, with how to allow it', async () => {
    for (const url of ['https://other.example/api', 'https://gateway.example/other']) {
      const { start, owner } = bench();
      await start();
      const before = owner();
      await assert.rejects(start({ url }), /another gateway needs other books.*GATEWAY_RENAMED_FROM=gateway\.example\/api/); // prettier-ignore
      assert.deepEqual(owner(), before, 'nothing was written');
    }
  });

  it('go on under the new name of the gateway that the operator names by its old one, and by no other', async () => {
    const { start, owner } = bench();
    await start();
    const url = 'https://renamed.example/api';
    await assert.rejects(start({ url, renamedFrom: 'wrong.example' }), /GATEWAY_URL/);
    await start({ url, renamedFrom: 'gateway.example/api' });
    assert.equal(owner()?.gateway, 'renamed.example/api');
    await start({ url });
  });

  it('lose the status check only where the operator allows it, and may gain one', async () => {
    const { start, owner } = bench();
    await start();
    await assert.rejects(start({ hasStatusCheck: false }), /GATEWAY_WEAKER_MODE=yes/);
    await start({ hasStatusCheck: false, allowsWeaker: true });
    assert.equal(owner()?.hasStatusCheck, false);
    await start();
    assert.equal(owner()?.hasStatusCheck, true);
  });
});

describe('another key', () => {
  it('is asked about the newest found transaction of each type, and kept where the gateway knows them', async () => {
    const { start, owner, asked } = bench({ PAY: 'P1', PAYOUT: 'O1' });
    await start();
    const before = owner()!.keyDigest;
    await start({ apiKey: 'key-2' });
    assert.deepEqual(asked, ['P1', 'O1']);
    assert.notEqual(owner()!.keyDigest, before);
    await start({ apiKey: 'key-2' });
    assert.equal(asked.length, 2, 'once');
  });

  it('of another account is refused: it does not know what is in these books', async () => {
    for (const unknownOf of ['PAY', 'PAYOUT'] as const) {
      const { start, owner } = bench({ PAY: 'P1', PAYOUT: 'O1' });
      await start();
      const before = owner();
      const answer = (type: TransactionType): Checked =>
        type === unknownOf ? UNKNOWN : { kind: 'found', report: { ...REPORT, type } };
      await assert.rejects(start({ apiKey: 'key-2', answer }), /the key is of another account/);
      assert.deepEqual(owner(), before);
    }
  });

  it('is asked about again at the next start where the gateway did not answer', async () => {
    const { start, owner, asked } = bench();
    await start();
    const before = owner();
    await start({ apiKey: 'key-2', answer: () => UNAVAILABLE });
    assert.deepEqual(owner(), before);
    await start({ apiKey: 'key-2' });
    assert.deepEqual(asked, ['P1', 'P1']);
  });

  it('of books in which nothing was ever found is taken as it is', async () => {
    const { start, owner, asked } = bench({});
    await start();
    const before = owner()!.keyDigest;
    await start({ apiKey: 'key-2' });
    assert.deepEqual(asked, []);
    assert.notEqual(owner()!.keyDigest, before);
  });

  it('together with a new name of the gateway is asked about, too', async () => {
    const { start, asked } = bench();
    await start();
    const renamed = { url: 'https://renamed.example', renamedFrom: 'gateway.example/api' };
    await assert.rejects(start({ ...renamed, answer: () => UNKNOWN }), /another account/);
    assert.deepEqual(asked, ['P1']);
  });
});
