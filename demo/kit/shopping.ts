// What a shopper does in the test world, by HTTP or by the kit.
import type { Method } from '../../backend-proxy/protocol/wire.ts';

/** A shopper who starts and ends a payment without a browser. */
export interface Shopping {
  token: string;
  method: Method;
  /** The wallet that pays; default: the sandbox's first customer. */
  customer?: string | undefined;
  /** For an open amount. */
  amount?: string | undefined;
  does: 'approve' | 'decline' | 'nothing';
}
