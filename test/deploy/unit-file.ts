// Reads a systemd unit.

export interface UnitFile {
  /** All values of a setting, in order; an assignment of nothing is one too. */
  all(section: string, name: string): string[];
  /** Throws unless it is set once. */
  one(section: string, name: string): string;
}

export function parseUnit(text: string): UnitFile {
  const settings: { section: string; name: string; value: string }[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    const [, heading] = /^\[(.+)\]$/.exec(line) ?? [];
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    else if (name !== undefined) settings.push({ section, name, value });
    else if (line !== '' && !line.startsWith('#')) throw new Error(`not a line of a unit: ${line}`);
  }
  const all = (inSection: string, wanted: string): string[] =>
    settings.filter((each) => each.section === inSection && each.name === wanted).map(({ value }) => value);
  return {
    all,
    one(inSection, wanted) {
      const [value, ...more] = all(inSection, wanted);
      if (value === undefined || more.length > 0) throw new Error(`${wanted} is set ${more.length + 1} times, or not`);
      return value;
    },
  };
}
