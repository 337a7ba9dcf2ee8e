// The edits for the attacks under "Logs, errors and metrics" in docs/threats.md.
import type { Edits } from '../apply.ts';

const PROBLEM = 'backend-proxy/http/problem.ts';
const ERRORS = 'backend-proxy/errors.ts';
const REQUEST_LOG = 'backend-proxy/http/request-log.ts';
const CONFIG = 'backend-proxy/config/config.ts';
const LOG = 'backend-proxy/observability/log.ts';

export const logs: Edits = {
  'Read secrets from a log or an error': [
    {
      file: ERRORS,
      find: "isQuotable ? `: ${error.message.replaceAll(MAY_BE_SECRET, '…').slice(0, MAX_MESSAGE_CHARS)}` : ''",
      put: '`: ${error.message}`',
    },
    { file: PROBLEM, find: "'Internal error. Nothing is lost. Try again.'", put: 'error.message' },
    {
      file: 'backend-proxy/http/problem.ts',
      find: 'detail: message,',
      put: 'detail: String(refusal.cause ?? message),',
    },
  ],
  'Read a secret from the message about its file': [
    {
      file: 'backend-proxy/config/secret-files.ts',
      find: "typeof errno === 'number' ? getSystemErrorMessage(errno) : 'it cannot be read'",
      put: 'String(error)',
    },
  ],
  "Read the database's password from a failed start": [
    {
      file: 'backend-proxy/config/start-error.ts',
      find: "return withoutCredentials(words.join(': '))",
      put: "return words.join(': ')",
    },
  ],
  'Read secrets from the message of a failed start': [
    {
      file: CONFIG,
      find: "problemOf(path.join('.'), message)",
      put: "problemOf(path.join('.'), `${message}: ${given[String(path[0])]}`)",
    },
  ],
  'Write lines into the log': [
    {
      file: 'backend-proxy/start.ts',
      find: 'logger[level]({ event, ...fields })',
      put: 'console.log(level, event, ...Object.values(fields))',
    },
  ],
  'Write text into the log by an Origin': [
    { file: REQUEST_LOG, find: "originOf(c.req.header('Origin') ?? '')", put: "c.req.header('Origin')" },
  ],
  'Write text into the log by field names': [
    { file: REQUEST_LOG, find: "kind === 'invalid_request' ? { code: kind } : ", put: '' },
  ],
  'Write text into the log by the id of an IPN': [
    { file: 'backend-proxy/routes/ipn.ts', find: "id.replaceAll(/[^!-~]/g, '?')", put: 'id' },
  ],
  'Read what a person wrote about a customer': [
    { file: 'backend-proxy/observability/business-events.ts', find: "detail?.split(': ')[0]", put: 'detail' },
  ],
  'Pay out with the key of the monitoring': [
    {
      file: 'backend-proxy/app.ts',
      find: 'keys: config.metricsTokens ?? config.merchantKeys,',
      put: 'keys: config.merchantKeys,',
    },
  ],
  'Learn about orders from the metrics': [
    { file: 'backend-proxy/observability/metrics.ts', find: "HTTP_METHODS.has(given) ? given : 'other'", put: 'given' },
    { file: REQUEST_LOG, find: "c.get('route') ?? routePath(c)", put: 'c.req.path' },
  ],
  'Stop the proxy through its log': [
    {
      file: LOG,
      find: '// The log itself failed, so there is nowhere to report it.',
      put: "throw new Error('the log');",
    },
    { file: LOG, find: 'lost = isStarted ? 0 : lost + lines;', put: 'lost = 0;' },
  ],
};
