// The kept pictures: test/shots/pictures/SCENE.png has those of a scene, one below the other, and heights.json says
// whose they are. Compares a scene with them, and replaces those that differ.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { compare } from './compare.ts';
import type { Scene } from './scenes.ts';

/** A state that does not look as kept. */
export interface Finding {
  scene: string;
  state: string;
  words: string;
  /** Absent if the state is not drawn any more. */
  drawn?: PNG | undefined;
  /** Absent if no picture was kept. */
  kept?: PNG | undefined;
  difference?: PNG | undefined;
}

/** By the state's name, in the order of the page. */
export type Pictures = ReadonlyMap<string, PNG>;

export const NO_PICTURE = 'no picture is kept';
const FOLDER = 'test/shots/pictures';
const HEIGHTS = `${FOLDER}/heights.json`;

/** The pictures of a scene that are to be kept. */
export function keptOf({ kept }: Scene, pictures: Pictures): Pictures {
  const names: ReadonlySet<string> = new Set(kept ?? pictures.keys());
  return new Map([...pictures].filter(([state]) => names.has(state)));
}

export function readKept(scene: string): Pictures {
  if (!existsSync(sheetOf(scene))) return new Map();
  const sheet = PNG.sync.read(readFileSync(sheetOf(scene)));
  let top = 0;
  const pictures = Object.entries(readHeights()[scene] ?? {}).map(([state, height]) => {
    const picture = new PNG({ width: sheet.width, height });
    PNG.bitblt(sheet, picture, 0, top, sheet.width, height);
    top += height;
    return [state, picture] as const;
  });
  return new Map(pictures);
}

export function compareWithKept(scene: string, drawn: Pictures): Finding[] {
  const kept = readKept(scene);
  const findings: Finding[] = [];
  for (const [state, picture] of drawn) {
    const before = kept.get(state);
    const found = before && compare(before, picture);
    if (!before) findings.push({ scene, state, words: NO_PICTURE, drawn: picture });
    else if (found) {
      findings.push({ scene, state, words: found.words, kept: before, drawn: picture, difference: found.picture });
    }
  }
  const left = [...kept.keys()].filter((state) => !drawn.has(state));
  return [...findings, ...left.map((state) => ({ scene, state, words: 'is not drawn any more' }))];
}

/** Keeps what was found, and the other pictures as they are. All of a scene are equally wide. */
export function keep(scene: string, drawn: Pictures, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const pictures = new Map([...drawn, ...readKept(scene)].filter(([state]) => drawn.has(state)));
  for (const { state, drawn: picture } of findings) if (picture) pictures.set(state, picture);
  const heights = Object.fromEntries([...pictures].map(([state, { height }]) => [state, height]));
  const width = Math.max(...[...pictures.values()].map((picture) => picture.width));
  const sheet = new PNG({ width, height: Object.values(heights).reduce((sum, height) => sum + height, 0) });
  let top = 0;
  for (const picture of pictures.values()) {
    PNG.bitblt(picture, sheet, 0, 0, picture.width, picture.height, 0, top);
    top += picture.height;
  }
  // No filter, because most lines of a widget repeat the one above: half the size of the default.
  writeFileSync(sheetOf(scene), PNG.sync.write(sheet, { colorType: 2, filterType: 0, deflateStrategy: 0 }));
  writeFileSync(HEIGHTS, `${JSON.stringify({ ...readHeights(), [scene]: heights }, null, 2)}\n`);
}

export function fileOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function sheetOf(scene: string): string {
  return `${FOLDER}/${fileOf(scene)}.png`;
}

function readHeights(): Record<string, Record<string, number>> {
  return JSON.parse(readFileSync(HEIGHTS, 'utf8'));
}
