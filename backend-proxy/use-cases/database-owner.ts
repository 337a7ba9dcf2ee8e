// Checks at start that the database belongs to the configured gateway and account. With another gateway (a sandbox
// database at the live gateway, a stray payments.db), its reports could mark the wrong orders as paid. A difference
// ends the start unless the operator has allowed it.
import { createHash } from 'node:crypto';
import type { Gateway } from '../gateway/gateway.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DatabaseOwner } from '../ledger/model.ts';
import { DAY_MS } from '../protocol/durations.ts';
import { isLoopbackName } from '../protocol/links.ts';
import { GATEWAY_TYPES } from '../protocol/transaction.ts';

/** A gateway may have forgotten what is older, so its "unknown" says nothing about the account. */
const OLD_MS = 30 * DAY_MS;

interface Options {
  ledger: Ledger;
  gateway: Gateway;
  url: string;
  apiKey: string;
  /** GATEWAY_RENAMED_FROM: the gateway name stored in the database, if the same gateway has a new name. */
  renamedFrom: string | undefined;
  /** GATEWAY_WEAKER_MODE=yes: the database may be used without a status check. */
  allowsWeaker: boolean;
}

/** Throws an Error whose message is written for the operator. */
export async function ensureOwner(options: Options): Promise<void> {
  const { ledger, gateway } = options;
  const current: DatabaseOwner = {
    gateway: nameOf(options.url),
    hasStatusCheck: gateway.status !== undefined,
    keyDigest: createHash('sha256')
      .update(`${nameOf(options.url)}\n${options.apiKey}`)
      .digest('hex'),
  };
  const stored = await ledger.owner();
  if (stored !== undefined) {
    refuseMismatch(current, stored, options);
    if (stored.keyDigest !== current.keyDigest) {
      const isSameAccount = await isAccountOfNewest(options);
      // No answer: keep the old digest, so that the next start checks again.
      if (!isSameAccount) current.keyDigest = stored.keyDigest;
    }
  }
  await ledger.setOwner(current);
}

function refuseMismatch(current: DatabaseOwner, stored: DatabaseOwner, { renamedFrom, allowsWeaker }: Options): void {
  if (stored.gateway !== current.gateway && stored.gateway !== renamedFrom) {
    throw new Error(
      `GATEWAY_URL: the database belongs to the gateway ${stored.gateway}; ` +
        'another gateway needs another DATABASE_URL. ' +
        `If it is the same gateway under a new name, set GATEWAY_RENAMED_FROM=${stored.gateway}`,
    );
  }
  if (stored.hasStatusCheck && !current.hasStatusCheck && !allowsWeaker) {
    throw new Error(
      'GATEWAY_PROFILE: the database was used with a status check and the profile has none, ' +
        'so IPNs would be trusted unchecked; set GATEWAY_WEAKER_MODE=yes to allow it',
    );
  }
}

/**
 * Whether the account of the new API key has the transaction that was found last. Throws if it does not; false if the
 * gateway did not answer. After a quiet season nobody can be asked about, and the key is taken.
 */
async function isAccountOfNewest({ ledger, gateway }: Options): Promise<boolean> {
  for (const type of GATEWAY_TYPES) {
    const newest = await ledger.newestFound(type);
    if (newest === undefined || gateway.status === undefined) continue;
    if ((await ledger.time()) - newest.updatedAt > OLD_MS) continue;
    const { kind } = await gateway.status(newest.id, type);
    if (kind === 'unknown') {
      throw new Error(
        'GATEWAY_API_KEY: the key belongs to another account, which does not have the transactions of the database. ' +
          'Another account needs another DATABASE_URL',
      );
    }
    if (kind === 'unavailable') return false;
  }
  return true;
}

/** Host and base path; without the port for loopback, because it changes at each start. */
function nameOf(url: string): string {
  const { host, hostname, pathname } = new URL(url);
  return (isLoopbackName(hostname) ? hostname : host) + pathname.replace(/\/$/, '');
}
