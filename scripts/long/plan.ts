/** Splits everything that `npm test` leaves out into shards. The same repository gives the same list. */

import type { Inventory } from './inventory.ts';
import { KINDS, type Kind, type Shard, type Work } from './shard.ts';

/** `npm test` runs these. */
export const GATE_PROJECTS = ['unit', 'unit-web', 'contracts', 'gate', 'simulation'] as const;
/** Times the runs of `npm test`. */
export const FUZZ_FACTOR = 100;
/** Whole gateways refuse variables that they do not know, so only tests next to their file run random tests at length. */
const FUZZED = /^(?:src|web\/console)\//;
/** `npm test` runs the seeds from 1 to 200. */
const SIMULATION = { blocks: 4, seeds: 1_000, firstSeed: 1_001 } as const;
/** The 10,000 random requests of `npm run fuzz` in four parts, and what its document names. */
const SCHEMATHESIS: Readonly<Record<string, readonly string[]>> = {
  coverage: ['--phases', 'examples,coverage', '--cases', '1'],
  ...Object.fromEntries(
    [1, 2, 3, 4].map((seed) => [
      `fuzzing-${seed}`,
      ['--phases', 'fuzzing', '--cases', '2500', '--seed', String(seed)],
    ]),
  ),
};
const MAX_FILES = 8;
const LIMIT_MINUTES = { test: 30, long: 120 } as const;
/** Setup file of the project `postgres`. */
const POSTGRES_SETUP = 'test/support/postgres-for-unit-tests.ts';

export interface PlanOptions {
  readonly fuzzFactor?: number;
  /** Only random tests whose path starts with this. */
  readonly fuzzFolder?: string | null;
}

export function planShards(inventory: Inventory, options: PlanOptions = {}): Shard[] {
  const { projects } = inventory;
  const shards = [
    ...groupedShards('real', projects.real ?? []),
    ...groupedShards('postgres', projects.postgres ?? [], [POSTGRES_SETUP]),
    ...(['e2e', 'alone'] as const).flatMap((kind) => singleShards(kind, projects[kind] ?? [])),
    ...fuzzShards(inventory, options),
    ...simulationShards(inventory),
    ...Object.entries(SCHEMATHESIS).map(schemathesisShard),
    ...benchShards(inventory),
  ];
  return shards.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
}

/** Short files: some of one folder to a shard. */
function groupedShards(kind: 'real' | 'postgres', files: readonly string[], setup: string[] = []): Shard[] {
  return [...Map.groupBy(files, topFolder)].flatMap(([folder, own]) => {
    const parts = Array.from({ length: Math.ceil(own.length / MAX_FILES) }, (_, index) =>
      own.slice(index * MAX_FILES, (index + 1) * MAX_FILES),
    );
    return parts.map((part, index) => {
      const name = `${kind}/${folder}${parts.length === 1 ? '' : `.${index + 1}`}`;
      return testShard(kind, name, part, { setup });
    });
  });
}

/** Files that each take their time. */
function singleShards(kind: 'e2e' | 'alone', files: readonly string[]): Shard[] {
  return files.map((file) =>
    testShard(kind, `${kind}/${file.replace(/^test\//, '').replace(/\.test\.ts$/, '')}`, [file], {
      env: { TEST_LONG_RUN: '1' },
      isExclusive: kind === 'alone',
    }),
  );
}

interface TestShardOptions {
  readonly project?: string;
  readonly args?: readonly string[];
  readonly env?: Shard['env'];
  readonly setup?: readonly string[];
  readonly isExclusive?: boolean;
  readonly limitMinutes?: number;
}

function testShard(kind: Kind, name: string, files: readonly string[], options: TestShardOptions): Shard {
  const { project = kind, args = [], env = {}, setup = [], isExclusive = false } = options;
  const work: Work = { type: 'vitest', project, files, args };
  const { limitMinutes = LIMIT_MINUTES.test } = options;
  return { name, kind, work, env, entries: [...files, ...setup], isExclusive, limitMinutes };
}

/** Random tests with many times the runs of `npm test`, without limits on a test's time. */
function fuzzShards({ projects, random }: Inventory, options: PlanOptions): Shard[] {
  const { fuzzFactor = FUZZ_FACTOR, fuzzFolder = null } = options;
  const files = random.filter((file) => FUZZED.test(file) && file.startsWith(fuzzFolder ?? ''));
  const named = ['unit', 'unit-web', 'contracts', 'real'].map(
    (project) => [project, files.filter((file) => projects[project]?.includes(file))] as const,
  );
  const suffix = fuzzFactor === FUZZ_FACTOR ? '' : `@${fuzzFactor}`;
  return named.flatMap(([project, own]) =>
    [...Map.groupBy(own, (file) => fuzzFolder ?? folderOf(file))].map(([folder, group]) => {
      const part = project === 'unit' ? '' : `.${project}`;
      return testShard('fuzz', `fuzz/${folder.replace(/\/$/, '')}${part}${suffix}`, group, {
        project,
        args: ['--testTimeout', '0', '--hookTimeout', '0'],
        env: { SLUICE_RANDOM_FACTOR: String(fuzzFactor) },
        limitMinutes: LIMIT_MINUTES.long,
      });
    }),
  );
}

function simulationShards({ seeded }: Inventory): Shard[] {
  if (seeded.length === 0) return [];
  return Array.from({ length: SIMULATION.blocks }, (_, index) => {
    const first = SIMULATION.firstSeed + index * SIMULATION.seeds;
    const last = first + SIMULATION.seeds - 1;
    return testShard('simulation', `simulation/seeds-${first}-${last}`, seeded, {
      args: ['--testTimeout', '0', '--hookTimeout', '0'],
      env: { SIMULATION_FIRST_SEED: String(first), SIMULATION_SEEDS: String(SIMULATION.seeds) },
      limitMinutes: LIMIT_MINUTES.long,
    });
  });
}

function schemathesisShard([part, args]: readonly [string, readonly string[]]): Shard {
  const program = 'test/schemathesis/run.ts';
  return {
    name: `schemathesis/${part}`,
    kind: 'schemathesis',
    env: {},
    isExclusive: false,
    work: { type: 'node', args: [program, ...args] },
    entries: [program],
    limitMinutes: LIMIT_MINUTES.long,
  };
}

/** All benchmarks, at full length and with their budgets. Those of many cases have a shard for each group. */
function benchShards({ benches, benchGroups }: Inventory): Shard[] {
  return benches.flatMap((name) => {
    const shard: Omit<Shard, 'name' | 'env'> = {
      kind: 'bench',
      work: { type: 'node', args: ['bench/run.ts', name, '--check'] },
      entries: [`bench/macro/${name}.ts`],
      isExclusive: true,
      limitMinutes: LIMIT_MINUTES.long,
    };
    const groups = benchGroups[name];
    if (groups === undefined) return [{ ...shard, name: `bench/${name}`, env: {} }];
    // Titles of cases begin with their group.
    return groups.map((group) => ({
      ...shard,
      name: `bench/${name}/${group}`,
      env: { BENCH_CASES: `^${group}: ` },
    }));
  });
}

/** `src/rtp` of `src/rtp/h264/h264-depacketizer.test.ts`. */
function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/** `rtp` of `src/rtp/h264/h264-depacketizer.test.ts`. */
function topFolder(file: string): string {
  return file.split('/')[1]!;
}
