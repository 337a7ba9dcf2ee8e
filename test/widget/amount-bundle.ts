// Provides the third bundle without an element.
import { provide } from '../../widget/flow/lit.ts';
import { loadAmountBundle } from '../../widget/flow/open-amount.ts';
import { drawing } from '../../widget/shell/field.ts';

export async function provideAmountBundle(): Promise<void> {
  provide({ ...drawing, loadAmount: () => import('../../widget/flow/amount/amount.ts') });
  await loadAmountBundle();
}
