// Reads a Dockerfile and a .dockerignore: no more of their languages than ours use; anything else throws.

interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  name: string;
  /** An image, or an earlier stage. */
  from: string;
  instructions: readonly Instruction[];
  /** The texts of an instruction, in order. */
  all(name: string): string[];
  /** Throws unless it is there once. */
  one(name: string): string;
}

export interface Copy {
  /** The stage, or undefined for the context. */
  from: string | undefined;
  owner: number | undefined;
  sources: readonly string[];
  to: string;
}

export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
  const values = new Map<string, string>();
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not an instruction: ${line}`);
    const value = rest.replaceAll(/\$\{(\w+)\}/g, (whole, variable: string) => values.get(variable) ?? whole);
    if (name === 'ARG') values.set(value.split('=')[0] ?? '', value.split('=')[1] ?? '');
    else if (name === 'FROM') stages.push(newStage(value));
    else stages.at(-1)?.instructions.push({ name, text: value });
  }
  return stages;
}

function newStage(text: string): Stage & { instructions: Instruction[] } {
  const [, from = '', name = ''] = /^(\S+) AS (\w+)$/.exec(text) ?? [];
  if (name === '') throw new Error(`not a stage with a name: ${text}`);
  const instructions: Instruction[] = [];
  const all = (wanted: string): string[] =>
    instructions.filter((each) => each.name === wanted).map((each) => each.text);
  return {
    name,
    from,
    instructions,
    all,
    one(wanted) {
      const [found, ...more] = all(wanted);
      if (found === undefined || more.length > 0) throw new Error(`${wanted}: not once in stage ${name}`);
      return found;
    },
  };
}

export function parseCopy(text: string): Copy {
  const words = text.split(' ');
  const flags = new Map(
    words.filter((word) => word.startsWith('--')).map((word) => word.split('=') as [string, string]),
  );
  for (const flag of flags.keys()) if (!['--from', '--chown'].includes(flag)) throw new Error(`unknown: ${flag}`);
  const paths = words.filter((word) => !word.startsWith('--'));
  const owner = flags.get('--chown')?.split(':')[0];
  return {
    from: flags.get('--from'),
    owner: owner === undefined ? undefined : Number(owner),
    sources: paths.slice(0, -1),
    to: paths.at(-1) ?? '',
  };
}

/** `CMD ["a", "b"]`, with or without options before it. */
export function execForm(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

export function assignments(text: string): Record<string, string> {
  return Object.fromEntries(text.split(' ').map((each) => each.split('=') as [string, string]));
}

/** Whether a file of the project is in the context. The last pattern that matches decides. */
export function createContextFilter(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const pattern of patterns) {
    if (pattern !== '*' && /[*?[\]]/.test(pattern)) throw new Error(`unknown pattern: ${pattern}`);
  }
  return (path) => {
    let isIn = true;
    for (const pattern of patterns) {
      const name = pattern.replace(/^!/, '');
      if (name === '*' || path === name || path.startsWith(`${name}/`)) isIn = pattern.startsWith('!');
    }
    return isIn;
  };
}
