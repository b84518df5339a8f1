/** Work for each of many items. The failure of one does not end the work for the others. */

/** One after the other. `onFailure` gets each failure. Resolves with how many failed; never rejects because of `work`. */
export async function eachAlone<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  onFailure: (item: Item, thrown: unknown) => void,
): Promise<number> {
  let failures = 0;
  for (const item of items) {
    try {
      await work(item);
    } catch (thrown) {
      failures++;
      onFailure(item, thrown);
    }
  }
  return failures;
}
