// The element's tests of the names that TESTS matches, told as TAP: what trial.ts reads.
import base from '../web-test-runner.config.mjs';

const testsIn = ({ suites, tests }) => [...tests, ...suites.flatMap(testsIn)];

export default {
  ...base,
  testFramework: { config: { ...base.testFramework.config, grep: process.env['TESTS'] } },
  reporters: [
    {
      onTestRunFinished({ sessions }) {
        for (const { testResults, errors } of sessions) {
          for (const { message } of errors) console.log(message);
          for (const { name, passed, skipped, error } of testResults ? testsIn(testResults) : []) {
            if (skipped) continue;
            console.log(`${passed ? 'ok' : 'not ok'} 1 - ${name}`);
            const isTimeout = /^Timeout of \d+ms exceeded/.test(error?.message ?? '');
            console.log(isTimeout ? "failureType: 'testTimeoutFailure'" : (error?.message ?? ''), '\n...');
          }
        }
      },
    },
  ],
};
