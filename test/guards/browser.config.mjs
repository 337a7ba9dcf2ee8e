// The element's tests whose names TESTS matches, told as TAP: what run-tests.ts reads.
import base from '../web-test-runner.config.mjs';

const pattern = process.env['TESTS'];
const testsIn = ({ suites, tests }) => [...tests, ...suites.flatMap(testsIn)];

function tell({ name, passed, error: { message = '' } = {} }) {
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
        // Away from the line on which the runner shows its progress.
        console.log();
        for (const { testResults, errors } of sessions) {
          for (const { message } of errors) console.log(message);
          // Those that were not run are told as well, as failed.
          const ran = testResults ? testsIn(testResults).filter(({ name }) => new RegExp(pattern).test(name)) : [];
          for (const result of ran) if (!result.skipped) tell(result);
        }
      },
    },
  ],
};
