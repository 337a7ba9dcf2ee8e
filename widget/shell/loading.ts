// What the first bundle prepares at once, so that the shopper does not wait for it later: the later bundles, and the
// browser's CORS check of a start.

/**
 * The bundle, for everybody who calls it by one promise; after a failure the next call tries again. Firefox and some
 * Chromium versions, such as 153, keep a failure until the page is reloaded, so the next attempt takes another URL. The
 * failed one is in the error's message, whatever bundler or server named the file. The file's own imports do not get
 * the query, so no module exists twice.
 */
export function laterBundle<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      // WebKit names no URL. An import map may have the file's hash, which is not checked for another URL.
      const url = /ed module: (.+)/.exec(String(error))?.[1];
      if (url && !document.querySelector('[type=importmap]')) {
        load = () => import(/* @vite-ignore */ /* webpackIgnore: true */ `${url}?1`) as Promise<T>;
      }
      throw error;
    }));
}

/**
 * Makes the browser run its CORS check of a start while the second bundle is still being loaded, if the proxy is on
 * another origin. A click then costs one round trip, even right after the first paint. Browsers keep the result by URL,
 * for any method and header that it allows; but a request that is sent while the check is under way is checked again,
 * so the check has to begin first. `proxyUrl` may be relative to the page. Nothing depends on the answer.
 */
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
