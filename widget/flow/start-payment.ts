// Brings one start to the proxy and its answer back. A lost answer says nothing about the payment, so the same body is sent again
// with the same key, which the proxy answers without starting twice; five times at most, for the shopper is waiting.
// Owns the retries and nothing else: what the answer means is the session's matter.
import type { OrderView, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { Refusal, type ProxyClient } from './proxy-client.ts';
import type { Wait } from './stream.ts';

/** How long after each send the next one follows; half to one and a half of it. After the last one, none does. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 0];

export interface Delivery {
  client: ProxyClient;
  body: StartPayment;
  key: string;
  signal: AbortSignal;
  /** Nobody waits for the answer any more: the stream has shown the payment, or the shopper turned away. */
  isOver(): boolean;
  /** It takes longer than one send. */
  onSlow(): void;
  wait: Wait;
  random(): number;
}

/** The view, or why there is none; null where it was over before there was an answer. */
export async function deliver(delivery: Delivery): Promise<OrderView | Refusal | null> {
  const { client, body, key, signal, isOver, onSlow, wait, random } = delivery;
  for (const pauseMs of PAUSES_MS) {
    try {
      const view = await client.start(body, key, signal);
      return signal.aborted ? null : view;
    } catch (error) {
      if (isOver()) return null;
      const refusal = error instanceof Refusal ? error : new Refusal();
      if (!pauseMs || !isLost(refusal)) return refusal;
    }
    onSlow();
    await wait(pauseMs * (0.5 + random()), signal);
    if (isOver()) return null;
  }
  return null;
}

/** Whether it is open what the proxy did. */
function isLost({ problem: { status, retryable } }: Refusal): boolean {
  return retryable && (!status || status >= 500);
}
