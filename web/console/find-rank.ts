/** How well a name fits what was typed into the search. Pure. */

/** A name, ready to be compared with what is typed. */
export interface Searched {
  readonly title: string;
  readonly titleWords: readonly string[];
  /** Facts next to the name, such as its site. */
  readonly detail: string;
  readonly detailWords: readonly string[];
}

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

const SCORES = { word: 100, beginning: 80, part: 50, initials: 30, slip: 20 } as const;
/** A detail counts less than the name. */
const DETAIL_SHARE = 0.3;
const WHOLE_BEGINNING = 20;
/** Shorter words differ by a letter too often. */
const MIN_SLIP_LETTERS = 4;
const MIN_INITIALS = 2;

/** Without case and accents. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđı]/g, (letter) => SPELLINGS[letter]!);
}

export function tokensOf(typed: string): readonly string[] {
  return fold(typed).split(/\s+/).filter(Boolean);
}

export function searchedOf(title: string, detail = ''): Searched {
  const [folded, about] = [fold(title), fold(detail)];
  return { title: folded, titleWords: wordsOf(folded), detail: about, detailWords: wordsOf(about) };
}

/** Null: a token is nowhere. Otherwise the higher, the better. */
export function rankOf(tokens: readonly string[], searched: Searched): number | null {
  const { title, titleWords, detail, detailWords } = searched;
  let sum = 0;
  for (const token of tokens) {
    const score = Math.max(
      scoreOf(token, title, titleWords),
      scoreOf(token, detail, detailWords) * DETAIL_SHARE,
    );
    if (score === 0) return null;
    sum += score;
  }
  if (tokens.length === 0) return 0;
  const isBeginning = title.startsWith(tokens.join(' '));
  // Among equals, the name with less around the match.
  return sum / tokens.length + (isBeginning ? WHOLE_BEGINNING : 0) - Math.min(title.length, 200) / 100;
}

function scoreOf(token: string, text: string, words: readonly string[]): number {
  if (text.includes(token)) {
    if (words.includes(token)) return SCORES.word;
    return words.some((word) => word.startsWith(token)) ? SCORES.beginning : SCORES.part;
  }
  if (token.length >= MIN_INITIALS && hasInitials(words, token)) return SCORES.initials;
  if (token.length >= MIN_SLIP_LETTERS && words.some((word) => isSlip(token, word))) return SCORES.slip;
  return 0;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** Whether the token is made of beginnings of words in their order, as `wado3` is of "warehouse dock 3". */
function hasInitials(words: readonly string[], token: string): boolean {
  // Where in the token each way to read it so far ends.
  let ends = new Set([0]);
  for (const word of words) {
    const next = new Set(ends);
    for (const end of ends) {
      let taken = 0;
      while (taken < word.length && word[taken] === token[end + taken]) {
        taken += 1;
        next.add(end + taken);
      }
    }
    ends = next;
  }
  return ends.has(token.length);
}

/** Whether one letter is missing, added, wrong, or swapped with its neighbor; the word may be longer than the token. */
function isSlip(token: string, word: string): boolean {
  let at = 0;
  while (at < token.length && token[at] === word[at]) at += 1;
  const rest = token.slice(at);
  return (
    word.startsWith(rest, at + 1) ||
    word.startsWith(rest.slice(1), at) ||
    (rest.length > 1 && word.length > at && word.startsWith(rest.slice(1), at + 1)) ||
    (rest.length > 1 &&
      word[at] === rest[1] &&
      word[at + 1] === rest[0] &&
      word.startsWith(rest.slice(2), at + 2))
  );
}
