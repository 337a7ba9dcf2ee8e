// Reads from a program's output where it listens. The proxy and the benchmark's skeleton log an event with a `url`;
// the sandbox and the shop print the address alone. Lines are read as JSON, so that other fields may come and go.

/** The address, or undefined as long as no whole line says it. */
export function listeningUrl(output: string): string | undefined {
  for (const line of output.split('\n')) {
    const { event, url, listening } = line.includes('listening') ? fieldsOf(line) : {};
    const found = event === 'listening' ? url : listening;
    if (typeof found === 'string') return found;
  }
  return undefined;
}

/** None for a line that is not complete yet, or is no JSON. */
function fieldsOf(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}
