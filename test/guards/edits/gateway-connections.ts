// The edits for the attacks under "Connections to the gateway" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GATEWAY_HTTP = 'backend-proxy/gateway/http.ts';
const CONFIG = 'backend-proxy/config/config.ts';

export const gatewayConnections: Edits = {
  'Block status checks with a hanging endpoint': [
    [GATEWAY_HTTP, ': separatePools();', ': sharedPool(separatePools().pay);'],
  ],
  'Intercept the connection to the gateway': [
    [GATEWAY_HTTP, '{ timeout: CONNECT_TIMEOUT_MS }', '{ timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false }'],
  ],
  'Redirect a call to the gateway': [
    [
      [GATEWAY_HTTP, 'import { Agent, request,', 'import { Agent, interceptors, request,'],
      [
        GATEWAY_HTTP,
        'connections, pipelining: 1 });',
        'connections, pipelining: 1 }).compose(interceptors.redirect({ maxRedirections: 2 }));',
      ],
    ],
  ],
  'Switch off the check of certificates': [[CONFIG, "env.NODE_TLS_REJECT_UNAUTHORIZED !== '0'", 'true']],
};
