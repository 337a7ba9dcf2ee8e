// The device of a test without a browser, which has no media queries.

/** Used by touch, as a phone is, or by a mouse. */
export function useDevice(isPhone: boolean): void {
  globalThis.matchMedia = () => ({ matches: isPhone }) as MediaQueryList;
}
