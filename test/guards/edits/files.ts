// The edits for the attacks under "Files and scripts" in SECURITY.md.
import type { Edits } from '../apply.ts';

const OPENAPI = 'backend-proxy/routes/openapi.ts';
const WIDGET_FILES = 'backend-proxy/routes/widget-files.ts';

export const files: Edits = {
  'Take files from the server': [
    {
      file: WIDGET_FILES,
      find: "TYPES[name.split('.').at(-1) ?? '']",
      put: "TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain'",
    },
    {
      file: WIDGET_FILES,
      find: "const file = files.get(c.req.param('file'));",
      put:
        "const path = join('dist/widget', c.req.param('file'));\n" +
        "const file = readWidgetFiles(join(path, '..')).get(path.split('/').at(-1) ?? '');",
    },
  ],
  'Change the widget on its way': [
    { file: WIDGET_FILES, find: "'Access-Control-Allow-Origin': '*',", put: '' },
    { file: WIDGET_FILES, find: "'Cross-Origin-Resource-Policy': 'cross-origin',", put: '' },
    { file: WIDGET_FILES, find: "  json: 'application/json',\n", put: '' },
  ],
  '…in a script without a hash': [
    { file: 'vite.config.ts', find: ', integrity()]', put: ']' },
    { file: 'widget/build/plugins.ts', find: "file.endsWith('.js')", put: "file === 'widget.js'" },
  ],
  'Have a cache name another host': [
    { file: OPENAPI, find: "new URL('.', c.req.url).pathname", put: "new URL('.', c.req.url).href" },
  ],
};
