// Before anything is served: whether these books are of this gateway. Books that go on at another one (a sandbox's at the live gateway,
// the current folder's payments.db) would be paid by a stranger's word. What differs is refused unless the operator has said so.
import { createHash } from 'node:crypto';
import type { Gateway } from './gateway/gateway.ts';
import type { DatabaseOwner, Ledger } from './ledger/ledger.ts';
import { TRANSACTION_TYPES } from './protocol/transaction.ts';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/;

interface Asked {
  ledger: Ledger;
  gateway: Gateway;
  url: string;
  apiKey: string;
  /** GATEWAY_RENAMED_FROM: the gateway's name as the books have it; the same gateway has another name now. */
  renamedFrom: string | undefined;
  /** GATEWAY_WEAKER_MODE=yes: the books go on without a status check. */
  allowsWeaker: boolean;
}

/** Throws an Error that is meant for the operator, as it is. */
export async function ensureOwner(asked: Asked): Promise<void> {
  const { ledger, gateway } = asked;
  const ours: DatabaseOwner = {
    gateway: nameOf(asked.url),
    hasStatusCheck: gateway.status !== undefined,
    keyDigest: createHash('sha256')
      .update(`${nameOf(asked.url)}\n${asked.apiKey}`)
      .digest('hex'),
  };
  const theirs = await ledger.owner();
  if (theirs !== undefined) {
    refuseOther(ours, theirs, asked);
    if (theirs.keyDigest !== ours.keyDigest) {
      const isSameAccount = await askNewest(asked);
      // Not answered: the old digest stays, so that the next start asks again.
      if (!isSameAccount) ours.keyDigest = theirs.keyDigest;
    }
  }
  await ledger.setOwner(ours);
}

function refuseOther(ours: DatabaseOwner, theirs: DatabaseOwner, { renamedFrom, allowsWeaker }: Asked): void {
  if (theirs.gateway !== ours.gateway && theirs.gateway !== renamedFrom) {
    throw new Error(
      `GATEWAY_URL: these books are of the gateway ${theirs.gateway}; another gateway needs other books (DATABASE_URL). ` +
        `Where it is the same gateway under a new name, set GATEWAY_RENAMED_FROM=${theirs.gateway}`,
    );
  }
  if (theirs.hasStatusCheck && !ours.hasStatusCheck && !allowsWeaker) {
    throw new Error(
      'GATEWAY_PROFILE: these books were kept with a status check and the profile has none, so IPNs would be believed as they are; ' +
        'set GATEWAY_WEAKER_MODE=yes to allow it',
    );
  }
}

/** With another key: whether its account has the transaction that was found last. Refuses an account that does not. */
async function askNewest({ ledger, gateway }: Asked): Promise<boolean> {
  for (const type of TRANSACTION_TYPES) {
    const newest = await ledger.newestFound(type);
    if (newest === undefined || gateway.status === undefined) continue;
    const { kind } = await gateway.status(newest.id, type);
    if (kind === 'unknown') {
      throw new Error(
        'GATEWAY_API_KEY: the key is of another account: the gateway does not know what is in these books. ' +
          'Another account needs other books (DATABASE_URL)',
      );
    }
    if (kind === 'unavailable') return false;
  }
  return true;
}

/** Host and base path; a loopback's port is another at each start. */
function nameOf(url: string): string {
  const { host, hostname, pathname } = new URL(url);
  return (LOOPBACK.test(host) ? hostname : host) + pathname.replace(/\/$/, '');
}
