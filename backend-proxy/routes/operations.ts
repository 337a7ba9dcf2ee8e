// For operators and pages: health, readiness, metrics, and the built widget's files. No secrets, no orders, no decisions.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics.ts';
import { merchantOnly } from './guards.ts';
import { refusedBy } from './problem.ts';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
};
/** Its licences' text goes where the widget's code goes. */
const LICENCES = 'LICENSES.txt';
/** The build names a chunk by its content, `later-Ab12Cd34.js`; but the entry and its dictionaries are `widget.js`, `locale-de.js`. */
const HASHED = /^(?!locale-).+-[\w-]{8}\.js(\.map)?$/;
/** Short for a name that outlives its content: an entry of yesterday asks for chunks that the build of today no longer has. */
const CACHE = {
  named: 'public, max-age=60',
  hashed: 'public, max-age=31536000, immutable',
};

const status = <Word extends string>(word: Word) => ({
  description: word,
  content: { 'application/json': { schema: z.object({ status: z.literal(word) }) } },
});

const getHealth = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process answers',
  responses: { 200: status('ok'), ...refusedBy() },
});

const getReadiness = createRoute({
  method: 'get',
  path: '/readyz',
  summary: 'Whether the books can be written',
  responses: {
    200: {
      description: 'It can serve; `warnings` say what an operator should mend all the same',
      content: {
        'application/json': {
          schema: z.object({ status: z.literal('ready'), warnings: z.array(z.string()).optional() }),
        },
      },
    },
    ...refusedBy(),
  },
});

const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Metrics for Prometheus',
  security: [{ merchantKey: [] }],
  responses: {
    200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
    ...refusedBy('unauthorized', 'forbidden_origin'),
  },
});

const getWidget = createRoute({
  method: 'get',
  path: '/widget.js',
  summary: 'The widget; the files that it loads lie beside it',
  responses: {
    200: { description: 'The widget', content: { 'text/javascript': { schema: z.string() } } },
    304: { description: 'As the ETag says' },
    ...refusedBy('not_found'),
  },
});

interface WidgetFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Compressed when it is first asked for, so that the start does not wait for files that nobody may want. */
  brotli(): Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** Reads the built files once; an empty map where the widget was not built. */
export function readWidgetFiles(folder: string): ReadonlyMap<string, WidgetFile> {
  const files = new Map<string, WidgetFile>();
  for (const name of namesIn(folder)) {
    const type = name === LICENCES ? 'text/plain; charset=utf-8' : TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    files.set(name, {
      bytes,
      brotli: once(() => new Uint8Array(brotliCompressSync(bytes))),
      headers: {
        'Content-Type': type,
        'Cache-Control': HASHED.test(name) ? CACHE.hashed : CACHE.named,
        ETag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
        Vary: 'Accept-Encoding',
        // Any page may load it, also with an integrity attribute, which needs CORS.
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      },
    });
  }
  return files;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface Room {
  keys: readonly string[];
  ledger: Ledger;
  metrics: Metrics;
  widgetFolder: string;
  /** What is not as it should be, in our own words. */
  warnings(): Promise<string[]>;
}

export function operationsRoutes({ keys, ledger, metrics, widgetFolder, warnings }: Room): OpenAPIHono {
  const files = readWidgetFiles(widgetFolder);
  const app = new OpenAPIHono();
  app.use('/metrics', merchantOnly(keys));

  app.openapi(getHealth, (c) => c.json({ status: 'ok' as const }, 200));

  app.openapi(getReadiness, async (c) => {
    await ledger.ping();
    if (!files.has('widget.js')) throw new Refusal('unavailable', 'The widget is not built: run npm run build.');
    const difference = ledger.wrongBooks();
    if (difference !== undefined) throw new Refusal('unavailable', `No payments are started here: ${difference}.`);
    const found = await warnings();
    return c.json({ status: 'ready' as const, ...(found.length > 0 && { warnings: found }) }, 200);
  });

  app.openapi(getMetrics, async (c) =>
    c.text(await metrics.text(), 200, { 'Content-Type': METRICS_CONTENT_TYPE, 'Cache-Control': 'no-store' }),
  );

  app.get('/:file', (c, next) => {
    const file = files.get(c.req.param('file'));
    if (file === undefined) return next();
    const { bytes, brotli, headers } = file;
    if (c.req.header('If-None-Match') === headers['ETag']) return c.body(null, 304, headers);
    const takesBrotli = /\bbr\b/.test(c.req.header('Accept-Encoding') ?? '');
    if (!takesBrotli) return c.body(bytes, 200, headers);
    return c.body(brotli(), 200, { ...headers, 'Content-Encoding': 'br' });
  });
  app.openAPIRegistry.registerPath(getWidget);

  return app;
}
