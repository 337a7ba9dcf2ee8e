// Which URLs a browser may be sent to. The proxy checks what the gateway answers, and the widget checks again before
// it follows a link, because money moves behind it. Pure; both use the same rule.

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the `hostname` of a URL is this machine, by its name. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK.includes(hostname);
}

/** https, or http on loopback for a sandbox; without user name and password, which can disguise the host. */
export function isSafeWebUrl({ protocol, hostname, username, password }: URL): boolean {
  const isSecure = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
  return isSecure && username === '' && password === '';
}

/**
 * Whether the scheme can run or read something in the page, or install or start something on the device. No wallet app
 * has such a scheme; the schemes that wallet apps have are configured in the proxy.
 */
export function isDangerousScheme({ protocol }: URL): boolean {
  return /^(javascript|data|blob|file|about|vbscript|view-source|filesystem|ftp|wss?|intent|itms-services|search-ms|ms-.*):$/.test(
    protocol,
  );
}

/** Whether it may open a wallet app: a web page, or a scheme that nothing else has. */
export function isAppUrl(url: URL): boolean {
  return /^https?:$/.test(url.protocol) ? isSafeWebUrl(url) : !isDangerousScheme(url);
}

/** Which origins pages may have; a list has `includes`. */
export type Origins = Pick<readonly string[], 'includes'> & { words?: string };
