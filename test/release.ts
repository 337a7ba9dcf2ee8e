// Whether a release holds together: `node test/release.ts` at any time, `node test/release.ts v1.2.3` for its tag. Runs
// in the project's folder, after `npm run build`. Prints a sentence for each thing that is wrong, and then ends with 1.
import { existsSync, readFileSync } from 'node:fs';

interface Description {
  version: string;
  repository?: { url: string };
  /** Of the lock file. */
  packages?: { '': Description };
}

const PACKAGES = ['npm', 'proxy', 'sandbox'];
const [tag] = process.argv.slice(2);
const wrong: string[] = [];
const hold = (isRight: boolean, otherwise: string) => {
  if (!isRight) wrong.push(otherwise);
};
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Description;

const { version, repository: { url = '' } = {} } = read('package.json');
const lock = read('package-lock.json');
hold(
  lock.version === version && lock.packages?.[''].version === version,
  `package-lock.json does not have the version ${version} of package.json: run \`npm install --package-lock-only\`.`,
);

for (const file of PACKAGES.map((name) => `dist/${name}/package.json`)) {
  if (!existsSync(file)) wrong.push(`There is no ${file}: run \`npm run build\`.`);
  else {
    const built = read(file);
    const isCurrent = built.version === version && built.repository?.url === url;
    hold(isCurrent, `${file} is not of this package.json: run \`npm run build\`.`);
  }
}

const [, newest, date = ''] = /^## (\S+) - (.+)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
hold(
  newest === version,
  `The newest section of CHANGELOG.md is ${newest}, and the version of package.json ${version}.`,
);

if (tag !== undefined) {
  hold(tag === `v${version}`, `The tag ${tag} is not v${version}, as package.json says.`);
  hold(/^\d{4}-\d{2}-\d{2}$/.test(date), `The section ${newest} of CHANGELOG.md has no date: "${date}".`);
  hold(url !== '' && !url.includes('/OWNER/'), `\`repository\` of package.json names no owner: "${url}".`);
}

for (const sentence of wrong) console.error(sentence);
if (wrong.length > 0) process.exitCode = 1;
else console.log(`The release ${version} holds together.`);
