// The edits for the attacks under "Building, installing and starting" in docs/threats.md.
import type { Edits } from '../apply.ts';

const MAIN = 'backend-proxy/main.ts';

export const building: Edits = {
  'Plant code for the next start': [
    [MAIN, 'module.enableCompileCache?.(CACHE_FOLDER)', 'module.enableCompileCache?.()'],
  ],
  'Read a secret while building': [['widget/build/main.ts', "import './no-secrets.mjs';", '']],
  'Read a secret while installing': [['widget/build/install.mjs', "import './no-secrets.mjs';", '']],
  "Read a secret at the proxy's start": [
    ['backend-proxy/start.ts', "if (!existsSync(join(WIDGET_FOLDER, 'widget.js'))) {", 'if (false) {'],
    [
      'backend-proxy/config/start-error.ts',
      "const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';",
      'const isMissing = false;',
    ],
  ],
  'Read a secret in the demo': [
    ['demo/widget-build.ts', 'env: inheritedEnvironment()', 'env: process.env'],
    ['demo/child.ts', '.filter(([key]) => INHERITED.test(key))', ''],
  ],
};
