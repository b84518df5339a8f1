/**
 * Language, theme, and time zone of this browser: what the person chose here, otherwise what the browser prefers. A page in a frame has the
 * language that the address names (`?lang=de`), which is that of the page around it. They are
 * constants of the document: after a choice, the page loads again, so no text, date, or drawing keeps the former one.
 */

/** In their own words. English is the language of the source. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const;

export type Language = keyof typeof LANGUAGES;

/** Those with a catalog, a file of their name in this folder. */
export const TRANSLATED = (Object.keys(LANGUAGES) as Language[]).filter(
  (language): language is Exclude<Language, 'en'> => language !== 'en',
);

export const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

const KEYS = { language: 'sluice.language', theme: 'sluice.theme', timeZone: 'sluice.timeZone' } as const;

export type Choice = keyof typeof KEYS;

/** Tests of single modules have no page. */
const IS_PAGE = typeof location !== 'undefined';

const preferred: readonly string[] = IS_PAGE ? navigator.languages : [];

/** Names a language in the address of a page. */
export const LANGUAGE_PARAMETER = 'lang';

/** Null: the browser decides. */
export function chosen(choice: Choice): string | null {
  if (!IS_PAGE) return null;
  try {
    return localStorage.getItem(KEYS[choice]);
  } catch {
    // A frame of another site may have no storage.
    return null;
  }
}

/** Stores it for this browser, and loads the page again. Null: the browser decides. */
export function choose(choice: Choice, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(KEYS[choice]);
    else localStorage.setItem(KEYS[choice], value);
  } catch {
    // Without storage, the choice ends with this document.
    return;
  }
  const address = new URL(location.href);
  if (choice !== 'language' || !address.searchParams.has(LANGUAGE_PARAMETER)) {
    location.reload();
    return;
  }
  address.searchParams.delete(LANGUAGE_PARAMETER);
  location.replace(address);
}

const named = IS_PAGE ? new URL(location.href).searchParams.get(LANGUAGE_PARAMETER) : null;

export const LANGUAGE: Language = languageFor([named, chosen('language')], preferred);

/** For `Intl`: also has the region if the browser prefers one of this language, as in "de-AT". */
export const LOCALE: string = IS_PAGE
  ? (preferred.find((tag) => primary(tag) === LANGUAGE) ?? LANGUAGE)
  : new Intl.DateTimeFormat().resolvedOptions().locale;

/** IANA name. */
export const TIME_ZONE: string = zoneFor(chosen('timeZone'));

export const BROWSER_TIME_ZONE: string = zoneFor(null);

export const THEME: Theme = THEMES.find((theme) => theme === chosen('theme')) ?? 'system';

/** `choices`: what was chosen, the first one counts; `tags`: the browser's languages, best first. English if none fits. Pure. */
export function languageFor(choices: readonly (string | null)[], tags: readonly string[]): Language {
  const [found = 'en'] = [...choices.map((choice) => choice ?? ''), ...tags.map(primary)].filter(isLanguage);
  return found;
}

/** The address of a page in a frame, in the language of this document. Pure. */
export function inThisLanguage(url: string): string {
  const address = new URL(url);
  address.searchParams.set(LANGUAGE_PARAMETER, LANGUAGE);
  return address.href;
}

/** A zone that this browser does not know would make every date fail. Pure. */
export function zoneFor(stored: string | null): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (stored === null) return own;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: stored }).resolvedOptions().timeZone;
  } catch {
    return own;
  }
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

function primary(tag: string): string {
  return tag.split('-')[0]!.toLowerCase();
}
