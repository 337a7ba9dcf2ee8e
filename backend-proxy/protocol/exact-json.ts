// Parses JSON with numbers as their source text ("10.10", "9007199254740993"). JSON.parse rounds them, and a rounded
// amount or id is a different one.

/** No valid message nests deeper; the limit bounds the recursion. */
export const MAX_DEPTH = 8;

/** The value with each number as a string; undefined if the text is not JSON or nests deeper than MAX_DEPTH. */
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

/** Whether the text nests deeper than MAX_DEPTH. One pass, so the cost is linear in its length. */
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
  // In Node since version 22; missing from TypeScript's library.
  interface JSON {
    rawJSON(text: string): unknown;
  }
}
