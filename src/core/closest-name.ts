/** "Did you mean": the known name that a mistyped one is closest to. */

/** Names that differ by more than this fraction of their length are not confused with each other. */
const MAX_EDITS_PER_CHARACTER = 0.34;

/** If a typed name is this long and ends a known one, it is that name without its beginning. */
const MIN_ENDING_LENGTH = 4;

/** null when nothing is close. Upper and lower case count as the same. `mostEdits`: however long the name is. */
export function closestName(
  typed: string,
  names: readonly string[],
  mostEdits = Number.POSITIVE_INFINITY,
): string | null {
  const ending = typed.toLowerCase();
  const longer = names.find((name) => name.toLowerCase().endsWith(ending));
  if (longer !== undefined && typed.length >= MIN_ENDING_LENGTH) return longer;
  let closest: string | null = null;
  const edits = Math.max(1, Math.floor(typed.length * MAX_EDITS_PER_CHARACTER));
  let fewest = Math.min(edits, mostEdits) + 1;
  for (const name of names) {
    if (Math.abs(name.length - typed.length) >= fewest) continue;
    const distance = editDistance(ending, name.toLowerCase(), fewest);
    if (distance >= fewest) continue;
    fewest = distance;
    closest = name;
  }
  return closest;
}

/**
 * Insertions, removals, replacements, and swaps of neighbors that turn one text into the other; `tooMany` for that many and more. Only
 * places that few edits can bring together are compared, so names that differ early cost little.
 */
function editDistance(from: string, to: string, tooMany: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const current = new Array<number>(to.length + 1).fill(tooMany);
    current[0] = i;
    let best = i;
    const last = Math.min(to.length, i + tooMany);
    for (let j = Math.max(1, i - tooMany); j <= last; j++) {
      const replaced = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let fewest = Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) fewest = Math.min(fewest, beforePrevious[j - 2]! + 1);
      current[j] = fewest;
      best = Math.min(best, fewest);
    }
    if (best >= tooMany) return tooMany;
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[to.length]!, tooMany);
}
