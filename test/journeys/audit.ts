// Judges a page by axe, in a journey whose context bypasses the page's content security policy.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Axe {
  run(options: object): Promise<Record<'violations' | 'passes', { id: string; nodes: { html: string }[] }[]>>;
}

/** WCAG 2.2 AA. */
export const AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** By these rules, or by all. `contrasts` counts the measured texts: without any, the result would mean nothing. */
export async function audit(page: Page, rules?: string[]): Promise<{ violations: string[]; contrasts: number }> {
  // Without its stylesheet, a page that a press has opened has other colors.
  await page.waitForLoadState();
  await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations, passes } = await axe.run(runOnly ? { runOnly } : {});
    return {
      violations: violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`),
      contrasts: passes.find(({ id }) => id === 'color-contrast')?.nodes.length ?? 0,
    };
  }, rules);
}
