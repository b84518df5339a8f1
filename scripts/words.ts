/**
 * `node scripts/words.ts`: puts the messages of the pages into the catalogs (web/words/), in the order of the source. New ones
 * get an empty translation, which a test refuses; messages that no page has any more are dropped.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TRANSLATED } from '../web/words/choices.ts';
import { readPageWords } from './words/messages.ts';

const ROOT = resolve(import.meta.dirname, '..');

const keys = new Set(readPageWords(ROOT).messages.map(({ key }) => key));
for (const language of TRANSLATED) {
  const file = resolve(ROOT, `web/words/${language}.json`);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const known = JSON.parse(text) as Record<string, string>;
  const words = Object.fromEntries([...keys].map((key) => [key, known[key] ?? '']));
  writeFileSync(file, `${JSON.stringify(words, null, 2)}\n`);
  const missing = Object.values(words).filter((text) => text === '').length;
  process.stdout.write(`${language}: ${keys.size} messages, ${missing} to translate\n`);
}
