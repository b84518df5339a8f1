/**
 * Translations of this document's language. English texts are in the source and are the keys, so English has no catalog; each
 * other language is one file, which only its readers load.
 */

import { LANGUAGE, type Language } from './choices.ts';

type Catalog = Readonly<Record<string, string>>;

const FILES: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalog }>>> = {
  de: () => import('./de.json', { with: { type: 'json' } }),
  es: () => import('./es.json', { with: { type: 'json' } }),
};

/** Between a context and its text, in keys of catalogs. */
export const CONTEXT_MARK = '|';

let catalog: Catalog = {};
let loading: Promise<void> | null = null;

/** To be awaited before the first text is shown. If the file cannot be loaded, texts stay English. */
export function loadCatalog(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  if (LANGUAGE === 'en') return;
  document.documentElement.lang = LANGUAGE;
  try {
    catalog = (await FILES[LANGUAGE]()).default;
  } catch {
    document.documentElement.lang = 'en';
  }
}

/** `context`: tells apart equal English texts with different translations; null: none. */
export function translation(message: string, context: string | null = null): string {
  const key = context === null ? message : `${context}${CONTEXT_MARK}${message}`;
  return Object.hasOwn(catalog, key) ? catalog[key]! : message;
}
