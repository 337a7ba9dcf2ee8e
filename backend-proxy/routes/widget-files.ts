// Serves the built widget. Files are read once at start, compressed once, and cached by browsers.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { answer } from './answer.ts';
import { refusedBy } from './problem.ts';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
};
/** The licence texts are served beside the code. */
const LICENCES = 'LICENSES.txt';
/**
 * Chunks have a content hash (`flow-Ab12Cd34.js`); entries and dictionaries have fixed names (`widget.js`,
 * `locale-de.js`).
 */
const HASHED = /^(?!locale-).+-[\w-]{8}\.js(\.map)?$/;
/** Fixed names are cached briefly: an old entry asks for chunks that a newer build no longer has. */
const CACHE = {
  named: 'public, max-age=60',
  hashed: 'public, max-age=31536000, immutable',
};

/** What log and metrics call all of them: their names change with each build. */
const ROUTE = '/:file';

const getWidget = createRoute({
  method: 'get',
  path: '/widget.js',
  summary: 'The widget script; its other files are beside it',
  responses: {
    200: { description: 'The widget', content: { 'text/javascript': { schema: z.string() } } },
    304: { description: 'Not modified' },
    ...refusedBy('not_found'),
  },
});

export interface WidgetFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Compressed on the first request, so that the start does not wait for it. */
  brotli(): Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** Reads the built files; an empty map if the widget is not built. */
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

export function widgetRoutes(files: ReadonlyMap<string, WidgetFile>): OpenAPIHono {
  const app = new OpenAPIHono();
  // A route for each name: a pattern for all of them would make Hono match every request by its slower router.
  for (const [name, { bytes, brotli, headers }] of files) {
    app.get(`/${name}`, (c) => {
      c.set('route', ROUTE);
      if (c.req.header('If-None-Match') === headers['ETag']) return answer(c, null, 304, headers);
      const takesBrotli = /\bbr\b/.test(c.req.header('Accept-Encoding') ?? '');
      if (!takesBrotli) return answer(c, bytes, 200, headers);
      return answer(c, brotli(), 200, { ...headers, 'Content-Encoding': 'br' });
    });
  }
  app.openAPIRegistry.registerPath(getWidget);
  return app;
}
