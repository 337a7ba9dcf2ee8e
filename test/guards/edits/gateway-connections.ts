// The edits for the attacks under "Connections to the gateway" in SECURITY.md.
import type { Edits } from '../apply.ts';

const GATEWAY_HTTP = 'backend-proxy/gateway/http.ts';
const CONFIG = 'backend-proxy/config.ts';

export const gatewayConnections: Edits = {
  'Stop settling by a hanging endpoint': [
    { file: GATEWAY_HTTP, find: ': separatePools();', put: ': sharedPool(separatePools().pay);' },
  ],
  'Stand between us and the gateway': [
    {
      file: GATEWAY_HTTP,
      find: '{ timeout: CONNECT_TIMEOUT_MS }',
      put: '{ timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false }',
    },
  ],
  '…by a redirect': [
    [
      { file: GATEWAY_HTTP, find: 'import { Agent, request,', put: 'import { Agent, interceptors, request,' },
      {
        file: GATEWAY_HTTP,
        find: 'connections, pipelining: 1 });',
        put: 'connections, pipelining: 1 }).compose(interceptors.redirect({ maxRedirections: 2 }));',
      },
    ],
  ],
  '…with the checks switched off': [{ file: CONFIG, find: "env.NODE_TLS_REJECT_UNAUTHORIZED !== '0'", put: 'true' }],
};
