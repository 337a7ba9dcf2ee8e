// `npm run build`: the files for a CDN (vite.config.ts), then the npm package, in dist/npm.
// The first import runs before any package is so much as loaded: none sees a secret that happens to be in this environment.
import './no-secrets.mjs';

const { build } = await import('vite');
const { buildPackage } = await import('./package.ts');
await build();
await buildPackage('dist/npm');
