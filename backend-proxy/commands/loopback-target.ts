// Where `listen` and `trigger` send webhooks: to a server on this machine only, signed as the proxy signs them.
import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { readSome, type Environment } from '../config/config.ts';
import { isLoopbackName } from '../protocol/links.ts';
import { sign } from '../webhooks.ts';
import { UsageError } from './command-call.ts';
import { wordOf, type Visitor } from './visit.ts';

export interface Target {
  /** Resolves with how it was answered: `HTTP 200`, `ECONNREFUSED`. */
  send(webhook: { id: string; body: string }): Promise<string>;
}

/** Without WEBHOOK_SECRET it generates a secret for this run, and prints it for the server on this machine. */
export function createTarget(
  to: string | undefined,
  { env, visitor, print }: { env: Environment; visitor: Visitor; print: (line: string) => void },
  now: () => number = Date.now,
): Target {
  const url = to === undefined ? null : URL.parse(to);
  if (url === null || !/^https?:$/.test(url.protocol) || !isLoopbackName(url.hostname)) {
    throw new UsageError('--to is a URL on this machine, such as http://127.0.0.1:3000/webhooks.');
  }
  const secrets = readSome(env, ['WEBHOOK_SECRET']).WEBHOOK_SECRET ?? [newSecret(print)];
  const signers = secrets.map((secret) => new Signer(secret));
  return {
    send: async (webhook) => {
      const headers = sign(webhook, signers, now());
      return wordOf(await visitor.visit(url.href, { method: 'POST', headers, body: webhook.body }));
    },
  };
}

function newSecret(print: (line: string) => void): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  print(`WEBHOOK_SECRET is not set; this run signs with ${secret}`);
  return secret;
}
