// Rows of objects as lines of text, and lists of texts as words, so that what a test compares is read as sentences.

/** A line for each row: these fields of it, with a space between. */
export const inWords = <Row extends object>(rows: readonly Row[] | undefined, ...fields: (keyof Row)[]) =>
  rows?.map((row) => fields.map((field) => String(row[field])).join(' '));

/** The words of a text, which stand for a long list of strings without white space. */
export const words = ({ raw: [text = ''] }: TemplateStringsArray) => text.trim().split(/\s+/);
