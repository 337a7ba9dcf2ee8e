// What both npm packages take from the project: fields of its package.json, and pages of its documents.

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
