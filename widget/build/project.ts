// What all npm packages take from the project: fields of its package.json, pages of its documents, and how they are
// written.
import { mkdirSync, renameSync, rmSync } from 'node:fs';

export interface Project {
  version: string;
  license: string;
  engines: object;
  dependencies: { lit: string };
  repository: { type: string; url: string };
}

/** Fields of a published package; all follow from `repository` of the project's package.json. */
export function publishing({ repository }: Project): object {
  const page = repository.url.replaceAll(/^git\+|\.git$/g, '');
  return {
    repository,
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Relative links lead to files of the project that are not in the package. */
export function withoutRelativeLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1');
}

/** Has the package built in a temporary folder, which is then renamed: the folder `to` is never incomplete. */
export async function replaceFolder(to: string, build: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${to}-${process.pid}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build(folder);
  rmSync(to, { recursive: true, force: true });
  renameSync(folder, to);
}
