// Checks the prose of the project: the length of lines in documents and comments, and the documents' links.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';

const MAX_LINE = 120;
const DOCUMENTS = globSync(['*.md', 'docs/*.md', '.github/**/*.md']);
const SOURCES = globSync('{backend-proxy,widget,demo,test}/**/*.{ts,mjs,js}', {
  exclude: ['**/node_modules/**'],
});

interface Line {
  place: string;
  text: string;
}

function linesOf(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((text, at) => ({ place: `${file}:${at + 1}`, text }));
}

const withoutCode = (markdown: string) => markdown.replaceAll(/^( *)```.*?^\1```$/gms, '');

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const headings = withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it(`documents have no line over ${MAX_LINE} characters, apart from rows of tables, which cannot be broken`, () => {
  const long = DOCUMENTS.flatMap(linesOf).filter(({ text }) => text.length > MAX_LINE && !text.startsWith('|'));
  const places = long.map(({ place }) => place);
  assert.deepEqual(places, []);
});

it('documents link only to files and headings that exist', () => {
  const broken = DOCUMENTS.flatMap((file) => {
    const links = withoutCode(readFileSync(file, 'utf8')).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g);
    return [...links].flatMap(([, path = '', anchor = '']) => {
      const target = path === '' ? file : join(dirname(file), path);
      const isThere = existsSync(target) && (anchor === '' || anchorsOf(target).includes(anchor));
      return isThere ? [] : [`${file} → ${path}#${anchor}`];
    });
  });
  assert.deepEqual(broken, []);
});

it(`comments have no line over ${MAX_LINE} characters`, () => {
  const comments = SOURCES.flatMap(linesOf).filter(({ text }) => /^\s*(\/\/|\/?\*)/.test(text));
  assert.ok(comments.length > 0);
  const long = comments.filter(({ text }) => text.length > MAX_LINE);
  const places = long.map(({ place }) => place);
  assert.deepEqual(places, []);
});
