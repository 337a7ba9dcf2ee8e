// The tests' gateway: the sandbox, served over loopback, with its record of what it was asked to create, how often, and
// how each transaction ended.
import { createServer, type Server } from 'node:http';
import { serve } from '@hono/node-server';
import { createSandbox, type Sandbox } from '../../demo/sandbox/sandbox.ts';
import { addressOf, closeServer } from '../loopback.ts';
import type { Clock } from './manual-clock.ts';
import { SECRETS } from './canary-secrets.ts';

export interface GatewayTransaction {
  orderId: string;
  paymentId: number;
  type: 'PAY' | 'PAYOUT';
  /** As it was sent, digit by digit. */
  amount: string;
  currency: string;
  /** The wallet that was asked, or of a payout the receiver. */
  customer: string | null;
  status: 'INITIALIZED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';
  /** How many requests to create it arrived. */
  createRequests: number;
}

export interface TestGateway {
  url: string;
  sandbox: Sandbox;
  transactions(): Promise<GatewayTransaction[]>;
  /** @throws if the sandbox refuses, for example because the transaction has ended */
  act(orderId: string, action: 'approve' | 'decline', walletId?: string): Promise<void>;
  control(path: 'faults' | 'ipn-url', body: object): Promise<void>;
  close(): Promise<void>;
}

export async function startGateway({
  clock,
  apiKey = SECRETS.gatewayApiKey,
}: {
  clock: Clock;
  /** Each account has its own. */
  apiKey?: string;
}): Promise<TestGateway> {
  const sandbox = createSandbox({ apiKey, now: clock.now });
  const stop = sandbox.run();
  const server = serve({ fetch: sandbox.app.fetch, hostname: '127.0.0.1', port: 0, createServer }) as Server;
  const url = await addressOf(server);

  async function control(path: string, body?: object): Promise<unknown> {
    const answer = await sandbox.app.request(`/_sandbox/${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`The sandbox refused ${path}: ${await answer.text()}`);
    return answer.json();
  }

  const transactions = async () =>
    ((await control('transactions')) as { transactions: GatewayTransaction[] }).transactions;
  const act = async (orderId: string, action: string, walletId?: string) =>
    void (await control(`transactions/${encodeURIComponent(orderId)}/${action}`, { customer: walletId }));

  return {
    url,
    sandbox,
    transactions,
    act,
    control: async (path, body) => void (await control(path, body)),
    async close() {
      stop();
      await closeServer(server);
    },
  };
}
