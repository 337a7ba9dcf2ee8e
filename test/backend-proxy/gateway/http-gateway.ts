// The HTTP adapter for tests: with the built-in profile and any checkout host, unless a test says otherwise.
import type { Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import { createGateway, type GatewayOptions } from '../../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';

/** The caller closes it. */
export function httpGateway(url: string, options: Partial<GatewayOptions> = {}): Gateway {
  return createGateway({ url, apiKey: 'the-key', profile: DEFAULT_PROFILE, checkoutHosts: [], ...options });
}
