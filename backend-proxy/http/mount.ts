// The proxy inside another server: under a prefix of its paths, as a fetch handler (Hono, Bun, Deno) and as a handler
// of node:http (Express, Fastify, Node). The host keeps its own limits and its own Request and Response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';

/** `env`: what the host's server passes along; the address of the caller is read from its `incoming`. */
export type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse, next?: () => void) => void;

export interface Handlers {
  /** Answers a request with the path that the browser sent. Outside the prefix the answer is 404. */
  fetch: Fetch;
  /** Calls `next` outside the prefix; without `next` the answer is 404. Mount it before any body parser. */
  handler: NodeHandler;
}

/** Part of `env`: the host has read the body, so nothing of it is left. */
export interface BodyWasRead {
  bodyWasRead?: boolean;
}

const PREFIX = /^(\/[\w.~-]+)*$/;
/** The path is outside the prefix. */
const NOWHERE = '/';

/** `prefix`: like `/pay`, or empty for the root, or for a host that removes the prefix itself. */
export function mountAt(prefix: string, fetch: Fetch): Handlers {
  if (!PREFIX.test(prefix)) throw new Error('prefix: a path like /pay, without a slash at its end');
  const below = (path: string) => (path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined);
  // The host's server has its own Request and Response, which must stay.
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });

  return {
    fetch(request, env = {}) {
      if (prefix === '') return fetch(request, env);
      const url = new URL(request.url);
      url.pathname = below(url.pathname) ?? NOWHERE;
      const { method, headers, bodyUsed: bodyWasRead } = request;
      // `duplex` is required of a body that is a stream, and missing in TypeScript's types.
      const init = { method, headers, body: bodyWasRead ? null : request.body, duplex: 'half' };
      return fetch(new Request(url, init), { ...env, bodyWasRead } satisfies BodyWasRead);
    },

    handler(incoming, outgoing, next) {
      // Express and Connect remove the path of `app.use('/pay', …)` from the URL and keep it here.
      const { originalUrl } = incoming as { originalUrl?: string };
      const path = below((prefix === '' ? undefined : originalUrl) ?? incoming.url ?? '');
      if (path === undefined && next) {
        next();
        return;
      }
      incoming.url = path ?? NOWHERE;
      void listener(incoming, outgoing);
    },
  };
}
