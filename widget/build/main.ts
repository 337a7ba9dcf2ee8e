// `npm run build`: builds the files for a CDN (vite.config.ts), the widget's npm package in dist/npm, the proxy's in
// dist/proxy and the sandbox's in dist/sandbox, and prints how a page loads the files. The first import must stay
// first: it removes secrets from the environment before any package is loaded.
import './no-secrets.mjs';
import { readFileSync } from 'node:fs';
import { VERSION } from '../../backend-proxy/installation.ts';

const { build } = await import('vite');
const { buildPackage } = await import('./widget-package.ts');
const { buildProxyPackage, buildSandboxPackage } = await import('./node-packages.ts');
await build();
await buildPackage('dist/npm');
await buildProxyPackage('dist/proxy', 'dist/widget');
await buildSandboxPackage('dist/sandbox', 'dist/widget');

const script = `widget-${VERSION}.js`;
const hashes = JSON.parse(readFileSync('dist/widget/integrity.json', 'utf8')) as Record<string, string>;
const proxy = 'https://pay.shop.example';
console.log(`
A page with the proxy at ${proxy} (docs/element.md) has this script and this policy:
  <script type="module" src="${proxy}/${script}" integrity="${hashes[script]}" crossorigin="anonymous"></script>
  Content-Security-Policy: script-src ${proxy}; connect-src ${proxy}; img-src data:`);
