// The edits for the attacks under "Webhooks" in docs/threats.md.
import type { Edits } from '../apply.ts';

const CONFIG = 'backend-proxy/config/config.ts';
const PRIVATE_HOSTS = 'backend-proxy/config/private-hosts.ts';
const WEBHOOKS = 'backend-proxy/webhooks.ts';
const PUBLIC_ADDRESS = 'backend-proxy/config/public-address.ts';

export const webhooks: Edits = {
  "Reach the operator's network": [
    {
      file: WEBHOOKS,
      find: 'isPrivate ? addresses : addresses.filter(({ address }) => isPublicAddress(address))',
      put: 'addresses',
    },
    { file: PUBLIC_ADDRESS, find: "  ['127.0.0.0', 8],\n", put: '' },
  ],
  "Reach the operator's network by another notation": [
    { file: WEBHOOKS, find: 'isIP(host) !== 0 && !isPrivate && !isPublicAddress(host)', put: 'false' },
    { file: PUBLIC_ADDRESS, find: "handedOutV6.check(address, 'ipv6') && ", put: '' },
    { file: PUBLIC_ADDRESS, find: "  ['2002::', 16],\n", put: '' },
    { file: PUBLIC_ADDRESS, find: "  ['169.254.0.0', 16],\n", put: '' },
  ],
  "Reach the operator's network by a host that nobody named": [
    { file: PRIVATE_HOSTS, find: 'return hosts.includes(hostname) || ', put: 'return hosts.length > 0 || ' },
    {
      file: PRIVATE_HOSTS,
      find: 'hosts.includes(`${hostname}:${itsPort}`)',
      put: 'hosts.some((host) => host.startsWith(`${hostname}:`))',
    },
    { file: WEBHOOKS, find: 'const isPrivate = mayBePrivate(target, privateHosts);', put: 'const isPrivate = true;' },
  ],
  "Reach the operator's network by a redirect": [
    [
      { file: WEBHOOKS, find: 'import { Agent, request,', put: 'import { Agent, interceptors, request,' },
      {
        file: WEBHOOKS,
        find: 'headers, body, signal, dispatcher });',
        put: 'headers, body, signal, dispatcher: dispatcher.compose(interceptors.redirect({ maxRedirections: 2 })) });',
      },
    ],
  ],
  'Forge a webhook': [
    { file: WEBHOOKS, find: 'signer.sign(id, at, body)', put: "signer.sign(id, at, '')" },
    { file: WEBHOOKS, find: 'signer.sign(id, at, body)', put: "signer.sign('', at, body)" },
  ],
  'Guess the webhook secret': [
    { file: CONFIG, find: 'bytes >= 24 && ', put: '' },
    { file: CONFIG, find: ' && bytes <= 64', put: '' },
  ],
};
