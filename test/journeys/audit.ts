// Judges a page by axe, in a journey whose context bypasses the page's content security policy.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Axe {
  run(): Promise<Record<'violations' | 'passes', { id: string; nodes: { html: string }[] }[]>>;
}

/** `contrasts` counts the measured texts: without any, the result would mean nothing. */
export async function audit(page: Page): Promise<{ violations: string[]; contrasts: number }> {
  // Without its stylesheet, a page that a press has opened has other colors.
  await page.waitForLoadState();
  // Its size makes this the longest step: a page that is judged in several looks gets it once.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations, passes } = await axe.run();
    return {
      violations: violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`),
      contrasts: passes.find(({ id }) => id === 'color-contrast')?.nodes.length ?? 0,
    };
  });
}

/** In light and in dark, also that no contrast was measured. */
export async function problemsInBothSchemes(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations, contrasts } = await audit(page);
    const found = [...violations, ...(contrasts === 0 ? ['no contrast was measured'] : [])];
    problems.push(...found.map((problem) => `${colorScheme}: ${problem}`));
  }
  return problems;
}
