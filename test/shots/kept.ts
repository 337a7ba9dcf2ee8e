// The kept pictures, test/shots/pictures/SCENE/STATE.png: compares a scene with them, and replaces those that differ.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PNG } from 'pngjs';
import { compare } from './compare.ts';
import type { Scene } from './scenes.ts';
import { smallPng } from './small-png.ts';

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

export const NO_PICTURE = 'no picture is kept';
const FOLDER = 'test/shots/pictures';

/** The pictures of a scene that are kept. */
export function keptOf({ kept }: Scene, pictures: ReadonlyMap<string, PNG>): ReadonlyMap<string, PNG> {
  const names: ReadonlySet<string> = new Set(kept ?? pictures.keys());
  return new Map([...pictures].filter(([state]) => names.has(state)));
}

export async function compareWithKept(scene: string, drawn: ReadonlyMap<string, PNG>): Promise<Finding[]> {
  const files = new Map([...drawn].map(([state, picture]) => [fileOf(state), { state, picture }]));
  if (files.size !== drawn.size) throw new Error('Two states have the same file name.');
  const kept = new Set(await readdir(join(FOLDER, fileOf(scene))).catch(() => []));
  const findings: Finding[] = [];
  for (const [file, { state, picture }] of files) {
    if (!kept.delete(`${file}.png`)) findings.push({ scene, state, words: NO_PICTURE, drawn: picture });
    else {
      const before = PNG.sync.read(await readFile(pathOf(scene, state)));
      const found = compare(before, picture);
      if (found) {
        findings.push({ scene, state, words: found.words, kept: before, drawn: picture, difference: found.picture });
      }
    }
  }
  const left = [...kept].map((file) => ({ scene, state: file.replace('.png', ''), words: 'is not drawn any more' }));
  return [...findings, ...left];
}

/** Keeps what was drawn; removes the picture of a state that is not drawn any more. */
export async function keep({ scene, state, drawn }: Finding): Promise<void> {
  const path = pathOf(scene, state);
  if (!drawn) return rm(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, smallPng(drawn));
}

export function fileOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function pathOf(scene: string, state: string): string {
  return join(FOLDER, fileOf(scene), `${fileOf(state)}.png`);
}
