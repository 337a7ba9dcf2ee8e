// The address by which a caller is counted, behind as many reverse proxies as TRUSTED_PROXIES says. Notices requests
// that passed another number of them: then limits by address count the wrong thing, or nothing.
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { HOUR_MS, isWithin } from '../protocol/durations.ts';
import type { Log, Warning } from '../protocol/log.ts';
import { callerAt, isPrivateAddress } from '../config/addresses.ts';

const WARN_EVERY_MS = HOUR_MS;

export interface CallerAddress {
  /**
   * The key by which a caller is counted. Undefined if unknown: a private address is an undeclared reverse proxy or a
   * developer, and counting it as one caller would lock out everyone behind it.
   */
  of(c: Context): string | undefined;
  /** What the last hour's requests say about TRUSTED_PROXIES. */
  warnings(): Warning[];
}

export function createCallerAddress(trustedProxies: number, now: () => number, log: Log): CallerAddress {
  let wrong: (Warning & { at: number }) | undefined;
  let loggedAt = -Infinity;

  function note(hops: number): void {
    const isExpected = trustedProxies === 0 ? hops === 0 : hops >= trustedProxies;
    if (isExpected) return;
    wrong = { warning: warningAbout(hops, trustedProxies), at: now() };
    if (isWithin(WARN_EVERY_MS, loggedAt, now())) return;
    loggedAt = now();
    log('warn', 'proxy warning', { warning: wrong.warning });
  }

  return {
    of(c) {
      const hops = hopsOf(c);
      note(hops.length);
      return addressOf(c, hops, trustedProxies);
    },
    warnings: () => (wrong && isWithin(WARN_EVERY_MS, wrong.at, now()) ? [{ warning: wrong.warning }] : []),
  };
}

/** The addresses in X-Forwarded-For. Each reverse proxy adds one on the right; the caller may write any on the left. */
function hopsOf(c: Context): string[] {
  const header = c.req.header('X-Forwarded-For') ?? '';
  return header.trim() === '' ? [] : header.split(',').map((hop) => withoutPort(hop.trim()));
}

/**
 * The address of the connection or, behind reverse proxies, what the outermost of them saw. If too few of them have
 * added theirs, the last one, because only that is surely not written by the caller.
 */
function addressOf(c: Context, hops: readonly string[], trustedProxies: number): string | undefined {
  const hop = trustedProxies > 0 ? hops.at(-trustedProxies) : undefined;
  if (hop !== undefined) return callerAt(hop);
  const nearest = (trustedProxies > 0 ? hops.at(-1) : undefined) ?? connectionAddress(c);
  return isPrivateAddress(nearest) ? undefined : callerAt(nearest);
}

/** Empty without a socket. A dual-stack socket reports IPv4 as ::ffff:192.0.2.1. */
function connectionAddress(c: Context): string {
  const hasSocket = typeof c.env === 'object' && c.env !== null && 'incoming' in c.env;
  return hasSocket ? (getConnInfo(c).remote.address ?? '').replace(/^::ffff:(?=[0-9.]+$)/i, '') : '';
}

/**
 * Some load balancers add the port (`192.0.2.1:51234`, `[2001:db8::1]:443`), which would make each connection another
 * caller.
 */
function withoutPort(hop: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

function warningAbout(hops: number, trustedProxies: number): string {
  const found = `A request came with ${hops} ${hops === 1 ? 'address' : 'addresses'} in X-Forwarded-For`;
  const remedy = 'Set TRUSTED_PROXIES to the number of your reverse proxies in front';
  return trustedProxies === 0
    ? `${found}, which is not read. ${remedy}: without it, limits by address do not count the shoppers behind them.`
    : `${found}, and TRUSTED_PROXIES is ${trustedProxies}. ${remedy}, and let nobody reach the proxy past them.`;
}
