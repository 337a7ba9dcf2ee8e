// Runs test/widget in each engine of engines.ts, one after the other, so that they do not slow each other down.
import { defaultReporter } from '@web/test-runner';
import { engineReporter, findEngines } from './engines.ts';
import chromium from './web-test-runner.config.mjs';

const engines = await findEngines();

export default {
  ...chromium,
  browsers: engines.flatMap(({ launcher }) => launcher ?? []),
  concurrentBrowsers: 1,
  reporters: [defaultReporter(), engineReporter(engines)],
};
