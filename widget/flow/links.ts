// Which links the widget may follow. The proxy checks them too; money moves behind them, so they are checked where they are used.

/** The URL of a checkout page: https, or http on loopback for a sandbox; else null. */
export function checkoutLink(url: string | null): string | null {
  return parse(url).protocol === 'https:' || isLocal(url) ? url : null;
}

/** The shop's help page: https and nothing else. */
export function supportLink(url: string | null | undefined): string | null {
  return url && parse(url).protocol === 'https:' ? url : null;
}

/**
 * A link into an app, or to a page as above. Which schemes are wallets' is the proxy's list (its profile's `appSchemes`), which
 * cannot be known here: so here only those are left out that no wallet has, that run or read something in this page, or that
 * install or start something on the device.
 */
export function appLink(url: string | null): string | null {
  const { protocol } = parse(url);
  const isRefused =
    !protocol ||
    /^(javascript|data|blob|file|about|vbscript|view-source|filesystem|ftp|wss?|itms-services|search-ms|ms-.*):$/.test(
      protocol,
    );
  return isRefused || (protocol === 'http:' && !isLocal(url)) ? null : url;
}

function isLocal(url: string | null): boolean {
  const { protocol, hostname = '' } = parse(url);
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function parse(url: string | null): Partial<URL> {
  return url !== null && URL.canParse(url) ? new URL(url) : {};
}
