// Whether the gateway refuses our API key, from how its calls end.
import type { Warning } from '../protocol/log.ts';
import type { Call } from './instrumented.ts';

export interface GatewayKey {
  /** Records a gateway call that has ended. */
  record(call: Pick<Call, 'operation' | 'outcome' | 'detail'>): void;
  warnings(): Warning[];
}

export function watchKey(): GatewayKey {
  let refusedBy: string | undefined;
  return {
    record({ operation, outcome, detail = '' }) {
      // A 403 to anything else may be about a wallet.
      const isRefused = /^HTTP 401\b/.test(detail) || (operation === 'status' && /^HTTP 403\b/.test(detail));
      if (isRefused) refusedBy = detail;
      else if (['accepted', 'found', 'unknown'].includes(outcome)) refusedBy = undefined;
    },
    warnings: () =>
      refusedBy === undefined
        ? []
        : [{ warning: 'The gateway refuses the key: set GATEWAY_API_KEY.', detail: refusedBy }],
  };
}
