// The types of public/preview.js, which browser and server load, and which is a plain script without types.

interface Preview {
  /** By the name of the state. */
  STATES: Readonly<Record<string, { label: string }>>;
  /** What the page answers to a request of a preview. */
  answerTo(url: URL, init?: RequestInit, now?: number): Response;
  claimsOf(state: string, brand?: object, now?: number): object;
}

const module = (await import(new URL('public/preview.js', import.meta.url).href)) as Preview;

export const { STATES, answerTo, claimsOf } = module;
