import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { ConfigJobs } from './config-jobs.ts';

let jobs: ConfigJobs;
let clock: FakeClock;
let folder: string;

beforeEach(() => {
  clock = new FakeClock();
  jobs = new ConfigJobs(clock);
  folder = mkdtempSync(join(tmpdir(), 'sluice-jobs-'));
});

afterEach(async () => {
  await jobs.close();
  rmSync(folder, { recursive: true });
});

describe('ConfigJobs', () => {
  it('checks a text with the environment of the gateway', async () => {
    const env = { SLUICE_HLS_WINDOW: '6s' };
    expect(await jobs.run({ kind: 'check-text', text: 'hls: { segmentTarget: 2s }', env })).toEqual({
      findings: [],
      count: 0,
    });
    const { findings } = await jobs.run({ kind: 'check-text', text: 'hls: { segmentTarget: 3s }', env });
    expect(findings).toEqual([expect.objectContaining({ path: 'hls.window' })]);
  });

  it('checks a file as it is now', async () => {
    const file = join(folder, 'sluice.yaml');
    writeFileSync(file, 'demo: perhaps\n');
    const { findings } = await jobs.run({ kind: 'check-file', file, env: {} });
    expect(findings).toEqual([expect.objectContaining({ path: 'demo', line: 1 })]);
    writeFileSync(file, 'demo: true\n');
    expect((await jobs.run({ kind: 'check-file', file, env: {} })).count).toBe(0);
    rmSync(file);
    expect((await jobs.run({ kind: 'check-file', file, env: {} })).count).toBe(1);
    expect((await jobs.run({ kind: 'check-file', file: null, env: {} })).count).toBe(0);
  });

  it('loads the file of the start again, or says what is wrong with it', async () => {
    const file = join(folder, 'sluice.yaml');
    writeFileSync(file, 'redis: "redis://u:p%40ss@127.0.0.1/"\n');
    const { config, source } = await jobs.load(file, { SLUICE_LOG_LEVEL: 'warn' });
    expect([config.redis?.reveal(), config.log.level]).toEqual(['redis://u:p%40ss@127.0.0.1/', 'warn']);
    expect(source).toEqual({ file, text: 'redis: "redis://u:p%40ss@127.0.0.1/"\n' });
    writeFileSync(file, 'demo: perhaps\n');
    await expect(jobs.load(file, {})).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [{ source: `${file}:1:7`, key: 'demo' }],
    });
  });

  it('describes a configuration', async () => {
    const source = { file: 'sluice.yaml', text: 'demo: true\n' };
    const query = { list: null, offset: 0, limit: 0 };
    const { settings } = await jobs.run({
      kind: 'describe',
      texts: { started: source, loaded: source },
      env: {},
      query,
    });
    expect(settings.find(({ path }) => path === 'demo')).toMatchObject({ value: 'true' });
  });

  it('ends what takes too long, and goes on', async () => {
    const slow = jobs.run({ kind: 'check-text', text: 'demo: true', env: {} });
    clock.advance(15_000);
    await expect(slow).rejects.toMatchObject({ code: 'CONFIG_CHECK_FAILED' });
    expect((await jobs.run({ kind: 'check-text', text: '', env: {} })).count).toBe(0);
  });

  it('refuses more than can wait', async () => {
    const check = () => jobs.run({ kind: 'check-text', text: '', env: {} });
    const requested = Array.from({ length: 9 }, check);
    await expect(check()).rejects.toMatchObject({ code: 'CONFIG_CHECK_BUSY' });
    await Promise.all(requested);
  });
});
