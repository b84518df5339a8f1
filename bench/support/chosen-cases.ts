/**
 * The cases whose title contains one of the texts of `BENCH_CASES`, which `|` separates, or begins with it if the text begins
 * with `^`; all when it is not set. Of those, a short run takes every `shortEvery`th. Throws when none is left: a run without cases would find nothing wrong.
 */
export function chosenCases<T>(
  cases: readonly T[],
  titleOf: (one: T) => string,
  { isShort, shortEvery }: { readonly isShort: boolean; readonly shortEvery: number },
): T[] {
  const texts = (process.env.BENCH_CASES ?? '').split('|');
  const chosen = cases
    .filter((one) => texts.some((text) => isIn(titleOf(one), text)))
    .filter((_, index) => !isShort || index % shortEvery === 0);
  if (chosen.length === 0) throw new Error(`No case's title contains "${texts.join('" or "')}".`);
  return chosen;
}

function isIn(title: string, text: string): boolean {
  return text.startsWith('^') ? title.startsWith(text.slice(1)) : title.includes(text);
}
