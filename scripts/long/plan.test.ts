import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Inventory, readInventory } from './inventory.ts';
import { GATE_PROJECTS, planShards } from './plan.ts';
import { selectShards } from './select.ts';
import type { Shard } from './shard.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const inventory = readInventory(ROOT);
const shards = planShards(inventory);
const filesOf = ({ work }: Shard) => (work.type === 'vitest' ? work.files : []);
const NONE: Inventory = { projects: {}, random: [], seeded: [], benches: [], benchGroups: {} };

describe('the shards of this repository', () => {
  it('run every test file that npm test leaves out, once, and in its project', () => {
    const isGate = (project: string) => GATE_PROJECTS.some((one) => one === project);
    const left = Object.entries(inventory.projects).filter(([project]) => !isGate(project));
    const wanted = left.flatMap(([project, files]) => files.map((file) => `${project} ${file}`));
    const run = shards
      .filter(({ kind }) => kind !== 'fuzz' && kind !== 'simulation')
      .flatMap((shard) => filesOf(shard).map((file) => `${shard.kind} ${file}`));
    expect(wanted.length).toBeGreaterThan(100);
    expect(run.toSorted()).toEqual(wanted.toSorted());
  });

  it('run every random test with a hundred times the runs', () => {
    const run = shards.filter(({ kind }) => kind === 'fuzz');
    const random = inventory.random.filter((file) => file.startsWith('src/') || file.startsWith('web/'));
    expect(random.length).toBeGreaterThan(40);
    expect(run.flatMap(filesOf).toSorted()).toEqual(random.toSorted());
    expect(new Set(run.map(({ env }) => env.SLUICE_RANDOM_FACTOR))).toEqual(new Set(['100']));
  });

  it('run every benchmark with a budget, and check it', () => {
    const budgets: Record<string, unknown> = JSON.parse(
      readFileSync(resolve(ROOT, 'bench/budgets.json'), 'utf8'),
    );
    const named = Object.keys(budgets).filter((name) => !name.startsWith('$'));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !inventory.benches.includes(name))).toEqual([]);
    const run = shards.filter(({ kind }) => kind === 'bench');
    for (const { work } of run)
      expect(work).toMatchObject({ type: 'node', args: expect.arrayContaining(['--check']) });
    expect(new Set(run.map(({ name }) => name.split('/')[1]))).toEqual(new Set(inventory.benches));
  });

  it('run every case of the benchmarks that run in parts: each file of cases is one group', () => {
    for (const name of ['behaviours', 'abuse']) {
      const files = globSync(`bench/macro/${name}/cases/*.ts`, { cwd: ROOT });
      expect(files.length).toBeGreaterThan(5);
      expect(new Set(inventory.benchGroups[name]).size).toBe(files.length);
    }
  });

  it('have names of their own, and are the same each time', () => {
    expect(new Set(shards.map(({ name }) => name)).size).toBe(shards.length);
    expect(planShards(readInventory(ROOT))).toEqual(shards);
  });
});

describe('planShards', () => {
  it('puts short files of a folder together, and splits large folders', () => {
    const few = Array.from({ length: 3 }, (_, index) => `src/clips/c${index}.real.test.ts`);
    const many = Array.from({ length: 9 }, (_, index) => `src/store/s${index}.real.test.ts`);
    const planned = planShards({ ...NONE, projects: { real: [...few, ...many] } });
    expect(
      planned.filter(({ kind }) => kind === 'real').map((shard) => [shard.name, filesOf(shard).length]),
    ).toEqual([
      ['real/clips', 3],
      ['real/store.1', 8],
      ['real/store.2', 1],
    ]);
  });

  it('takes random tests of one folder with another factor', () => {
    const random = ['src/rtp/a.test.ts', 'src/rtp/b.test.ts', 'src/rtsp/sdp/c.test.ts', 'test/web/d.test.ts'];
    const given = { ...NONE, projects: { unit: random.slice(0, 3), e2e: random.slice(3) }, random };
    const planned = planShards(given, { fuzzFactor: 10, fuzzFolder: 'src/rtp' });
    const fuzz = planned.filter(({ kind }) => kind === 'fuzz');
    expect(fuzz.map((shard) => [shard.name, filesOf(shard)])).toEqual([
      ['fuzz/src/rtp@10', random.slice(0, 2)],
    ]);
  });

  it('splits the seeds of the simulation into blocks that do not overlap, beyond those of npm test', () => {
    const seeded = ['test/simulation/cluster.test.ts'];
    const planned = planShards({ ...NONE, projects: { simulation: seeded }, seeded });
    const blocks = planned.filter(({ kind }) => kind === 'simulation').map(({ env }) => env);
    const ends = blocks.map((env) => Number(env.SIMULATION_FIRST_SEED) + Number(env.SIMULATION_SEEDS));
    const starts = blocks.map((env) => Number(env.SIMULATION_FIRST_SEED));
    expect(blocks).toHaveLength(4);
    expect(starts.slice(1)).toEqual(ends.slice(0, -1));
    expect(starts[0]).toBeGreaterThan(200);
  });
});

describe('selectShards', () => {
  const all = { only: [], names: [], part: null };

  it('takes shards by kind, by name, by file, and by folder', () => {
    const named = (selection: Partial<Parameters<typeof selectShards>[1]>) =>
      selectShards(shards, { ...all, ...selection }).map(({ name }) => name);
    expect(named({ names: ['e2e/e2e/cli'] })).toEqual(['e2e/e2e/cli']);
    expect(named({ names: ['test/e2e/cli.test.ts'] })).toEqual(['e2e/e2e/cli']);
    expect(named({ names: ['bench/abuse'] }).length).toBeGreaterThan(5);
    expect(named({ only: ['alone'], names: ['test/web/'] })).toContain('alone/web/cluster-drain');
    expect(() => named({ names: ['e2e/e2e/cl'] })).toThrow('No shard is named e2e/e2e/cl or runs it.');
    expect(() => named({ only: ['slow'] })).toThrow('There is no kind slow');
  });

  it('gives each shard to one part', () => {
    const parts = ['1/3', '2/3', '3/3'].flatMap((part) => selectShards(shards, { ...all, part }));
    expect(parts.map(({ name }) => name).toSorted()).toEqual(shards.map(({ name }) => name).toSorted());
    for (const part of ['0/3', '4/3', '3', 'a/b'])
      expect(() => selectShards(shards, { ...all, part })).toThrow('is not a part');
  });
});
