/**
 * Words of the console: the English message, an ICU MessageFormat, in the document's language. Modules that import this one
 * run once the catalog is loaded, so a constant can have a text.
 */

import { IntlMessageFormat } from 'intl-messageformat';
import type { ComponentChild, ComponentChildren } from 'preact';
import { loadCatalog, translation } from '../words/catalog.ts';
import { LOCALE } from '../words/choices.ts';
import type { Values } from '../words/plain-words.ts';

await loadCatalog();

/** Draws the text between two tags. */
type Tag = (children: ComponentChildren) => ComponentChild;

const formats = new Map<string, IntlMessageFormat>();

/** As in `t('{count, plural, one {# camera} other {# cameras}}', { count })`. */
export function t(message: string, values?: Values): string {
  return format(translation(message), values);
}

/** For English text that other languages translate differently by context: `tIn('door', 'Open')`. */
export function tIn(context: string, message: string, values?: Values): string {
  return format(translation(message, context), values);
}

/** A sentence with elements in it: `tRich('See <link>the cameras</link>.', { link: (text) => <a href={url}>{text}</a> })`. */
export function tRich(
  message: string,
  values: Readonly<Record<string, ComponentChild | Tag>>,
): ComponentChildren {
  return formatOf(translation(message)).format<ComponentChild>({ ...values });
}

function format(text: string, values: Values | undefined): string {
  // Most texts have neither arguments nor quotes, and need no parser.
  return values === undefined ? text : String(formatOf(text).format({ ...values }));
}

function formatOf(text: string): IntlMessageFormat {
  let made = formats.get(text);
  if (made === undefined) {
    made = new IntlMessageFormat(text, LOCALE);
    formats.set(text, made);
  }
  return made;
}
