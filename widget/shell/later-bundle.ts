// Loads a later bundle once, and again after its request failed. Firefox and some Chromium versions, such as 153, keep
// that failure until the page is reloaded, so the next attempt takes another URL. The failed one is in the error's
// message, whatever bundler or server named the file. The file's own imports do not get the query, so no module exists
// twice.

/** The bundle, for everybody who calls it by one promise; after a failure the next call tries again. */
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
