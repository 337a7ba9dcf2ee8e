// The edits for the attacks under "Files and scripts" in docs/threats.md.
import type { Edits } from '../apply.ts';

const OPENAPI = 'backend-proxy/routes/openapi.ts';
const WIDGET_FILES = 'backend-proxy/routes/widget-files.ts';

export const files: Edits = {
  'Read files of the server': [
    {
      file: WIDGET_FILES,
      find: "TYPES[name.split('.').at(-1) ?? '']",
      put: "TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain'",
    },
    {
      file: WIDGET_FILES,
      find: 'return readdirSync(folder);',
      put: "return [...readdirSync(folder), '../package.json'];",
    },
  ],
  'Change the widget in transit': [
    { file: WIDGET_FILES, find: "'Access-Control-Allow-Origin': '*',", put: '' },
    { file: WIDGET_FILES, find: "'Cross-Origin-Resource-Policy': 'cross-origin',", put: '' },
    { file: WIDGET_FILES, find: "  json: 'application/json',\n", put: '' },
  ],
  'Change a script that has no hash': [
    { file: 'vite.config.ts', find: '    integrity(),\n', put: '' },
    { file: 'widget/build/plugins.ts', find: "file.endsWith('.js')", put: "file === 'widget.js'" },
  ],
  'Poison a cache with the answer for classic scripts': [
    { file: WIDGET_FILES, find: ", 'Cache-Control': 'no-store' }", put: ' }' },
  ],
  'Round an amount before the proxy reads it': [
    { file: 'backend-proxy/http/body-limit.ts', find: 'if (wasRead(c)) throw alreadyRead();', put: '' },
  ],
  'Poison a cache with another host': [
    { file: OPENAPI, find: 'servers: [{ url }]', put: "servers: [{ url: new URL('.', c.req.url).href }]" },
  ],
};
