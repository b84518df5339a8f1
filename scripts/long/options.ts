/** The command line of `npm run long`. */

import { parseArgs } from 'node:util';
import { FUZZ_FACTOR } from './plan.ts';

export const USAGE = `npm run long -- [what] [how]

Runs what npm test leaves out, in shards. Results are stored by commit and shard under .cache/long: a shard that has a result of
this commit does not run again. Exit code 0: all passed. 1: something failed or did not run. 2: flakes only.

what
  PATH…            shards that run these test files or folders; names of shards
  --only KIND      shards of a kind (again for more)
  --shard NAME     one shard (again for more)
  --changed        shards that the changes since the branch left main reach; --changed=COMMIT: since a commit
  --part 2/8       every eighth shard, from the second on
  --fuzz N [PATH]  only random tests, N times the runs of npm test, of one folder. SLUICE_RANDOM_SEED repeats a run
how
  --list           print the shards and run none
  --table          print the table of stored results and run none
  --again          run shards that have a result, too
  --jobs N         shards at the same time (2); some always run alone
  --background     start the next shard without a result, at low priority, and return
  --stress N       run a set N times next to four busy loops: projects and files of npm test (all of it), no shards
  --repeat N       the same without busy loops
`;

export interface LongOptions {
  readonly mode: 'run' | 'list' | 'table' | 'background' | 'repeat';
  readonly only: readonly string[];
  readonly names: readonly string[];
  readonly part: string | null;
  /** `since` is null for the commit in which the branch left main; null altogether for all shards. */
  readonly changed: { readonly since: string | null } | null;
  readonly fuzz: { readonly factor: number; readonly folder: string | null } | null;
  readonly isAgain: boolean;
  readonly jobs: number;
  /** 0 to 19. */
  readonly niceness: number;
  /** Options of `--stress` and `--repeat`. */
  readonly repeat: {
    readonly times: number;
    readonly isStress: boolean;
    readonly set: readonly string[];
  } | null;
}

/** Throws with a sentence for people. */
export function longOptions(args: readonly string[]): LongOptions {
  const { values, positionals } = parseArgs({
    // An option whose value can be left out.
    args: args.map((arg) => arg.replace(/^--changed=/, '--since=')),
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      shard: { type: 'string', multiple: true, default: [] },
      part: { type: 'string' },
      changed: { type: 'boolean', default: false },
      since: { type: 'string' },
      fuzz: { type: 'string' },
      list: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '2' },
      background: { type: 'boolean', default: false },
      stress: { type: 'string' },
      repeat: { type: 'string' },
      nice: { type: 'string', default: '0' },
    },
  });
  const modes = (['list', 'table', 'background'] as const).filter((mode) => values[mode]);
  const times = values.stress ?? values.repeat;
  const isRepeat = times !== undefined;
  if (modes.length + (isRepeat ? 1 : 0) > 1 || (values.stress !== undefined && values.repeat !== undefined))
    throw new Error('Give one of --list, --table, --background, --stress and --repeat.');
  const [folder = null, ...others] = positionals;
  const isFuzz = values.fuzz !== undefined;
  if (isFuzz && others.length > 0) throw new Error('--fuzz takes one folder.');
  const fuzz = isFuzz ? { factor: positive('--fuzz', values.fuzz!), folder } : null;
  const repeat = { times: 0, isStress: values.stress !== undefined, set: positionals };
  const isChanged = values.changed || values.since !== undefined;
  return {
    mode: isRepeat ? 'repeat' : (modes[0] ?? 'run'),
    only: isFuzz ? ['fuzz'] : values.only,
    names: isFuzz || isRepeat ? values.shard : [...values.shard, ...positionals],
    part: values.part ?? null,
    changed: isChanged ? { since: values.since ?? null } : null,
    fuzz,
    isAgain: values.again,
    jobs: positive('--jobs', values.jobs),
    niceness: Number(values.nice),
    repeat: isRepeat ? { ...repeat, times: positive('the number of runs', times) } : null,
  };
}

/** The default of `--fuzz`. */
export function fuzzFactorOf({ fuzz }: LongOptions): number {
  return fuzz?.factor ?? FUZZ_FACTOR;
}

function positive(what: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new Error(`${what} must be a positive integer, not ${text}.`);
  return value;
}
