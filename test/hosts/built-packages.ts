// The three npm packages as `npm run build` makes them: in `npm test` those that it has built, else new ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { buildProxyPackage, buildSandboxPackage } from '../../widget/build/node-packages.ts';
import { buildPackage } from '../../widget/build/widget-package.ts';

/** Resolves with the folder that has them as `npm`, `proxy` and `sandbox`. A new one is deleted when this process ends. */
export async function findPackages(): Promise<string> {
  if (process.env['BUILT_PROXY'] !== undefined) return resolve('dist');
  const root = mkdtempSync(join(tmpdir(), 'packages-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  await buildWidgetIfStale();
  const widget = resolve('dist/widget');
  await Promise.all([
    buildPackage(join(root, 'npm')),
    buildProxyPackage(join(root, 'proxy'), widget),
    buildSandboxPackage(join(root, 'sandbox'), widget),
  ]);
  return root;
}
