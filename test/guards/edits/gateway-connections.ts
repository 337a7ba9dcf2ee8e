// The edits for the attacks under "Connections to the gateway" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GATEWAY_HTTP = 'backend-proxy/gateway/http.ts';
const CONFIG = 'backend-proxy/config/config.ts';

export const gatewayConnections: Edits = {
  'Block status checks with a hanging endpoint': [
    { file: GATEWAY_HTTP, find: ': separatePools();', put: ': sharedPool(separatePools().pay);' },
  ],
  'Intercept the connection to the gateway': [
    {
      file: GATEWAY_HTTP,
      find: '{ timeout: CONNECT_TIMEOUT_MS }',
      put: '{ timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false }',
    },
  ],
  'Redirect a call to the gateway': [
    [
      { file: GATEWAY_HTTP, find: 'import { Agent, request,', put: 'import { Agent, interceptors, request,' },
      {
        file: GATEWAY_HTTP,
        find: 'connections, pipelining: 1 });',
        put: 'connections, pipelining: 1 }).compose(interceptors.redirect({ maxRedirections: 2 }));',
      },
    ],
  ],
  'Switch off the check of certificates': [
    { file: CONFIG, find: "env.NODE_TLS_REJECT_UNAUTHORIZED !== '0'", put: 'true' },
  ],
};
