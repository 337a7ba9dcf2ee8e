// Serves the built widget. Files are read once at the start, compressed once, outside the only thread, and cached by
// browsers. `/widget.js` is the newest version, for a minute; `/widget-1.2.3.js` is that version, for a year.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { HonoRequest } from 'hono';
import { Refusal } from '../errors.ts';
import { VERSION } from '../version.ts';
import { answer, chooseCoding, hasMatch, type Coding } from '../http/answer.ts';
import { refusedBy } from '../http/problem.ts';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  css: 'text/css; charset=utf-8',
};
/** The license texts are served beside the code. */
const LICENSES = 'LICENSES.txt';
/** The entry by its version. A version may have a suffix, as in `widget-1.2.3-beta.1.js`. */
const VERSIONED = /^widget-\d+\.\d+\.\d+\S*\.js$/;
/** Chunks have a content hash (`flow-Ab12Cd34.js`); the entry and dictionaries have fixed names (`locale-de.js`). */
const HASHED = /^(?!locale-).+-[\w-]{8}\.js(\.map)?$/;
/** Fixed names are cached briefly: an old entry asks for chunks that a newer build no longer has. */
const CACHE = {
  named: 'public, max-age=60',
  lasting: 'public, max-age=31536000, immutable',
};

type Bytes = Uint8Array<ArrayBuffer>;

const ENCODE: Record<Coding, (bytes: Bytes) => Promise<Bytes>> = {
  br: promisify<Bytes, Bytes>(brotliCompress),
  gzip: promisify<Bytes, Bytes>(gzip),
  identity: (bytes) => Promise.resolve(bytes),
};

/** Any page may load the files, also with an integrity attribute, which needs CORS. */
const ANY_PAGE = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * For a script tag without type="module", which could not run the widget: it fetches in another mode than a module.
 * Never cached, because a cache would serve it to modules.
 */
const CLASSIC = {
  script: `import(document.currentScript.src);console.warn('payment-widget: the script tag needs type="module"');`,
  headers: { ...ANY_PAGE, 'Content-Type': TYPES['js'] ?? '', 'Cache-Control': 'no-store' },
};

/** Their common name in log and metrics, because file names change with each build. */
const ROUTE = '/:file';

const getWidget = createRoute({
  method: 'get',
  path: '/widget.js',
  operationId: 'getWidgetScript',
  tags: ['Public'],
  security: [],
  summary: 'The widget script; its other files are beside it',
  responses: {
    200: { description: 'The widget', content: { 'text/javascript': { schema: z.string() } } },
    304: { description: 'Not modified' },
    ...refusedBy('not_found'),
  },
});

interface WidgetFile {
  digest: string;
  headers: Record<string, string>;
  /** Compressed on the first request, so that the start does not wait for it. */
  encoded(coding: Coding): Promise<Bytes>;
}

/** Reads the built files; an empty map if the widget is not built. */
export function readWidgetFiles(folder: string): ReadonlyMap<string, WidgetFile> {
  const files = new Map<string, WidgetFile>();
  for (const name of namesIn(folder)) {
    const type = name === LICENSES ? 'text/plain; charset=utf-8' : TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    files.set(name, {
      digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
      headers: {
        'Content-Type': type,
        'Cache-Control': HASHED.test(name) || VERSIONED.test(name) ? CACHE.lasting : CACHE.named,
        Vary: 'Accept-Encoding',
        ...ANY_PAGE,
      },
      encoded: encoder(bytes),
    });
  }
  return files;
}

function encoder(bytes: Bytes): WidgetFile['encoded'] {
  const made: Partial<Record<Coding, Promise<Bytes>>> = {};
  return (coding) => (made[coding] ??= ENCODE[coding](bytes));
}

function namesIn(folder: string): string[] {
  try {
    // The themes are in a folder of their own.
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  } catch {
    return [];
  }
}

export function serveWidget(app: OpenAPIHono, files: ReadonlyMap<string, WidgetFile>): void {
  // A route for each name: a pattern for all of them would make Hono match every request by its slower router.
  for (const [name, file] of files) {
    app.get(`/${name}`, async (c) => {
      c.set('route', ROUTE);
      if (isEntry(name) && isClassicScript(c.req)) return answer(c, CLASSIC.script, 200, CLASSIC.headers);
      const coding = chooseCoding(c.req.header('Accept-Encoding'));
      // A strong tag stands for bytes, so each encoding has one of its own.
      const etag = coding === 'identity' ? `"${file.digest}"` : `"${file.digest}-${coding}"`;
      const headers = { ...file.headers, ETag: etag };
      if (hasMatch(c.req.header('If-None-Match'), etag)) return answer(c, null, 304, headers);
      const encoding: Record<string, string> = coding === 'identity' ? {} : { 'Content-Encoding': coding };
      return answer(c, await file.encoded(coding), 200, { ...headers, ...encoding });
    });
  }
  app.openAPIRegistry.registerPath(getWidget);
}

const isEntry = (name: string) => name === 'widget.js' || VERSIONED.test(name);

/** As the browser says (https://www.w3.org/TR/fetch-metadata/). */
function isClassicScript(request: HonoRequest): boolean {
  return request.header('Sec-Fetch-Dest') === 'script' && request.header('Sec-Fetch-Mode') === 'no-cors';
}

/** The refusal of a path that has no route: of another version's script, with what to do. */
export function notFound(path: string): Refusal {
  const name = path.split('/').at(-1) ?? '';
  return new Refusal(
    'not_found',
    VERSIONED.test(name)
      ? `This proxy has version ${VERSION} of the widget: load /widget-${VERSION}.js, or /widget.js.`
      : 'No such route.',
  );
}
