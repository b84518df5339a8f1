/** The test files of each Vitest project, as vitest.config.ts names them, and the other parts of long shards. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import config from '../../vitest.config.ts';

export interface Inventory {
  /** By project: test files from the root of the repository, sorted. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
  /** Test files that take their number of runs from `randomRuns`. */
  readonly random: readonly string[];
  /** Tests of the simulation that take their seeds from SIMULATION_SEEDS. */
  readonly seeded: readonly string[];
  /** Names that bench/run.ts takes. */
  readonly benches: readonly string[];
  /** Groups of the benchmarks that can run in parts. */
  readonly benchGroups: Readonly<Record<string, readonly string[]>>;
}

interface ProjectFiles {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
}

const BENCH = /^ {2}'?([a-z-]+)'?: async \(options\) =>/gm;
const BENCHES_IN_GROUPS = ['behaviours', 'abuse'];
const GROUP = /^const group = '([^']+)'|\bgroup: '([^']+)'/gm;

export function readInventory(root: string): Inventory {
  const projects: Record<string, readonly string[]> = {};
  for (const { name, include, exclude = [] } of projectsOf(config))
    projects[name] = globSync(include, { cwd: root, exclude: [...exclude, '**/node_modules/**'] }).sort();
  const all = [...new Set(Object.values(projects).flat())].sort();
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
  const groups = (folder: string) =>
    globSync(`${folder}/*.ts`, { cwd: root })
      .sort()
      .flatMap((file) => [...textOf(file).matchAll(GROUP)].map(([, name, other]) => (name ?? other)!));
  return {
    projects,
    random: all.filter((file) => textOf(file).includes('randomRuns(')),
    seeded: all.filter(
      (file) => file.startsWith('test/simulation/') && textOf(file).includes('SIMULATION_SEEDS'),
    ),
    benches: [...textOf('bench/run.ts').matchAll(BENCH)].map(([, name]) => name!),
    benchGroups: Object.fromEntries(
      BENCHES_IN_GROUPS.map((name) => [name, groups(`bench/macro/${name}/cases`)]),
    ),
  };
}

/** Fails if the configuration has another shape. */
function projectsOf({
  test,
}: {
  readonly test?: { readonly projects?: readonly unknown[] };
}): ProjectFiles[] {
  return (test?.projects ?? []).map((project) => {
    const { name, include, exclude } = (project as { test: Partial<ProjectFiles> }).test;
    if (name === undefined || include === undefined)
      throw new Error('A Vitest project has no name or files.');
    return { name, include, ...(exclude === undefined ? {} : { exclude }) };
  });
}
