// `payment-proxy listen --to URL`: brings the webhooks of a proxy to a server on this machine, even if the proxy cannot
// reach it. It asks the merchant API for new webhooks and forwards each with a new signature. It changes nothing at the
// proxy, which goes on sending to its WEBHOOK_URL.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Call, printable } from './report.ts';
import { createTarget, type Target, merchantApiOf, createVisitor, jsonOf, wordOf, type Visitor } from './requests.ts';

const EVERY_MS = 1_000;
/** The largest page of the merchant API. */
const PAGE = 200;
const MAX_REMEMBERED = 10_000;

interface Listed {
  id: string;
  type: string;
  orderId: string;
  createdAt: string;
}

/** Runs until its process is ended, or nobody reads what it prints. */
export async function listen({ args, env, print, unread }: Call): Promise<number> {
  const { values } = parseArgs({ args, options: { to: { type: 'string' }, proxy: { type: 'string' } } });
  const { proxy, key } = merchantApiOf(env, values.proxy, 'the proxy whose webhooks you want');
  const visitor = createVisitor();
  try {
    const target = createTarget(values.to, { env, visitor, print });
    const source = createSource(visitor, proxy, key);
    const present = await source.newest();
    const seen: Seen = { ids: new Set(present.map(({ id }) => id)), since: present[0]?.createdAt ?? '' };
    print(`Webhooks of ${proxy} go to ${values.to}`);
    while (unread?.aborted !== true) {
      await sleep(EVERY_MS);
      await forwardNew(source, seen, target, print).catch((error: unknown) =>
        print(`${error instanceof Error ? error.message : String(error)}; trying again`),
      );
    }
    return 0;
  } finally {
    await visitor.close();
  }
}

interface Source {
  /** Newest first. Throws an Error for the user. */
  newest(): Promise<Listed[]>;
  body(id: string): Promise<string>;
}

function createSource(visitor: Visitor, proxy: string, key: string): Source {
  async function get(path: string): Promise<Record<string, unknown>> {
    const answer = await visitor.visit(`${proxy}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    const body = jsonOf(answer);
    if (wordOf(answer) === 'HTTP 401') throw new Error(`${proxy} refuses the merchant's key`);
    if (wordOf(answer) !== 'HTTP 200' || body === undefined) throw new Error(`${proxy} answers ${wordOf(answer)}`);
    return body;
  }
  return {
    newest: async () => ((await get(`/webhooks?limit=${PAGE}`))['webhooks'] ?? []) as Listed[],
    body: async (id) => String((await get(`/webhooks/${encodeURIComponent(id)}`))['body']),
  };
}

/** The webhooks that are not new: those that were there at the start, and those that were forwarded. */
interface Seen {
  ids: Set<string>;
  /** Older webhooks move into the page when newer ones are deleted. */
  since: string;
}

/** Oldest first, one after the other. A webhook that could not be fetched is new again the next time. */
async function forwardNew(source: Source, { ids, since }: Seen, target: Target, print: (line: string) => void) {
  const isNew = ({ id, createdAt }: Listed) => createdAt >= since && !ids.has(id);
  const added = (await source.newest()).filter(isNew).toReversed();
  if (added.length === PAGE) print(`More than ${PAGE} webhooks at once: the oldest of them are left out`);
  for (const { id, type, orderId } of added) {
    const body = await source.body(id);
    ids.add(id);
    if (ids.size > MAX_REMEMBERED) ids.delete(ids.values().next().value ?? '');
    print(printable(`${type} ${orderId} ${id} ${await target.send({ id, body })}`));
  }
}
