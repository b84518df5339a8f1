/** Finds texts by words. Pure. */

import { fold, tokensOf } from './find-rank.ts';

/** Whether a text has all words that were typed, in any order, without case and accents. */
export function matcherOf(typed: string): (text: string) => boolean {
  const words = tokensOf(typed);
  return (text) => {
    const searched = fold(text);
    return words.every((word) => searched.includes(word));
  };
}
