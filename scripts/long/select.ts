/** Which of the shards an invocation of `npm run long` is about. */

import { KINDS, type Kind, type Shard } from './shard.ts';

export interface Selection {
  /** Kinds of `--only`; all if empty. */
  readonly only: readonly string[];
  /** Names of `--shard`, or paths of test files; all if empty. */
  readonly names: readonly string[];
  /** `--part 2/8`: every eighth shard, from the second on. Null for all. */
  readonly part: string | null;
}

/** Throws with a sentence for people if a kind, a name or a part does not exist. */
export function selectShards(shards: readonly Shard[], { only, names, part }: Selection): Shard[] {
  for (const kind of only)
    if (!KINDS.includes(kind as Kind))
      throw new Error(`There is no kind ${kind}; there are ${KINDS.join(', ')}.`);
  for (const name of names)
    if (!shards.some((shard) => isNamed(shard, name)))
      throw new Error(`No shard is named ${name} or runs it.`);
  const chosen = shards.filter(
    (shard) =>
      (only.length === 0 || only.includes(shard.kind)) &&
      (names.length === 0 || names.some((name) => isNamed(shard, name))),
  );
  if (part === null) return chosen;
  const [, index, count] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(part) ?? [];
  if (index === undefined || Number(index) > Number(count))
    throw new Error(`${part} is not a part such as 2/8.`);
  return chosen.filter((_, position) => position % Number(count) === Number(index) - 1);
}

/** By its own name, by a folder of names, or by a test file or folder of files that it runs. */
function isNamed({ name, entries }: Shard, text: string): boolean {
  const folder = text.endsWith('/') ? text : `${text}/`;
  return [name, ...entries].some((one) => one === text || one.startsWith(folder));
}
