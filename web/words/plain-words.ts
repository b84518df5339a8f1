/**
 * Words of the viewer page, which has no bundler: messages with arguments like `{name}` only. The console also has plural forms
 * and marked-up text (web/console/words.ts), whose library would add 17 KB to each opened link.
 */

import { translation } from './catalog.ts';

const ARGUMENT = /\{(\w+)\}/g;

export type Values = Readonly<Record<string, string | number>>;

/** The English message in the document's language. Call it when the text is shown: modules load before the catalog. */
export function t(message: string, values: Values = {}): string {
  return translation(message).replaceAll(ARGUMENT, (_all, name: string) => String(values[name]));
}
