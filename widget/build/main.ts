// `npm run build`: builds the files for a CDN (vite.config.ts), the widget's npm package in dist/npm, the
// proxy's in dist/proxy and the sandbox's in dist/sandbox. The first import must stay first: it removes secrets from the environment before any package is
// loaded.
import './no-secrets.mjs';

const { build } = await import('vite');
const { buildPackage } = await import('./widget-package.ts');
const { buildProxyPackage, buildSandboxPackage } = await import('./node-packages.ts');
await build();
await buildPackage('dist/npm');
await buildProxyPackage('dist/proxy', 'dist/widget');
await buildSandboxPackage('dist/sandbox', 'dist/widget');
