// The edits for the attacks under "Files and scripts" in docs/threats.md.
import type { Edits } from '../apply.ts';

const OPENAPI = 'backend-proxy/routes/openapi.ts';
const WIDGET_FILES = 'backend-proxy/routes/widget-files.ts';

export const files: Edits = {
  'Read files of the server': [
    [WIDGET_FILES, "TYPES[name.split('.').at(-1) ?? '']", "TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain'"],
    [
      WIDGET_FILES,
      "return readdirSync(folder, { recursive: true, encoding: 'utf8' })",
      "return [...readdirSync(folder), '../package.json']",
    ],
  ],
  'Change the widget in transit': [
    [WIDGET_FILES, "'Access-Control-Allow-Origin': '*',", ''],
    [WIDGET_FILES, "'Cross-Origin-Resource-Policy': 'cross-origin',", ''],
    [WIDGET_FILES, "  json: 'application/json',\n", ''],
  ],
  'Change a script that has no hash': [
    ['vite.config.ts', '    integrity(),\n', ''],
    ['widget/build/plugins.ts', "file.endsWith('.js')", "file === 'widget.js'"],
  ],
  'Have a changed script loaded by another address': [
    ['widget/shell/later-bundle.ts', " && !document.querySelector('[type=importmap]')", ''],
  ],
  'Poison a cache with the answer for classic scripts': [[WIDGET_FILES, ", 'Cache-Control': 'no-store' }", ' }']],
  'Round an amount before the proxy reads it': [
    ['backend-proxy/http/body-limit.ts', 'if (wasRead(c)) throw alreadyRead();', ''],
  ],
  'Poison a cache with another host': [
    [OPENAPI, 'servers: [{ url }]', "servers: [{ url: new URL('.', c.req.url).href }]"],
  ],
};
