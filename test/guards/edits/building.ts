// The edits for the attacks under "Building, installing and starting" in docs/threats.md.
import type { Edits } from '../apply.ts';

const MAIN = 'backend-proxy/main.ts';

export const building: Edits = {
  'Plant code for the next start': [
    {
      file: MAIN,
      find: 'module.enableCompileCache?.(CACHE_FOLDER)',
      put: 'module.enableCompileCache?.()',
    },
  ],
  'Read a secret while building': [{ file: 'widget/build/main.ts', find: "import './no-secrets.mjs';", put: '' }],
  'Read a secret while installing': [{ file: 'widget/build/install.mjs', find: "import './no-secrets.mjs';", put: '' }],
  "Read a secret at the proxy's start": [
    {
      file: 'backend-proxy/start.ts',
      find: "if (!existsSync(join(WIDGET_FOLDER, 'widget.js'))) {",
      put: 'if (false) {',
    },
    {
      file: 'backend-proxy/config/start-error.ts',
      find: "const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';",
      put: 'const isMissing = false;',
    },
  ],
  'Read a secret in the demo': [
    { file: 'demo/widget-build.ts', find: 'env: inheritedEnvironment()', put: 'env: process.env' },
    { file: 'demo/child.ts', find: '.filter(([key]) => INHERITED.test(key))', put: '' },
  ],
};
