/** "Did you mean": the known name that a mistyped one is closest to. */

/** Names that differ by more than this fraction of their length are not confused with each other. */
const MAX_EDITS_PER_CHARACTER = 0.34;

/** If a typed name is this long and ends a known one, it is that name without its beginning. */
const MIN_ENDING_LENGTH = 4;

/** null if nothing is close. Upper and lower case count as the same. */
export function closestName(typed: string, names: readonly string[]): string | null {
  const ending = typed.toLowerCase();
  const longer = names.find((name) => name.toLowerCase().endsWith(ending));
  if (longer !== undefined && typed.length >= MIN_ENDING_LENGTH) return longer;
  let closest: string | null = null;
  let fewest = Math.max(1, Math.floor(typed.length * MAX_EDITS_PER_CHARACTER)) + 1;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) >= fewest) continue;
    const edits = editDistance(ending, name.toLowerCase());
    if (edits >= fewest) continue;
    fewest = edits;
    closest = name;
  }
  return closest;
}

/** Insertions, removals, replacements and swaps of neighbors that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let fewest = Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) fewest = Math.min(fewest, beforePrevious[j - 2]! + 1);
      current.push(fewest);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}
