// The edits that remove the guards of SECURITY.md's section "Logs, errors and metrics", by attack (see ../edits.ts).
import type { Edits } from '../apply.ts';

const CONFIG = 'backend-proxy/config.ts';
const APP = 'backend-proxy/app.ts';
const LOG = 'backend-proxy/log.ts';

export const logs: Edits = {
  'Read secrets from a log or an error': [
    { file: APP, find: "${error.name}${code}${place ?? ''}", put: '${error.message}' },
    { file: APP, find: "'Something went wrong here. Nothing is lost; ask again.'", put: 'error.message' },
    {
      file: 'backend-proxy/routes/problem.ts',
      find: 'detail: message,',
      put: 'detail: String(refusal.cause ?? message),',
    },
  ],
  "…or from the start's message": [
    {
      file: CONFIG,
      find: "`${path.join('.')}: ${message}`",
      put: "`${path.join('.')}: ${message}: ${given[String(path[0])]}`",
    },
  ],
  'Write lines into the log': [
    {
      file: 'backend-proxy/start.ts',
      find: 'logger[level]({ event, ...fields })',
      put: 'console.log(level, event, ...Object.values(fields))',
    },
  ],
  '…or words, in an Origin': [
    { file: APP, find: "originOf(c.req.header('Origin') ?? '')", put: "c.req.header('Origin')" },
  ],
  "…or in a field's name": [{ file: APP, find: "kind === 'invalid_request' ? { code: kind } : ", put: '' }],
  'Learn about orders from the metrics': [
    { file: 'backend-proxy/metrics.ts', find: "METHODS.has(method) ? method : 'other'", put: 'method' },
    { file: APP, find: 'route: routePath(c)', put: 'route: c.req.path' },
  ],
  'Stop us by the log': [
    { file: LOG, find: '// Whatever it is: there is no other place to tell it.', put: "throw new Error('the log');" },
    { file: LOG, find: 'lost = isBegun ? 0 : lost + 1;', put: 'lost = 0;' },
  ],
};
