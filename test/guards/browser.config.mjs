// Runs the element's tests that match TESTS and reports them as TAP, for run-tests.ts.
import base from '../web-test-runner.config.mjs';

const pattern = process.env['TESTS'];
const testsIn = ({ suites, tests }) => [...tests, ...suites.flatMap(testsIn)];

function report({ name, passed, error: { message = '' } = {} }) {
  const isTimeout = /^Timeout of \d+ms exceeded/.test(message);
  const why = isTimeout ? "failureType: 'testTimeoutFailure'" : message;
  console.log(`${passed ? 'ok' : 'not ok'} 1 - ${name}\n${why}\n...`);
}

export default {
  ...base,
  testFramework: { config: { ...base.testFramework.config, grep: pattern } },
  reporters: [
    {
      onTestRunFinished({ sessions }) {
        // Starts a new line after the runner's progress.
        console.log();
        for (const { testResults, errors } of sessions) {
          for (const { message } of errors) console.log(message);
          // Tests that did not run are reported as failed, too.
          const ran = testResults ? testsIn(testResults).filter(({ name }) => new RegExp(pattern).test(name)) : [];
          for (const result of ran) if (!result.skipped) report(result);
        }
      },
    },
  ],
};
