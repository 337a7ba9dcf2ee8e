// The edits for the attacks under "Logs, errors and metrics" in docs/threats.md.
import type { Edits } from '../apply.ts';

const PROBLEM = 'backend-proxy/http/problem.ts';
const ERRORS = 'backend-proxy/errors.ts';
const REQUEST_LOG = 'backend-proxy/http/request-log.ts';
const CONFIG = 'backend-proxy/config/config.ts';
const LOG = 'backend-proxy/observability/log.ts';

export const logs: Edits = {
  'Read secrets from a log or an error': [
    [
      ERRORS,
      "isQuotable ? `: ${error.message.replaceAll(MAY_BE_SECRET, '…').slice(0, MAX_MESSAGE_CHARS)}` : ''",
      '`: ${error.message}`',
    ],
    [PROBLEM, "'Internal error. Nothing is lost. Try again.'", 'error.message'],
    ['backend-proxy/http/problem.ts', 'detail: message,', 'detail: String(refusal.cause ?? message),'],
  ],
  'Read a secret from the message about its file': [
    [
      'backend-proxy/config/secret-files.ts',
      "typeof errno === 'number' ? getSystemErrorMessage(errno) : 'it cannot be read'",
      'String(error)',
    ],
  ],
  "Read the database's password from a failed start": [
    ['backend-proxy/config/start-error.ts', "return withoutCredentials(words.join(': '))", "return words.join(': ')"],
  ],
  'Read secrets from the message of a failed start': [
    [
      CONFIG,
      "name: path.join('.'), problem: message }",
      "name: path.join('.'), problem: `${message}: ${given[String(path[0])]}` }",
    ],
  ],
  'Write lines into the log': [
    [
      'backend-proxy/start.ts',
      'logger[level]({ event, ...fields })',
      'console.log(level, event, ...Object.values(fields))',
    ],
  ],
  'Write text into the log by an Origin': [
    [REQUEST_LOG, "originOf(c.req.header('Origin') ?? '')", "c.req.header('Origin')"],
  ],
  'Write text into the log by field names': [[REQUEST_LOG, "kind === 'invalid_request' ? { code: kind } : ", '']],
  'Write text into the log by the id of an IPN': [
    ['backend-proxy/routes/ipn.ts', "id.replaceAll(/[^!-~]/g, '?')", 'id'],
  ],
  'Read what a person wrote about a customer': [
    ['backend-proxy/observability/business-events.ts', "detail?.split(': ')[0]", 'detail'],
  ],
  'Pay out with the key of the monitoring': [
    [
      'backend-proxy/app.ts',
      "keys: config.metricsTokens?.map((key) => ({ name: 'metrics', scopes: ['read'], key })) ?? keys,",
      'keys,',
    ],
  ],
  'Learn about orders from the metrics': [
    ['backend-proxy/observability/metrics.ts', "HTTP_METHODS.has(given) ? given : 'other'", 'given'],
    [REQUEST_LOG, "c.get('route') ?? routePath(c)", 'c.req.path'],
  ],
  'Stop the proxy through its log': [
    [LOG, '// The log itself failed, so there is nowhere to report it.', "throw new Error('the log');"],
    [LOG, 'lost = isStarted ? 0 : lost + lines;', 'lost = 0;'],
  ],
};
