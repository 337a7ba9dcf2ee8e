// JSON whose numbers keep their digits. JSON.parse turns 10.10 into a float, which may round an amount. Here a number
// becomes an ExactNumber that keeps its source text and is written back unchanged.

export class ExactNumber {
  /** A JSON number as it was written. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.text);
  }
}

/** @throws SyntaxError if the text is not JSON */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? new ExactNumber(source) : value,
  );
}
