/** Text as people search for it: without case, without accents, words in any order. The console's search folds alike. */

/** Letters that are not a letter with a mark, and how people type them. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
};

/** Most names: they need no table of Unicode. */
const PLAIN = /^[\x20-\x7e]*$/;

export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđı]/g, (letter) => SPELLINGS[letter]!);
}

/** The words of a search, folded. */
export function searchWords(typed: string): readonly string[] {
  return foldText(typed).split(/\s+/).filter(Boolean);
}

/** Whether the text has each of the words. `words`: as `searchWords` returns them. */
export function hasWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const folded = foldText(text);
  return words.every((word) => folded.includes(word));
}
