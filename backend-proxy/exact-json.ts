// JSON from outside, read without losing a digit: numbers come as the text that wrote them ("10.10", "9007199254740993").
// JSON.parse would round them, and an amount or an id that was rounded is another amount or id.

/** Deeper than this is no message of ours, and recursion over it is work for nothing. */
export const MAX_DEPTH = 8;

/** The value with every number as a string, or undefined where the text is not JSON or is nested deeper than MAX_DEPTH. */
export function parseExact(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
}

/** Whether it is nested deeper than MAX_DEPTH. One pass, so that a hostile text costs no more than its length. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

declare global {
  // In Node since 22 and not yet in TypeScript's libraries.
  interface JSON {
    rawJSON(text: string): unknown;
  }
}
