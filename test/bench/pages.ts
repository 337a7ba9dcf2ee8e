// The compared pages and their files: a shop's checkout page without a payment, with each floor, with the widget and
// with the peer. The same bundler builds all scripts in memory. Also has the CSS selectors of each page's methods,
// button and code; visit.ts operates the pages.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { build } from 'vite';
import { styles } from '../../widget/shell/shell.styles.ts';
import { claimsOf, tokenOf } from '../widget/fake-proxy.ts';

/** CSS selectors of the elements that a visit uses. */
export interface Places {
  /** The element whose shadow root contains the methods; null if they are in the page itself. */
  host: string | null;
  /** A method's radio; the visit waits for the first match. */
  method: string;
  /** The radio of the method to pay with; null if the page has none. */
  choice: string | null;
  /** The button that pays, and the code drawn after the click (an SVG path or an image); null if the page has none. */
  pay: string | null;
  code: string | null;
}

export interface BenchPage extends Places {
  name: string;
  label: string;
  /** The scripts and styles in the page's head, as the product's documentation gives them. */
  head: string;
  body: string;
  /** Whether the scripts and the proxy are on another origin than the page. */
  isApart: boolean;
  /** Whether the shopper pays as soon as a method can be chosen, without a pause. */
  isHasty: boolean;
}

const ORDER = tokenOf(claimsOf());
const NATIVE = 'input[type=radio]';
const OURS = { method: NATIVE, choice: 'input[value=QR]', pay: '[part=pay]', code: '[part=code] path' };
const DROPIN = {
  host: null,
  method: '.adyen-checkout__payment-method [role=radio]',
  choice: '.adyen-checkout__payment-method--swish [role=radio]',
  pay: '.adyen-checkout__payment-method--swish .adyen-checkout__button--pay',
  code: '[data-testid=swish-qr-image]',
  head: '<link rel="stylesheet" href="adyen.css"><script type="module" src="script.js"></script>',
  body: '<div id="payment"></div>',
  isApart: false,
  isHasty: false,
};
const WIDGET = {
  ...OURS,
  host: 'payment-widget',
  head: '<script type="module" src="widget.js"></script>',
  body: `<payment-widget order="${ORDER}"></payment-widget>`,
  isApart: false,
  isHasty: false,
};

/** The shop's page without a payment: the baseline for the heap. */
export const BLANK = {
  name: 'blank',
  label: 'the shop’s page without a payment',
  host: null,
  method: 'h1',
  choice: null,
  pay: null,
  code: null,
  head: '',
  body: '',
  isApart: false,
  isHasty: false,
} as const satisfies BenchPage;

export const PAGES = [
  BLANK,
  {
    ...BLANK,
    name: 'html',
    label: 'HTML alone, no script',
    method: NATIVE,
    choice: OURS.choice,
    body: `<form>${['DIRECT', 'CHECKOUT', 'JETGO', 'QR'].map((method) => `<p><label><input type="radio" name="method" value="${method}"> ${method}</label></p>`).join('')}<button>Pay €10.10</button></form>`,
  },
  {
    ...WIDGET,
    name: 'bare',
    label: 'bare custom element, same styles',
    host: 'bare-element',
    head: '<script type="module" src="script.js"></script>',
    body: `<bare-element order="${ORDER}"></bare-element>`,
  },
  { ...WIDGET, name: 'widget', label: 'our widget' },
  { ...WIDGET, name: 'apart', label: 'our widget, proxy on another origin', isApart: true },
  { ...WIDGET, name: 'hasty', label: 'our widget, paid at once', isHasty: true },
  { ...WIDGET, name: 'hasty-apart', label: '… proxy on another origin', isApart: true, isHasty: true },
  { ...DROPIN, name: 'adyen', label: 'Adyen Drop-in: QR, await, redirect' },
] as const satisfies BenchPage[];

export type Page = (typeof PAGES)[number];
export type PageName = Page['name'];

/** The pages with a script of their own, which is in pages/. */
const ENTRIES = ['bare', 'adyen'];
const WITH_WIDGET: readonly PageName[] = ['widget', 'apart', 'hasty', 'hasty-apart'];

/** The page's HTML; `assets` is the address of its scripts and its proxy, with a slash at the end. */
export function htmlOf({ head, body }: BenchPage, assets: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Checkout</title><link rel="icon" href="data:,">
<style>body{margin:0 auto;max-width:40rem;padding:16px;font:16px/1.5 system-ui,sans-serif}td+td{text-align:end}table{inline-size:100%}</style>
${head.replaceAll(/(src|href)="(?=\w)/g, `$1="${assets}`)}</head>
<body><h1>Your order</h1><table><tr><td>Tea, 100 g<td>€6.10<tr><td>Postage<td>€4.00<tr><th>Sum<td>€10.10</table>
<main>${body}</main></body></html>`;
}

/** The scripts and styles of the pages, by path. */
export async function buildFiles(pages: readonly Page[]): Promise<Map<string, string>> {
  const isWanted = (name: string) => pages.some((page) => page.name === name);
  const minifiedStyles = (await transform(styles, { loader: 'css', minify: true })).code;
  const files = new Map<string, string>();
  for (const name of ENTRIES.filter(isWanted)) {
    const file = fileURLToPath(new URL(`pages/${name}.ts`, import.meta.url));
    files.set(`/${name}/script.js`, await bundle(file, { STYLES: JSON.stringify(minifiedStyles.trim()) }));
  }
  if (isWanted('adyen')) {
    const css = await readFile(fileURLToPath(import.meta.resolve('@adyen/adyen-web/styles/adyen.css')), 'utf8');
    files.set('/adyen/adyen.css', (await transform(css, { loader: 'css', minify: true })).code);
  }
  for (const { fileName, code } of await buildWidget()) {
    for (const name of WITH_WIDGET.filter(isWanted)) files.set(`/${name}/${fileName}`, code);
  }
  return files;
}

/** One script with everything that the entry imports. */
async function bundle(entry: string, define: Record<string, string>): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { ...define, 'process.env.NODE_ENV': '"production"' },
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

let widget: Promise<Chunk[]> | undefined;

/** The widget's scripts, built once, as `npm run build` does. */
export function buildWidget(): Promise<Chunk[]> {
  return (widget ??= build({ logLevel: 'error', build: { write: false } }).then(chunksOf));
}

export type Chunk = ReturnType<typeof chunksOf>[number];

function chunksOf(built: Awaited<ReturnType<typeof build>>) {
  if ('on' in built) throw new Error('a build in watch mode never ends');
  return [built].flat().flatMap(({ output }) => output.filter((file) => file.type === 'chunk'));
}
