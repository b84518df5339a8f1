/** Which shards a change reaches. */

import { matchesGlob } from 'node:path';
import type { ImportGraph } from './import-graph.ts';
import type { Kind, Shard } from './shard.ts';

/**
 * Shards for files that imports do not reach. `everything`: all shards. `like`: those that these files reach. `kinds`: all
 * shards of these kinds. `nothing`: no shard, except those whose files name it.
 */
type Reach =
  | 'everything'
  | 'nothing'
  | { readonly like: readonly string[] }
  | { readonly kinds: readonly Kind[] };

/** The first that fits decides, in addition to the import graph. */
const RULES: readonly { readonly globs: readonly string[]; readonly reach: Reach }[] = [
  {
    globs: ['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts', 'scripts/setup.mjs'],
    reach: 'everything',
  },
  // Compiled, and started from native/build.
  { globs: ['native/**'], reach: { like: ['src/ffmpeg/jail.ts', 'src/ffmpeg/sound-server.ts'] } },
  // Read as whole folders.
  { globs: ['web/console/**'], reach: { like: ['src/console/console-bundle.ts'] } },
  { globs: ['web/verify/**'], reach: { like: ['src/evidence/verify-page.ts'] } },
  { globs: ['web/**'], reach: { like: ['src/front-door/page/web-assets.ts'] } },
  { globs: ['bench/run.ts', 'bench/budgets.json', 'bench/report.ts'], reach: { kinds: ['bench'] } },
  { globs: ['test/schemathesis/**'], reach: { like: ['test/support/schemathesis.ts'] } },
  { globs: ['test/scim2-tester/**'], reach: { like: ['test/support/scim-tester.ts'] } },
  { globs: ['test/{acme,s3,ffmpeg}/**'], reach: { like: ['scripts/api-tools.mjs'] } },
  // Run in a clone, and unpacked by name.
  { globs: ['scripts/release/**'], reach: { like: ['test/e2e/release.test.ts'] } },
  { globs: ['test/fixtures/earlier-builds/**'], reach: { like: ['test/e2e/upgrade.test.ts'] } },
  // Their own tests, and checks of `npm test`, hold these.
  {
    globs: [
      'docs/**',
      '*.md',
      'scripts/**',
      'deploy/**',
      'sbom.cdx.json',
      'THIRD-PARTY-NOTICES.txt',
      'test/fixtures/cyclonedx/**',
      'test/structure/**',
      'test/openapi-lint/**',
      '.github/**',
      '.ci/**',
      'Dockerfile',
      '.dockerignore',
      '.gitignore',
      '.editorconfig',
      'biome.json',
      '**/*.test.ts',
      '**/tsconfig.json',
      'test/gate/**',
    ],
    reach: 'nothing',
  },
];

export interface Reached {
  readonly shards: readonly Shard[];
  /** Changed files that decide about all shards, because a rule says so or because nothing is known about them. */
  readonly everythingBy: readonly string[];
}

/**
 * The shards that a change of `changed` reaches. `known`: all files that any program or test imports, if only for types. A file that
 * is not among them, and that no rule names, reaches every shard.
 */
export function reachedShards(
  changed: readonly string[],
  shards: readonly Shard[],
  graph: ImportGraph,
  known: ReadonlySet<string>,
): Reached {
  const wanted = new Set<string>();
  const kinds = new Set<Kind>();
  const everythingBy: string[] = [];
  for (const file of changed) {
    wanted.add(file);
    const reach = RULES.find(({ globs }) => globs.some((glob) => matchesGlob(file, glob)))?.reach;
    if (reach === 'everything' || (reach === undefined && !known.has(file))) everythingBy.push(file);
    else if (typeof reach === 'object' && 'like' in reach) for (const like of reach.like) wanted.add(like);
    else if (typeof reach === 'object') for (const kind of reach.kinds) kinds.add(kind);
  }
  if (everythingBy.length > 0) return { shards, everythingBy };
  const isReached = ({ kind, entries }: Shard) =>
    kinds.has(kind) || !wanted.isDisjointFrom(graph.reach(entries));
  return { shards: shards.filter(isReached), everythingBy };
}
