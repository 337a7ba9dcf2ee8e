// What `payment-sandbox` exports: the test world, for payment-widget/testing.
export { TestWorld, type TestWorldOptions } from './test-world.ts';
export { VERSION } from '../../backend-proxy/installation.ts';
