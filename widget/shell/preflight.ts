// Makes the browser run its CORS check of a start while the second bundle is still being loaded, if the proxy is on
// another origin. A click then costs one round trip, even right after the first paint. Browsers keep the result by
// URL, for any method and header that it allows; but a request that is sent while the check is under way is checked
// again, so the check has to begin first.

/** `proxyUrl` may be relative to the page. Nothing depends on the answer. */
export function preflightStart(proxyUrl: string): void {
  const url = proxyUrl.replace(/\/?$/, '/order/payments');
  try {
    // The credentials have to be those of the start (flow/proxy-client.ts).
    if (new URL(url, document.baseURI).origin !== location.origin)
      fetch(url, { method: 'OPTIONS', credentials: 'omit' }).catch(() => {});
  } catch {
    // The session reports an invalid URL.
  }
}
