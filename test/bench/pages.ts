// The compared pages and their files: a shop's checkout page without a payment, with the widget and with the peer.
// The same bundler builds all scripts in memory. Also has the CSS selectors that visit.ts uses.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { build } from 'vite';
import { claimsOf, tokenOf } from '../../widget/testing/fake-proxy.ts';

/** CSS selectors of the elements that a visit uses; what the page does not have is left out. */
export interface Places {
  /** The element whose shadow root contains the methods. */
  host?: string;
  /** A method's radio; the visit waits for the first match. */
  method: string;
  /** The radio of the method to pay with, the button that pays, and the code that is drawn then. */
  choice?: string;
  pay?: string;
  code?: string;
}

export interface BenchPage extends Places {
  name: string;
  label: string;
  /** The scripts and styles in the page's head, as the product's documentation gives them. */
  head?: string;
  body?: string;
}

/** The shop's page without a payment: the baseline for the heap. */
export const BLANK = { name: 'blank', label: 'the shop’s page without a payment', method: 'h1' } as const;

export const PAGES = [
  BLANK,
  {
    name: 'widget',
    label: 'our widget',
    host: 'payment-widget',
    method: 'input[type=radio]',
    choice: 'input[value=QR]',
    pay: '[part=pay]',
    code: '[part=code] path',
    head: '<script type="module" src="widget.js"></script>',
    body: `<payment-widget order="${tokenOf(claimsOf())}"></payment-widget>`,
  },
  {
    name: 'adyen',
    label: 'Adyen Drop-in: QR, await, redirect',
    method: '.adyen-checkout__payment-method [role=radio]',
    choice: '.adyen-checkout__payment-method--swish [role=radio]',
    pay: '.adyen-checkout__payment-method--swish .adyen-checkout__button--pay',
    code: '[data-testid=swish-qr-image]',
    head: '<link rel="stylesheet" href="adyen.css"><script type="module" src="script.js"></script>',
    body: '<div id="payment"></div>',
  },
] as const satisfies BenchPage[];

export type Page = (typeof PAGES)[number];

export function htmlOf({ head = '', body = '' }: BenchPage): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Checkout</title><link rel="icon" href="data:,">
<style>body{margin:0 auto;max-width:40rem;padding:16px;font:16px/1.5 system-ui,sans-serif}td+td{text-align:end}table{inline-size:100%}</style>
${head}</head>
<body><h1>Your order</h1><table><tr><td>Tea, 100 g<td>€6.10<tr><td>Postage<td>€4.00<tr><th>Sum<td>€10.10</table>
<main>${body}</main></body></html>`;
}

/** The scripts and styles of the pages, by path. */
export async function buildFiles(pages: readonly Page[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const widget = chunksOf(await build({ logLevel: 'error', build: { write: false } }));
  for (const { fileName, code } of widget) files.set(`/widget/${fileName}`, code);
  if (pages.some(({ name }) => name === 'adyen')) {
    files.set('/adyen/script.js', await bundle(fileURLToPath(new URL('adyen.ts', import.meta.url))));
    const css = await readFile(fileURLToPath(import.meta.resolve('@adyen/adyen-web/styles/adyen.css')), 'utf8');
    files.set('/adyen/adyen.css', (await transform(css, { loader: 'css', minify: true })).code);
  }
  return files;
}

/** One script with everything that the entry imports. */
async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: 'script' },
      rolldownOptions: { output: { minify: true } },
    },
  });
  const [chunk, ...others] = chunksOf(built);
  if (chunk === undefined || others.length > 0) throw new Error(`${entry} is not one script`);
  return chunk.code;
}

function chunksOf(built: Awaited<ReturnType<typeof build>>) {
  if ('on' in built) throw new Error('a build in watch mode never ends');
  return [built].flat().flatMap(({ output }) => output.filter((file) => file.type === 'chunk'));
}
