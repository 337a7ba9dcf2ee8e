// The edits for the attacks under "Webhooks" in docs/threats.md.
import type { Edits } from '../apply.ts';

const CONFIG = 'backend-proxy/config/config.ts';
const PRIVATE_HOSTS = 'backend-proxy/config/private-hosts.ts';
const WEBHOOKS = 'backend-proxy/webhooks.ts';
const PUBLIC_ADDRESS = 'backend-proxy/config/public-address.ts';

export const webhooks: Edits = {
  "Reach the operator's network": [
    [WEBHOOKS, 'isPrivate ? addresses : addresses.filter(({ address }) => isPublicAddress(address))', 'addresses'],
    [PUBLIC_ADDRESS, "  ['127.0.0.0', 8],\n", ''],
  ],
  "Reach the operator's network by another notation": [
    [WEBHOOKS, 'isIP(host) !== 0 && !isPrivate && !isPublicAddress(host)', 'false'],
    [PUBLIC_ADDRESS, "handedOutV6.check(address, 'ipv6') && ", ''],
    [PUBLIC_ADDRESS, "  ['2002::', 16],\n", ''],
    [PUBLIC_ADDRESS, "  ['169.254.0.0', 16],\n", ''],
  ],
  "Reach the operator's network by a host that nobody named": [
    [PRIVATE_HOSTS, 'return hosts.includes(hostname) || ', 'return hosts.length > 0 || '],
    [
      PRIVATE_HOSTS,
      'hosts.includes(`${hostname}:${itsPort}`)',
      'hosts.some((host) => host.startsWith(`${hostname}:`))',
    ],
    [WEBHOOKS, 'const isPrivate = mayBePrivate(target, privateHosts);', 'const isPrivate = true;'],
  ],
  "Reach the operator's network by a redirect": [
    [
      [WEBHOOKS, 'import { Agent, request,', 'import { Agent, interceptors, request,'],
      [
        WEBHOOKS,
        'headers, body, signal, dispatcher });',
        'headers, body, signal, dispatcher: dispatcher.compose(interceptors.redirect({ maxRedirections: 2 })) });',
      ],
    ],
  ],
  'Forge a webhook': [
    [WEBHOOKS, 'signer.sign(id, at, body)', "signer.sign(id, at, '')"],
    [WEBHOOKS, 'signer.sign(id, at, body)', "signer.sign('', at, body)"],
  ],
  'Guess the webhook secret': [
    [CONFIG, 'bytes >= 24 && ', ''],
    [CONFIG, ' && bytes <= 64', ''],
  ],
};
