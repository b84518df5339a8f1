import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longOptions } from './options.ts';
import { Results } from './results.ts';
import type { ShardResult } from './shard.ts';
import { Turns } from './turns.ts';

describe('longOptions', () => {
  it('runs everything, two shards at a time', () => {
    expect(longOptions([])).toMatchObject({ mode: 'run', names: [], only: [], jobs: 2, changed: null });
  });

  it.each([
    [['--changed'], { changed: { since: null } }],
    [['--changed=abc', '--list'], { mode: 'list', changed: { since: 'abc' } }],
    [['--fuzz', '10', 'src/rtp'], { only: ['fuzz'], names: [], fuzz: { factor: 10, folder: 'src/rtp' } }],
    [
      ['--stress', '5', 'src/rtp'],
      { mode: 'repeat', repeat: { times: 5, isStress: true, set: ['src/rtp'] } },
    ],
    [['--repeat', '50'], { mode: 'repeat', repeat: { times: 50, isStress: false, set: [] } }],
    [['--shard', 'a', 'test/e2e/cli.test.ts'], { names: ['a', 'test/e2e/cli.test.ts'] }],
    [['--background', '--only', 'e2e', '--again'], { mode: 'background', only: ['e2e'], isAgain: true }],
  ])('takes %j', (args, expected) => {
    expect(longOptions(args)).toMatchObject(expected);
  });

  it.each([
    [['--jobs', '0']],
    [['--stress', 'x']],
    [['--stress', '1', '--list']],
    [['--stress', '1', '--repeat', '1']],
    [['--fuzz', '10', 'src/rtp', 'src/rtsp/sdp']],
    [['--unknown']],
  ])('refuses %j', (args) => {
    expect(() => longOptions(args)).toThrow(/\w+/);
  });
});

describe('Results', () => {
  let folder: string;
  let results: Results;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-long-'));
    results = new Results(folder, 'abc');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const RESULT = { shard: 'e2e/web/page', kind: 'e2e', status: 'passed' } as unknown as ShardResult;

  it('stores a result by tree and shard', () => {
    expect(results.read('e2e/web/page')).toBeNull();
    results.write(RESULT);
    expect(results.read('e2e/web/page')).toEqual(RESULT);
    expect(existsSync(join(folder, 'abc/e2e/web/page.json'))).toBe(true);
    expect(new Results(folder, 'abd').read('e2e/web/page')).toBeNull();
    results.remove('e2e/web/page');
    expect(results.read('e2e/web/page')).toBeNull();
  });

  it('gives a shard to one process, and takes it from one that was killed', () => {
    const other = process.pid + 1;
    expect(results.claim('a')).toBe(true);
    results.handOver('a', other);
    expect(results.claim('a', (pid) => pid === other)).toBe(false);
    expect(results.claim('a', () => false)).toBe(true);
    results.release('a');
    results.release('a');
    results.handOver('a', process.pid);
    expect(results.claim('a')).toBe(true);
  });
});

it('runs tasks side by side, and exclusive ones alone, in order', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string, isExclusive: boolean) =>
    turns.run(isExclusive, async () => {
      log.push(name);
      await new Promise<void>((end) => ends.set(name, end));
    });
  const settle = () => new Promise((done) => setImmediate(done));
  const all = [task('a', false), task('b', false), task('alone', true), task('c', false)];
  await settle();
  expect(log).toEqual(['a', 'b']);
  ends.get('a')!();
  await settle();
  expect(log).toEqual(['a', 'b']);
  ends.get('b')!();
  await settle();
  expect(log).toEqual(['a', 'b', 'alone']);
  ends.get('alone')!();
  await settle();
  expect(log).toEqual(['a', 'b', 'alone', 'c']);
  ends.get('c')!();
  await Promise.all(all);
});
