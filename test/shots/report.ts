// Writes what differs from the kept pictures into shots/, which git ignores: index.html shows each difference, then the
// scenes with all their states.
import { mkdir, writeFile } from 'node:fs/promises';
import { PNG } from 'pngjs';
import { fileOf, NO_PICTURE, type Finding } from './kept.ts';

export const FOLDER = 'shots';
const MAKE_THEM = 'Make them, look at them, and commit them: npm run shots -- --update';

/** The file of a picture in FOLDER. */
function fileIn({ scene, state }: Finding, which: string): string {
  return `different/${fileOf(scene)}/${fileOf(state)}-${which}.png`;
}

export async function writeFindings(findings: readonly Finding[]): Promise<void> {
  for (const finding of findings) {
    await mkdir(`${FOLDER}/different/${fileOf(finding.scene)}`, { recursive: true });
    for (const which of ['kept', 'drawn', 'difference'] as const) {
      const picture = finding[which];
      if (picture) await writeFile(`${FOLDER}/${fileIn(finding, which)}`, PNG.sync.write(picture));
    }
  }
}

/** `sheets`: scenes of which `SCENE.png` was written. */
export async function writeIndex(findings: readonly Finding[], sheets: readonly string[]): Promise<void> {
  const differences = findings.map(
    (finding) =>
      `<h2>${lineOf(finding)}</h2>\n${(['kept', 'drawn', 'difference'] as const)
        .filter((which) => finding[which])
        .map((which) => `<figure>${which}<br><img src="${fileIn(finding, which)}" alt="${which}"></figure>`)
        .join('\n')}`,
  );
  const scenes = sheets.map((name) => `<h2>${name}</h2>\n<img src="${fileOf(name)}.png" alt="${name}" width="100%">`);
  const style = '<style>figure { display: inline-block; margin: 0 16px 16px 0; vertical-align: top }</style>';
  const head = `<!doctype html>\n<meta charset="utf-8">\n<title>The widget in pictures</title>\n${style}`;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}/index.html`, [head, ...differences, ...scenes, ''].join('\n'));
}

export function lineOf({ scene, state, words }: Finding): string {
  return `“${state}” in the scene “${scene}”: ${words}`;
}

/** What a failed comparison says: each finding, and what to do. */
export function messageOf(findings: readonly Finding[]): string {
  const missing = findings.filter(({ words }) => words === NO_PICTURE);
  const others = findings.filter(({ words }) => words !== NO_PICTURE);
  return [
    ...others.map(lineOf),
    ...(others.length > 0 ? [`See ${FOLDER}/index.html. If the change is meant: npm run shots -- --update`] : []),
    ...(missing.length > 0 ? [`${missing.length} pictures are missing: ${namesOf(missing)}`, MAKE_THEM] : []),
  ].join('\n');
}

/** `paid, scan (dark); paid (light)` */
function namesOf(findings: readonly Finding[]): string {
  const scenes = Map.groupBy(findings, ({ scene }) => scene);
  return [...scenes]
    .map(([scene, each]) => `${each.map(({ state }) => `“${state}”`).join(' ')} in “${scene}”`)
    .join('; ');
}
