// Finds the language for a widget and loads its words: English is here, any other one arrives by itself, one at a time.
// Owns the table of languages and the choice among them. A language that cannot be loaded is no reason not to take a payment.
import { en, type MessageKey, type Messages } from './locales/en.ts';

const LOADERS = {
  ar: () => import('./locales/ar.ts'),
  de: () => import('./locales/de.ts'),
  es: () => import('./locales/es.ts'),
  fr: () => import('./locales/fr.ts'),
  tr: () => import('./locales/tr.ts'),
} satisfies Record<string, () => Promise<{ default: Messages }>>;

const RTL = /^(ar|fa|he|ur)\b/;

export interface Language {
  /** BCP 47, as wished for, with its region: amounts and times follow it. */
  tag: string;
  direction: 'ltr' | 'rtl';
  messages: Partial<Messages>;
}

/** The first tag that is of a language we have; English where there is none. */
export function chooseTag(wishes: readonly (string | null | undefined)[]): string {
  for (const wish of wishes) {
    const tag = wish?.replaceAll('_', '-') ?? '';
    const language = baseOf(tag);
    if ((language === 'en' || Object.hasOwn(LOADERS, language)) && isTag(tag)) return tag;
  }
  return 'en';
}

/** The `lang` of the nearest ancestor, out of every shadow root. */
export function nearestLang(element: Element): string | undefined {
  const found = element.closest<HTMLElement>('[lang]:not([lang=""])');
  if (found) return found.lang;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? nearestLang(root.host) : undefined;
}

/** At once for English, a promise for any other; with English where that cannot be had. */
export function loadLanguage(tag: string): Language | Promise<Language> {
  const load = LOADERS[baseOf(tag) as keyof typeof LOADERS];
  const direction = RTL.test(tag) ? 'rtl' : 'ltr';
  if (!load) return { tag, direction, messages: en };
  return load().then(
    (module) => ({ tag, direction, messages: module.default }),
    () => ({ tag: 'en', direction: 'ltr', messages: en }),
  );
}

/** Fills `{name}` from the values. */
export function fill(text: string, values: Record<string, string> = {}): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

export type Say = (key: MessageKey, values?: Record<string, string>) => string;

function baseOf(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? '';
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
