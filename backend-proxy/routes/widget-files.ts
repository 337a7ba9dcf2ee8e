// Serves the built widget, compressed as the build has left it. `/widget.js` is the newest version, for a minute;
// `/widget-1.2.3.js` is that version, for a year.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { HonoRequest } from 'hono';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import { Refusal } from '../errors.ts';
import { VERSION } from '../installation.ts';
import { answer, refusedBy } from '../http/answer.ts';

/** The license texts are served beside the code. */
const SERVED = /^LICENSES\.txt$|\.(?:js|json|map|css)$/;
/** The entry by its version. A version may have a suffix, as in `widget-1.2.3-beta.1.js`. */
const VERSIONED = /^widget-\d+\.\d+\.\d+\S*\.js$/;
/** Chunks have a content hash (`flow-Ab12Cd34.js`); the entry and dictionaries have fixed names (`locale-de.js`). */
const HASHED = /^(?!locale-).+-[\w-]{8}\.js(\.map)?$/;
/** Fixed names are cached briefly: an old entry asks for chunks that a newer build no longer has. */
const CACHE = {
  named: 'public, max-age=60',
  lasting: 'public, max-age=31536000, immutable',
};

/** Any page may load the files, also with an integrity attribute, which needs CORS. */
const ANY_PAGE = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

const TAGGED = etag({ retainedHeaders: [...RETAINED_304_HEADERS, ...Object.keys(ANY_PAGE)] });
const SUFFIXES: Record<string, string> = { br: '.br', gzip: '.gz' };

/**
 * For a script tag without type="module", which could not run the widget: it fetches in another mode than a module.
 * Never cached, because a cache would serve it to modules.
 */
const CLASSIC = {
  script: `import(document.currentScript.src);console.warn('payment-widget: the script tag needs type="module"');`,
  headers: { ...ANY_PAGE, 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-store' },
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

/** The names of the built files; none if the widget is not built. */
export function widgetFilesIn(folder: string): string[] {
  try {
    // The themes are in a folder of their own.
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
    return names.filter((name) => SERVED.test(name));
  } catch {
    return [];
  }
}

export function serveWidget(app: OpenAPIHono, folder: string, names: readonly string[]): void {
  // A route for each name: a pattern for all of them would make Hono match every request by its slower router.
  for (const name of names) {
    const headers = {
      'Cache-Control': HASHED.test(name) || VERSIONED.test(name) ? CACHE.lasting : CACHE.named,
      Vary: 'Accept-Encoding',
      ...ANY_PAGE,
    };
    const path = join(folder, name);
    const serveFile = serveStatic({ path, precompressed: true });
    app.get(`/${name}`, TAGGED, async (c, next) => {
      c.set('route', ROUTE);
      if (isEntry(name) && isClassicScript(c.req)) return answer(c, CLASSIC.script, 200, CLASSIC.headers);
      const response = await serveFile(c, next);
      if (response?.ok !== true) return response;
      for (const [key, value] of Object.entries(headers)) response.headers.set(key, value);
      response.headers.set('ETag', tagOf(path, response));
      return response;
    });
  }
  app.openAPIRegistry.registerPath(getWidget);
}

/** By path and last change. */
const tags = new Map<string, string>();

/** A digest of the bytes that are sent, so each encoding has one of its own; made once, not with each request. */
function tagOf(file: string, { headers }: Response): string {
  const path = file + (SUFFIXES[headers.get('Content-Encoding') ?? ''] ?? '');
  const key = `${path} ${headers.get('Last-Modified')}`;
  const tag = tags.get(key) ?? `"${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 40)}"`;
  tags.set(key, tag);
  return tag;
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
