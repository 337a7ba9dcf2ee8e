// Which links of a gateway's answer may reach a shopper's browser: the checkout page and the wallet application.
// Pure. Each function returns the checked URL, or undefined for a link that may not be followed.

const MAX_URL_LENGTH = 2048;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** https, or http on loopback, without credentials. */
export function isWebLink(url: URL): boolean {
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
  return isSecure && url.username === '' && url.password === '';
}

/** A web URL on one of `hosts` (host with its port, if any); an empty list allows any host. */
export function checkoutUrlOf(text: string, hosts: readonly string[]): string | undefined {
  const url = parse(text);
  if (url === undefined || !isWebLink(url)) return undefined;
  return hosts.length === 0 || hosts.includes(url.host) ? url.href : undefined;
}

/**
 * A link that opens the wallet app: a listed scheme, because unlisted ones can start anything on the device, or a web
 * URL on one of `hosts`.
 */
export function appUrlOf(text: string, hosts: readonly string[], schemes: readonly string[]): string | undefined {
  const url = parse(text);
  return url && schemes.includes(url.protocol.slice(0, -1)) ? url.href : checkoutUrlOf(text, hosts);
}

function parse(text: string): URL | undefined {
  return text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
}
