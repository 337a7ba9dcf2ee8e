// Compares what a contributor reads with the project: commands, paths, the changelog, the editor's and GitHub's files.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, it } from 'node:test';

interface Project {
  version: string;
  scripts: Record<string, string>;
  prettier: { printWidth: number; tabWidth?: number };
}

const project = JSON.parse(readFileSync('package.json', 'utf8')) as Project;
const guide = readFileSync('CONTRIBUTING.md', 'utf8');
const forPeople = ['CONTRIBUTING.md', ...globSync('.github/**/*.{md,yml}')];

it('CONTRIBUTING.md and the templates name only commands that package.json has', () => {
  const named = forPeople.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/npm run ([\w:]+)/g)]);
  assert.ok(named.length > 10);
  const unknown = named.map(([, command = '']) => command).filter((command) => !(command in project.scripts));
  assert.deepEqual(unknown, []);
});

it('CONTRIBUTING.md names every command that tests or checks', () => {
  const commands = Object.keys(project.scripts).filter((name) => /^(test:|check$|bench$)/.test(name));
  const unnamed = commands.filter((command) => !guide.includes(`npm run ${command}`));
  assert.deepEqual(unnamed, []);
});

it('CONTRIBUTING.md names only files that exist', () => {
  const named = [...guide.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 10);
  const gone = named.filter((path) => !existsSync(path));
  assert.deepEqual(gone, []);
});

it('npm test runs every test file, each by one command', () => {
  const runner = readFileSync('test/run.ts', 'utf8');
  const parts = [...runner.matchAll(/npm\('(test:\w+)'\)/g)].map(([, name = '']) => name);
  const text = (name: string) => (name === 'test:unit' ? readFileSync('test/unit.ts', 'utf8') : project.scripts[name]);
  const globs = parts.flatMap((name) => [...(text(name) ?? '').matchAll(/'(test\/[^']*\*[^']*\.ts)'/g)]);
  const runs = (file: string) => globs.filter(([, glob = '']) => matchesGlob(file, glob)).length;
  const files = globSync('test/**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
  assert.ok(files.length > 100);
  const notOnce = files.filter((file) => runs(file.replaceAll('\\', '/')) !== 1);
  assert.deepEqual(notOnce, []);
});

it("CHANGELOG.md's newest version is that of package.json", () => {
  const headings = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (\S+)/gm)].map(([, name = '']) => name);
  const newest = headings.find((name) => name !== 'Unreleased');
  assert.equal(newest, project.version);
});

describe('the editor', () => {
  it('.editorconfig agrees with prettier', () => {
    const text = readFileSync('.editorconfig', 'utf8');
    const settings = Object.fromEntries([...text.matchAll(/^(\w+) = (.+)$/gm)].map(([, key, value]) => [key, value]));
    const { printWidth, tabWidth = 2 } = project.prettier;
    assert.deepEqual(
      [settings['max_line_length'], settings['indent_size'], settings['indent_style'], settings['end_of_line']],
      [String(printWidth), String(tabWidth), 'space', 'lf'],
    );
  });

  it('.vscode/launch.json starts programs that exist', () => {
    const { configurations } = JSON.parse(readFileSync('.vscode/launch.json', 'utf8')) as {
      configurations: { name: string; program: string }[];
    };
    const programs = configurations.map(({ program }) => program.replace('${workspaceFolder}/', ''));
    assert.ok(programs.includes('${file}'));
    const missing = programs.filter((path) => path !== '${file}' && !existsSync(path));
    assert.deepEqual(missing, []);
    for (const { name } of configurations) assert.ok(guide.includes(`"${name}`), `CONTRIBUTING.md lacks "${name}"`);
  });
});

describe('the workflow', () => {
  const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');

  it('the workflow runs .ci/run on the Node version of .node-version', () => {
    assert.match(workflow, /run: bash \.ci\/run/);
    assert.match(workflow, /node-version-file: \.node-version/);
  });

  it('the workflow may only read, and pins each action to a major version', () => {
    assert.match(workflow, /^permissions:\n {2}contents: read\n\n/m);
    const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
    assert.ok(actions.length >= 3);
    const unpinned = actions.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action));
    assert.deepEqual(unpinned, []);
  });
});
