// Provides the third bundle without an element.
import { loadAmountBundle, provide } from '../../widget/flow/provided.ts';
import { shared } from '../../widget/shell/choose.ts';

export async function provideAmountBundle(): Promise<void> {
  provide({ ...shared, loadAmount: () => import('../../widget/flow/amount.ts') });
  await loadAmountBundle();
}
