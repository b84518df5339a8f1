/**
 * Every text that people read is a message with a translation into each language, with the same arguments, tags, and plural
 * forms (docs/design/console.md#languages).
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { readPageWords } from '../../scripts/words/messages.ts';
import { loadWebAssets } from '../../src/front-door/page/web-assets.ts';
import { TRANSLATED } from '../../web/words/choices.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const words = readPageWords(ROOT);
const catalogs = TRANSLATED.map((language) => ({
  language,
  catalog: JSON.parse(readFileSync(resolve(ROOT, `web/words/${language}.json`), 'utf8')) as Record<
    string,
    string
  >,
}));
const place = ({
  file,
  line,
  text,
}: {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}) => `${file}:${line} ${text}`;
/** People who look after a few cameras do not know them. */
const WORDS_OF_CODE =
  /\b(?:probes?|leases?|renditions?|ingest|envelopes?|engines?|principals?|workers?|event loop|media listener|packagers?|payloads?)\b/i;
/** Values of the API, and keys of the configuration file: those who know them read them in `code`. */
const CODES = /\b[A-Z]{2,}(?:_[A-Z\d]+)+\b/;
const KEYS = new Set(
  [
    ...readFileSync(`${ROOT}/docs/reference/configuration.md`, 'utf8').matchAll(/^\| `(\w+(?:\.\w+)+)`/gm),
  ].map(([, key]) => key!),
);
/** Modules of the viewer page. */
const isOfViewers = (file: string) => /^web\/[^/]+$/.test(file);

describe('the pages', () => {
  it('say nothing that is not a message', () => {
    expect(words.untranslated.map(place)).toEqual([]);
  });

  it('pass constants, which translators can read', () => {
    expect(words.computed.map(place)).toEqual([]);
  });

  it('say whole sentences, and no ends of others', () => {
    const ends = words.messages.filter(({ text }) => /^[.;]|^, (?!choose a time$)/.test(text));
    expect(ends.map(place)).toEqual([]);
  });

  it('say nothing in words of the code', () => {
    const internal = words.messages.filter(({ text }) => WORDS_OF_CODE.test(text));
    expect(internal.map(place)).toEqual([]);
  });

  it('names no code and no key outside of code', () => {
    expect(KEYS.size).toBeGreaterThan(100);
    const internal = words.messages.filter(({ text }) => {
      const plain = text.replaceAll(/<code>.*?<\/code>/g, '');
      return CODES.test(plain) || (plain.match(/\w+(?:\.\w+)+/g) ?? []).some((word) => KEYS.has(word));
    });
    expect(internal.map(place)).toEqual([]);
  });

  it('give each message the values that it names', () => {
    const wrong = words.messages.filter(({ text, values }) => {
      const { args, tags } = contentOf(text);
      return values === null || [...values].sort().join() !== [...args, ...tags].sort().join();
    });
    expect(wrong.map(place)).toEqual([]);
  });

  it('of viewers need no plural forms and no tags, because they load no parser', () => {
    const { messages } = words;
    const rich = messages.filter(({ file, text }) => isOfViewers(file) && !contentOf(text).isPlain);
    expect(rich.map(place)).toEqual([]);
  });
});

describe.each(catalogs)('the catalog $language', ({ language, catalog }) => {
  it('has each message, and no other', () => {
    expect(Object.keys(catalog).sort()).toEqual([...new Set(words.messages.map(({ key }) => key))].sort());
  });

  it('translates each of them', () => {
    expect(Object.keys(catalog).filter((key) => catalog[key]!.trim() === '')).toEqual([]);
  });

  it('has the arguments, tags, and choices of the English message', () => {
    const differing = words.messages.filter(({ key, text }) => {
      const [english, own] = [contentOf(text), contentOf(catalog[key] ?? '')];
      return `${english.args}${english.tags}${english.choices}` !== `${own.args}${own.tags}${own.choices}`;
    });
    expect(differing.map(place)).toEqual([]);
  });

  it('has the plural forms of its language, which both end in `other`', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    // "Many" is for millions, which no page counts.
    const needed = forms.filter((form) => form !== 'many').sort();
    const wrong = Object.entries(catalog).filter(([, text]) =>
      contentOf(text).plurals.some((options) => needed.some((form) => !options.includes(form))),
    );
    expect(wrong).toEqual([]);
  });

  it('reaches the viewer page with each of its messages', async () => {
    const { byName } = await loadWebAssets({ publicMediaUrl: 'https://media.example' });
    const name = [...byName.keys()].find((file) => file.startsWith(`${language}.`))!;
    const served = String(byName.get(name)!.body);
    const missing = words.messages.filter(
      ({ file, key }) => isOfViewers(file) && !served.includes(`${JSON.stringify(key)}:`),
    );
    expect(missing.map(place)).toEqual([]);
  });
});

type Ast = ReturnType<IntlMessageFormat['getAst']>;

/** The type of text without arguments, in the library's syntax tree. */
const LITERAL = 0;

interface Content {
  readonly args: readonly string[];
  readonly tags: readonly string[];
  /** Of `select`, with their values. */
  readonly choices: readonly string[];
  /** Forms of each plural. */
  readonly plurals: readonly (readonly string[])[];
  /** Arguments alone. */
  readonly isPlain: boolean;
}

/** Sorted, each once. */
function contentOf(text: string): Content {
  const [args, tags, choices] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const plurals: string[][] = [];
  const visit = (parts: Ast): void => {
    for (const part of parts) {
      if (!('value' in part) || part.type === LITERAL) continue;
      ('children' in part ? tags : args).add(part.value);
      if ('children' in part) visit(part.children);
      if (!('options' in part)) continue;
      const forms = Object.keys(part.options);
      if ('pluralType' in part) plurals.push(forms);
      else choices.add(`${part.value} ${forms.sort().join()}`);
      for (const { value } of Object.values(part.options)) visit(value);
    }
  };
  visit(new IntlMessageFormat(text, 'en').getAst());
  const isPlain = tags.size + choices.size + plurals.length === 0;
  return { args: [...args].sort(), tags: [...tags].sort(), choices: [...choices].sort(), plurals, isPlain };
}
