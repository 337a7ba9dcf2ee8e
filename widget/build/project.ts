// What all npm packages take from the project: fields of its package.json, pages of its documents, and how they are
// written.
import { mkdirSync, renameSync, rmSync } from 'node:fs';

export interface Project {
  version: string;
  license: string;
  engines: object;
  dependencies: { lit: string };
  repository?: object;
  homepage?: string;
  bugs?: object;
}

/** Where the project lives, as far as its package.json says so. */
export function originOf({ repository, homepage, bugs }: Project): Pick<Project, 'repository' | 'homepage' | 'bugs'> {
  return { ...(repository && { repository }), ...(homepage && { homepage }), ...(bugs && { bugs }) };
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
