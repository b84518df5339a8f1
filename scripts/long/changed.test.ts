import { describe, expect, it } from 'vitest';
import { reachedShards } from './changed.ts';
import { importGraph } from './import-graph.ts';
import type { Kind, Shard } from './shard.ts';

const FILES: Readonly<Record<string, string>> = {
  'src/app/main.ts': "const load = async () => import('./serve.ts');",
  'src/app/serve.ts': "import { b } from '../core/b.ts';\nnew URL('./worker.ts', import.meta.url);",
  'src/app/worker.ts': "import type { C } from '../core/c.ts';",
  'src/core/b.ts': '// nothing',
  'src/core/c.ts': '// nothing',
  'src/ffmpeg/jail.ts': '// native',
  'src/front-door/page/web-assets.ts': '// web',
  'src/rtp/a.test.ts': "import {\n  a,\n} from './a.ts';",
  'src/rtp/a.ts': "readFileSync('fixtures/one.bin')",
  'src/rtp/fixtures/one.bin': '',
  'test/support/gateway.ts': "const MAIN = resolve(import.meta.dirname, '../../src/app/main.ts');",
  'test/e2e/cli.test.ts': "import { TestGateway } from '../support/gateway.ts';",
  'test/web/page.test.ts': "const FOLDER = new URL('../../web/', import.meta.url);",
  'web/share.ts': '// page',
  'web/share.test.ts': "import '../src/rtp/a.ts';",
  'web/tsconfig.json': '{ "include": ["./share.ts", "../src/core/b.ts"] }',
  'test/web/files.test.ts': '`../data/$' + '{name}.json`',
  'test/data/x.json': '{}',
  'bench/macro/reports.ts': '// bench',
  'docs/guide/cdn.md': "'src/core/b.ts'",
  'package-lock.json': '{}',
  'native/sluice-jail.c': '// C',
  'strange.conf': 'unknown',
};
const inputs = { files: Object.keys(FILES), textOf: (file: string) => FILES[file]! };
const graph = importGraph({ ...inputs, withTypes: false });

const shard = (name: string, kind: Kind, ...entries: string[]): Shard => ({
  name,
  kind,
  entries,
  env: {},
  isExclusive: false,
  limitMinutes: 1,
  work: { type: 'vitest', project: kind, files: entries, args: [] },
});
const SHARDS = [
  shard('cli', 'e2e', 'test/e2e/cli.test.ts'),
  shard('page', 'e2e', 'test/web/page.test.ts'),
  shard('files', 'e2e', 'test/web/files.test.ts'),
  shard('rtp', 'fuzz', 'src/rtp/a.test.ts'),
  shard('reports', 'bench', 'bench/macro/reports.ts'),
];
const KNOWN = importGraph({ ...inputs, withTypes: true }).reach([
  'src/app/main.ts',
  ...SHARDS.flatMap(({ entries }) => entries),
]);
const reachedBy = (...changed: string[]) =>
  reachedShards(changed, SHARDS, graph, KNOWN).shards.map(({ name }) => name);
const ALL = SHARDS.map(({ name }) => name);

describe('importGraph', () => {
  it('follows imports over lines, dynamic ones, modules of threads, and paths of programs that tests start', () => {
    expect(graph.reach(['test/e2e/cli.test.ts'])).toEqual(
      new Set([
        'test/e2e/cli.test.ts',
        'test/support/gateway.ts',
        'src/app/main.ts',
        'src/app/serve.ts',
        'src/app/worker.ts',
        'src/core/b.ts',
      ]),
    );
    expect([...graph.reach(['src/rtp/a.test.ts'])]).toContain('src/rtp/fixtures/one.bin');
  });

  it('follows no imports of types, and nothing that documents and settings name', () => {
    expect(graph.reach(['src/app/worker.ts'])).toEqual(new Set(['src/app/worker.ts']));
    expect(graph.reach(['docs/guide/cdn.md'])).toEqual(new Set(['docs/guide/cdn.md']));
  });

  it('takes all files of a folder that is named, also at the beginning of a template', () => {
    expect(graph.reach(['test/web/page.test.ts'])).toEqual(
      new Set(['test/web/page.test.ts', 'web/share.ts', 'web/tsconfig.json']),
    );
    expect([...graph.reach(['test/web/files.test.ts'])]).toContain('test/data/x.json');
  });
});

describe('a change reaches', () => {
  it.each([
    ['shards whose tests import it', 'src/rtp/a.ts', ['rtp']],
    ['shards whose tests start the gateway', 'src/core/b.ts', ['cli']],
    ['a shard by its own test', 'test/web/page.test.ts', ['page']],
    ['no shard if only types of it are imported', 'src/core/c.ts', []],
    ['no shard by a unit test', 'src/core/new.test.ts', []],
    ['no shard by a document', 'docs/guide/cdn.md', []],
    ['no shard by the bill of materials', 'sbom.cdx.json', []],
    ['all benchmarks by their budgets', 'bench/budgets.json', ['reports']],
    ['everything by the packages', 'package-lock.json', ALL],
    ['everything by a file that nothing is known about', 'strange.conf', ALL],
    ['everything by a file that was removed and is not covered by a rule', 'src/gone.ts', ALL],
  ])('%s', (_, file, expected) => {
    expect(reachedBy(file)).toEqual(expected);
  });

  it('what the rule for its folder names', () => {
    const withJail = [...SHARDS, shard('jail', 'real', 'src/ffmpeg/jail.ts')];
    const { shards } = reachedShards(['native/sluice-jail.c'], withJail, graph, KNOWN);
    expect(shards.map(({ name }) => name)).toEqual(['jail']);
    const withUpgrade = [...SHARDS, shard('upgrade', 'e2e', 'test/e2e/upgrade.test.ts')];
    const build = 'test/fixtures/earlier-builds/0.1.0/data.tar.gz';
    expect(reachedShards([build], withUpgrade, graph, KNOWN).shards.map(({ name }) => name)).toEqual([
      'upgrade',
    ]);
    expect(reachedBy('web/share.ts')).toEqual(['page']);
  });

  it('each shard once, and names what decides about everything', () => {
    expect(reachedBy('src/rtp/a.ts', 'src/core/b.ts')).toEqual(['cli', 'rtp']);
    expect(reachedShards(['src/rtp/a.ts', 'strange.conf'], SHARDS, graph, KNOWN).everythingBy).toEqual([
      'strange.conf',
    ]);
  });
});
