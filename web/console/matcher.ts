/** Finds texts by words. Pure. */

/** Whether a text has all words that were typed, in any order and case. */
export function matcherOf(typed: string): (text: string) => boolean {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const searched = text.toLocaleLowerCase();
    return words.every((word) => searched.includes(word));
  };
}
