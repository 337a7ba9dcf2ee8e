// Which links the widget may follow. The proxy checks them too; money moves behind them, so they are checked where they are used.

/** The URL of a checkout page: https, or http on loopback for a sandbox; else null. */
export function checkoutLink(url: string | null): string | null {
  const { protocol, hostname } = parse(url);
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname ?? '');
  return protocol === 'https:' || (protocol === 'http:' && loopback) ? url : null;
}

/** The shop's help page: https and nothing else. */
export function supportLink(url: string | null | undefined): string | null {
  return url && parse(url).protocol === 'https:' ? url : null;
}

/** A link into an app. Its scheme is the wallet's own, so what could run or read something in this page is excluded by name. */
export function appLink(url: string | null): string | null {
  const { protocol } = parse(url);
  return protocol && !/^(javascript|data|blob|file|about|vbscript|view-source|filesystem):$/.test(protocol)
    ? url
    : null;
}

function parse(url: string | null): Partial<URL> {
  return url !== null && URL.canParse(url) ? new URL(url) : {};
}
