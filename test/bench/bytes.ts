// `npm run bench -- bytes`: shows how many bytes of widget.js come from each source file, by the build's source map.
// A file's Brotli share is the size that the script would lose without the file. Brotli stores text that files have in
// common only once, so the shares do not add up to the whole: the rest is printed as "shared".
import { SourceMap } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import { buildWidget, type Chunk } from './pages.ts';
import { number, table } from './table.ts';

const BUNDLER = 'bundler';

interface Share {
  name: string;
  bytes: number;
  brotli: number;
}

/** Tables for the scripts, or for those alone whose name matches, and one for the dictionaries. */
export async function tablesOfBytes(only = /^(?!locale-)/): Promise<string> {
  const chunks = await buildWidget();
  const lazy = chunks
    .filter(({ fileName }) => fileName.startsWith('locale-'))
    .map(({ fileName, code }) => ({ name: fileName, ...sizeOf(code) }));
  const onDemand = table(['loaded on demand', 'minified', 'Brotli'], lazy.toSorted(bySize).map(cells));
  return [...chunks.filter(({ fileName }) => only.test(fileName)).map(tableOf), onDemand].join('\n\n');
}

function tableOf(chunk: Chunk): string {
  const whole = sizeOf(chunk.code);
  const owners = ownersOf(chunk);
  const names = [...new Set(owners)];
  const shares = names.map((name) => {
    const rest = chunk.code
      .split('')
      .filter((_, index) => owners[index] !== name)
      .join('');
    return { name, bytes: whole.bytes - sizeOf(rest).bytes, brotli: whole.brotli - sizeOf(rest).brotli };
  });
  const shared = whole.brotli - shares.reduce((sum, { brotli }) => sum + brotli, 0);
  const rows = [
    ...shares.toSorted(bySize),
    { name: 'shared', bytes: 0, brotli: shared },
    { name: chunk.fileName, ...whole },
  ];
  return table(
    ['source', 'minified', 'Brotli', 'share'],
    rows.map((row) => [...cells(row), `${number((100 * row.brotli) / whole.brotli, 1)} %`]),
  );
}

/** The source file of each character of the script. */
function ownersOf({ code, map, fileName }: Chunk): string[] {
  if (!map) throw new Error(`${fileName} has no source map`);
  const sourceMap = new SourceMap({ ...map, file: fileName, sourceRoot: '', names: map.names, sourcesContent: [] });
  let owner = BUNDLER;
  return code.split('\n').flatMap((line, row) =>
    `${line}\n`.split('').map((_, column) => {
      const entry = sourceMap.findEntry(row, column);
      if ('originalSource' in entry) owner = nameOf(entry.originalSource);
      return owner;
    }),
  );
}

/** A path from the project's root. Code written by the bundler has an entry in the map, but no source. */
function nameOf(source = BUNDLER): string {
  return source.replace(/^.*node_modules\//, '');
}

function sizeOf(code: string): { bytes: number; brotli: number } {
  return { bytes: Buffer.byteLength(code), brotli: brotliCompressSync(code).byteLength };
}

function bySize(a: Share, b: Share): number {
  return b.brotli - a.brotli;
}

function cells({ name, bytes, brotli }: Share): string[] {
  return [name, number(bytes), number(brotli)];
}
