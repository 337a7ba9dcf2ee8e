// Composes the sandbox gateway: a complete wallet service in one process and in memory, for the demo and tests. It
// has the real gateway's wire format and pages, and imports nothing of the proxy.
import { randomBytes } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { createApi } from './api.ts';
import { Clock } from './sandbox-clock.ts';
import { createCheckout } from './checkout.ts';
import { createControls, refuseControl } from './controls.ts';
import { Faults } from './faults.ts';
import { ATTEMPT_LIMIT_MS, IpnSender } from './ipn.ts';
import { createOverview } from './overview.ts';
import { createAssets, errorPage, ownFormsOnly, type ShopPages } from './page.ts';
import { Refusal } from './refusal.ts';
import { RequestLog } from './request-log.ts';
import { createWallet } from './wallet.ts';
import { PaymentProcessor } from './payment-processor.ts';

const API = '/api/v3/integration/merchants/payments';

export interface SandboxOptions extends ShopPages {
  /** The key that merchants send as X-API-KEY. */
  apiKey: string;
  /** The merchant's IPN URL; can be set later by `POST /_sandbox/ipn-url`. */
  ipnUrl?: string | null;
  /** How browsers reach the sandbox, without a trailing slash; default: the host of each request. */
  publicUrl?: string;
  /** Milliseconds since 1970. */
  now?: () => number;
  random?: (bytes: number) => Buffer;
  /** The merchant's name, as customers see it. */
  merchant?: string;
  /** The merchant's picture, as a `data:` URL; without one its initials are shown. */
  merchantLogo?: string;
  /** Served beside its own under `/_sandbox`, and before them. */
  controls?: Hono;
  fetch?: typeof fetch;
  ipnAttemptLimitMs?: number;
}

export interface Sandbox {
  app: Hono<{ Bindings: HttpBindings }>;
  processor: PaymentProcessor;
  faults: Faults;
  /** Starts the scheduled work (IPNs, payouts, expiry); returns a function that stops it for good. */
  run: () => () => void;
  /** Runs the due work and waits for it: in tests with a virtual clock, instead of `run`. */
  tick: () => Promise<void>;
  /** When the next work is due; undefined if none is. */
  nextDueAt: () => number | undefined;
  /** How many answers wait for their time. */
  sleeping: () => number;
  /** Sends them at once. */
  wake: () => void;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { random = randomBytes, merchant = 'Demo Shop', merchantLogo, publicUrl } = options;
  const { shopUrl, deskUrl, operatorUrl } = options;
  const pages = { shopUrl, deskUrl, operatorUrl };
  const clock = new Clock(options.now ?? Date.now);
  let version = 0;
  const onChange = () => {
    version += 1;
  };
  const faults = new Faults(onChange);
  const ipns = new IpnSender(options.ipnUrl ?? null, {
    clock,
    faults,
    onChange,
    fetch: options.fetch ?? fetch,
    attemptLimitMs: options.ipnAttemptLimitMs ?? ATTEMPT_LIMIT_MS,
  });
  const newToken = () => random(24).toString('base64url');
  const processor = new PaymentProcessor({
    clock,
    onChange,
    newToken,
    onFinal: (transaction) => ipns.send(transaction),
  });
  const requestLog = new RequestLog(clock, onChange);
  const controls = { processor, faults, clock, requestLog, ipns };
  const shown = { processor, clock, random, merchant, merchantLogo, ...pages, version: () => version };
  const baseUrl = (c: Context) => publicUrl ?? new URL(c.req.url).origin;

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.route(API, createApi({ ...controls, apiKey: options.apiKey, baseUrl }));
  app.use(ownFormsOnly);
  if (options.controls) app.route('/_sandbox', options.controls);
  app.route('/_sandbox', createControls(controls));
  app.all('/_sandbox/*', (c) => refuseControl(c, app.routes));
  app.route('/pay', createCheckout(shown));
  app.route('/wallet', createWallet(shown));
  app.route('/', createOverview({ ...controls, ...shown }));
  app.route('/assets', createAssets());
  app.notFound((c) => {
    const error = new Refusal(404, 'NOT_FOUND', 'This address does not exist.');
    const isForPeople = !c.req.path.startsWith('/api/') && c.req.header('accept')?.includes('text/html');
    return isForPeople ? errorPage(c, 'overview', error, 'Nothing here') : c.json(error.body, 404);
  });
  app.onError(answerError);

  return {
    app,
    processor,
    faults,
    tick: () => clock.tick(),
    nextDueAt: () => clock.nextAt,
    sleeping: () => clock.sleeping,
    wake: () => clock.wake(),
    run() {
      const stopClock = clock.run();
      return () => {
        stopClock();
        ipns.stop();
      };
    },
  };
}

function answerError(error: Error, c: Context): Response {
  if (error instanceof Refusal) return c.json(error.body, error.status);
  console.error('sandbox: a request failed', error);
  return c.json({ code: 'SANDBOX_ERROR', message: 'The sandbox failed; see its log.', errors: [] }, 500);
}
