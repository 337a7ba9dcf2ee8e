// `npm run build`, its second half: the npm package, in dist/npm. The first half, the files for a CDN, is vite.config.ts.
import { buildPackage } from './package.ts';

await buildPackage('dist/npm');
