// Which URLs a browser may be sent to. The proxy checks what the gateway answers, and the widget checks again before
// it follows a link, because money moves behind it. Pure; both use the same rule.

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * https, or http on loopback for a sandbox; without user name and password, which can make a host look like another.
 */
export function isSafeWebUrl({ protocol, hostname, username, password }: URL): boolean {
  const isSecure = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
  return isSecure && username === '' && password === '';
}

/**
 * Whether no wallet app has the scheme of this URL, because it runs or reads something in the page, or installs or
 * starts something on the device. Which schemes wallet apps do have only the proxy's configuration says.
 */
export function isDangerousScheme({ protocol }: URL): boolean {
  return /^(javascript|data|blob|file|about|vbscript|view-source|filesystem|ftp|wss?|itms-services|search-ms|ms-.*):$/.test(
    protocol,
  );
}
