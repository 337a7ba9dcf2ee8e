// Where the merchant API is that a command reads, and the key for it.
import { readSome, type Environment } from '../config/config.ts';
import { merchantKeysOf } from '../config/merchant-keys.ts';
import { isSafeWebUrl } from '../protocol/links.ts';
import { UsageError } from './command-call.ts';

/** `given`: the option `--proxy`; without it the proxy of this environment. `which`: the proxy, for the operator. */
export function merchantApiOf(env: Environment, given: string | undefined, which: string) {
  const { PORT = 0, ...settings } = readSome(env, ['PORT', 'MERCHANT_API_KEY', 'MERCHANT_KEYS']);
  const usable = merchantKeysOf(settings).find(({ scopes }) => scopes.includes('read'));
  const url = URL.parse(given ?? `http://127.0.0.1:${PORT}`);
  if (url === null || !isSafeWebUrl(url)) throw new UsageError('--proxy is https, or http on loopback.');
  if (usable === undefined) {
    throw new Error(`A key is missing: MERCHANT_API_KEY, or one of MERCHANT_KEYS with the scope read, of ${which}.`);
  }
  return { proxy: url.href.replace(/\/$/, ''), key: usable.key };
}
