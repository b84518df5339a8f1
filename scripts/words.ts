/**
 * `node scripts/words.ts`: puts the messages of the pages into the catalogs (web/words/), in the order of the source. New ones
 * get an empty translation, which a test refuses; messages that no page has any more are dropped.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readPageWords } from './words/messages.ts';

const ROOT = resolve(import.meta.dirname, '..');

const keys = new Set(readPageWords(ROOT).messages.map(({ key }) => key));
for (const language of ['de', 'es']) {
  const file = resolve(ROOT, `web/words/${language}.json`);
  const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const words = Object.fromEntries([...keys].map((key) => [key, known[key] ?? '']));
  writeFileSync(file, `${JSON.stringify(words, null, 2)}\n`);
  const missing = Object.values(words).filter((text) => text === '').length;
  process.stdout.write(`${language}: ${keys.size} messages, ${missing} to translate\n`);
}
