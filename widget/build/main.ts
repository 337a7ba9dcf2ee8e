// `npm run build`: builds the files for a CDN (vite.config.ts), then the npm package in dist/npm. The first import must
// stay first: it removes secrets from the environment before any package is loaded.
import './no-secrets.mjs';

const { build } = await import('vite');
const { buildPackage } = await import('./package.ts');
await build();
await buildPackage('dist/npm');
