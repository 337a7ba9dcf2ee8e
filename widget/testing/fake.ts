// `payment-widget/testing/fake`: a proxy in memory for a real browser, and a stand-in element for a simulated DOM.
export * from './fake-proxy.ts';
export { stubElement, type StubElement } from './stub-element.ts';
