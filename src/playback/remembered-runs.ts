/** Facts of runs that take work to find. */

/** More than the runs of the longest manifest. */
const MAX_KNOWN_RUNS = 4_096;

/** A run's facts, read once. A failed read is tried again. */
export function remembered<Known>(
  runs: Map<string, Promise<Known>>,
  key: string,
  read: () => Promise<Known>,
): Promise<Known> {
  const known = runs.get(key);
  if (known !== undefined) return known;
  const reading = read();
  reading.catch(() => runs.delete(key));
  runs.set(key, reading);
  for (const oldest of runs.keys()) {
    if (runs.size <= MAX_KNOWN_RUNS) break;
    runs.delete(oldest);
  }
  return reading;
}
