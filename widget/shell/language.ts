// Finds the language for a widget, loads its dictionary, and writes amounts as it does. English is built in; every
// other dictionary is a file that is loaded when it is needed. Intl resolves aliases (iw is he) and likely scripts
// (zh-TW is Hant), so the table lists each dictionary once. If a dictionary cannot be loaded, English is used: a
// missing translation must not prevent a payment.
import { en, type MessageKey, type Messages } from '../locales/en.ts';

/** All languages but English, by the names of their files. */
export const LOADERS = {
  ar: () => import('../locales/ar.ts'),
  bg: () => import('../locales/bg.ts'),
  ca: () => import('../locales/ca.ts'),
  cs: () => import('../locales/cs.ts'),
  da: () => import('../locales/da.ts'),
  de: () => import('../locales/de.ts'),
  el: () => import('../locales/el.ts'),
  es: () => import('../locales/es.ts'),
  'es-419': () => import('../locales/es-419.ts'),
  et: () => import('../locales/et.ts'),
  fa: () => import('../locales/fa.ts'),
  fi: () => import('../locales/fi.ts'),
  fr: () => import('../locales/fr.ts'),
  he: () => import('../locales/he.ts'),
  hi: () => import('../locales/hi.ts'),
  hr: () => import('../locales/hr.ts'),
  hu: () => import('../locales/hu.ts'),
  id: () => import('../locales/id.ts'),
  it: () => import('../locales/it.ts'),
  ja: () => import('../locales/ja.ts'),
  ko: () => import('../locales/ko.ts'),
  lt: () => import('../locales/lt.ts'),
  lv: () => import('../locales/lv.ts'),
  ms: () => import('../locales/ms.ts'),
  nb: () => import('../locales/nb.ts'),
  nl: () => import('../locales/nl.ts'),
  pl: () => import('../locales/pl.ts'),
  pt: () => import('../locales/pt.ts'),
  'pt-BR': () => import('../locales/pt-BR.ts'),
  ro: () => import('../locales/ro.ts'),
  ru: () => import('../locales/ru.ts'),
  sk: () => import('../locales/sk.ts'),
  sl: () => import('../locales/sl.ts'),
  sr: () => import('../locales/sr.ts'),
  'sr-Latn': () => import('../locales/sr-Latn.ts'),
  sv: () => import('../locales/sv.ts'),
  th: () => import('../locales/th.ts'),
  tr: () => import('../locales/tr.ts'),
  uk: () => import('../locales/uk.ts'),
  ur: () => import('../locales/ur.ts'),
  vi: () => import('../locales/vi.ts'),
  zh: () => import('../locales/zh.ts'),
  'zh-Hant': () => import('../locales/zh-Hant.ts'),
} satisfies Record<string, () => Promise<{ default: Messages }>>;

type Dictionary = keyof typeof LOADERS | 'en';

const RTL = /^(ar|fa|he|ur)/;

export interface Language {
  /** BCP 47 tag as requested, with its region: amounts and times are formatted by it. */
  tag: string;
  direction: 'ltr' | 'rtl';
  messages: Partial<Messages>;
}

/** The first tag whose language has a dictionary; `en` if none has. That of an unchecked token may be no text. */
export function chooseTag(preferred: readonly unknown[]): string {
  for (const each of preferred) {
    const tag = typeof each === 'string' ? each.replaceAll('_', '-') : '';
    if (tag && dictionaryOf(tag)) return tag;
  }
  return 'en';
}

/** The `lang` of the nearest ancestor, also outside the shadow roots that contain the element. */
export function nearestLang(element: Node): string | undefined {
  const parent = element.parentNode ?? (element as Partial<ShadowRoot>).host;
  // By the attribute: `form.lang` is the form's field of that name.
  return parent && ((parent as Partial<Element>).getAttribute?.('lang') || nearestLang(parent));
}

/** English at once, any other language as a promise; English if the dictionary cannot be loaded. */
export function loadLanguage(tag: string): Language | Promise<Language> {
  const name = dictionaryOf(tag) ?? 'en';
  if (name === 'en') return { tag, direction: 'ltr', messages: en };
  return LOADERS[name]().then(
    (module) => ({ tag, direction: RTL.test(name) ? 'rtl' : 'ltr', messages: module.default }),
    () => ({ tag: 'en', direction: 'ltr', messages: en }),
  );
}

/** Replaces each `{name}` by its value, and `[a|b]` by b if all values of b are known, else by a. */
export function fill(text: string, values: Record<string, string | undefined> = {}): string {
  const filled = (part: string) => part.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] || place);
  const chosen = (_: string, plain: string, named: string) => (filled(named).includes('{') ? plain : named);
  return filled(text.replaceAll(/\[(.*?)\|(.*?)\]/g, chosen));
}

export type Say = (key: MessageKey, values?: Record<string, string | undefined>) => string;

/** By language and script, else language and region, else language. Undefined without one, or for an invalid tag. */
function dictionaryOf(tag: string): Dictionary | undefined {
  // The first Intl.Locale is slow to make, and English, the likeliest language of the first frame, does not need one.
  if (/^en(-[A-Z]{2})?$/i.test(tag)) return 'en';
  try {
    const locale = new Intl.Locale(tag);
    const { language, region } = locale;
    // Readers of either written Norwegian can read the other.
    const base = /^n[no]$/.test(language) ? 'nb' : language;
    // `in` is safe: subtags are at most eight lower-case letters, so none matches an inherited property.
    // The Spanish of all countries but Spain is that of Latin America (UN M.49 region 419).
    const area = base === 'es' && region && region !== 'ES' ? '419' : region;
    return [`${base}-${locale.maximize().script}`, `${base}-${area}`, base].find(
      (name): name is Dictionary => name === 'en' || name in LOADERS,
    );
  } catch {
    return undefined;
  }
}

const formats = new Map<string, Intl.NumberFormat>();

/** `1234.5`, without floating point, as the language writes it in that currency, with at least its own decimals. */
export function localizedAmount(amount: string, currency: string, language: string): string {
  const key = currency + language;
  // A format is slow to make, so each is made once. Intl differs from ISO 4217 in 16 currencies, so it may not cut
  // decimals off.
  const format =
    formats.get(key) ?? new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 9 });
  formats.set(key, format);
  // Intl formats decimal strings exactly (ES2023); TypeScript accepts only those that look like numbers. The proxy
  // refuses a text that is not a number; until then it is not shown, as NaN would be.
  return isNaN(+amount) ? '' : format.format(amount as `${number}`);
}

/** Arabic and Persian digits as ASCII: people type both. */
export function asciiDigits(typed: string): string {
  return typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15));
}
