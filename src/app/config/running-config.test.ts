import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { STORE_ERRORS } from '../../store/errors.ts';
import type { ApplySummary } from './apply-config.ts';
import { type LoadedConfig, parseConfig } from './load-config.ts';
import { RunningConfig } from './running-config.ts';
import type { Config } from './schema.ts';

const NONE = { created: 0, updated: 0, unchanged: 0, removed: 0 };
const SUMMARY: ApplySummary = { locations: NONE, nvrs: NONE, cameras: { ...NONE, created: 1 } };
const FILE = 'sluice.yaml';

function load(text: string): LoadedConfig {
  return { config: parseConfig(text, FILE, {}), source: { file: FILE, text } };
}

/** A gateway that was started with `text`; what `file` has at a reload is read then. */
function started(text: string) {
  const file = { text };
  const { config, source } = load(text);
  const running = new RunningConfig(config, { source, reread: async () => load(file.text) });
  const applied: Config[] = [];
  const apply = async (to: Config): Promise<ApplySummary> => {
    applied.push(to);
    return SUMMARY;
  };
  return { file, running, applied, apply };
}

describe('RunningConfig', () => {
  it('applies what can change and names what cannot', async () => {
    const { file, running, applied, apply } = started('log: { level: info }\nhls: { window: 16s }\n');
    file.text = 'log: { level: debug }\nhls: { window: 30s }\nretention: { audit: 10d }\n';
    expect(await running.reload(apply)).toEqual({
      records: SUMMARY,
      applied: ['retention.audit', 'log.level'],
      needsRestart: ['hls.window'],
    });
    expect(applied).toHaveLength(1);
    expect(running.newest.log.level).toBe('debug');
    expect(running.texts.started.text).toContain('16s');
    expect(running.texts.loaded.text).toBe(file.text);
  });

  it('goes on naming what needs a restart, but not what is already in effect', async () => {
    const { file, running, apply } = started('');
    file.text = 'log: { level: debug }\nhls: { window: 30s }\n';
    await running.reload(apply);
    expect(await running.reload(apply)).toMatchObject({ applied: [], needsRestart: ['hls.window'] });
    file.text = '';
    expect(await running.reload(apply)).toMatchObject({ applied: ['log.level'], needsRestart: [] });
  });

  it('changes nothing if anything in the file is invalid, and says what', async () => {
    const { file, running, applied, apply } = started('log: { level: info }\n');
    const before = running.newest;
    file.text = 'log: { level: debug }\ncameras: [{ name: Lobby }]\nhls: { window: 1s }\n';
    const failure: unknown = await running.reload(apply).catch((error) => error);
    expect(failure).toMatchObject({ code: 'CONFIG_RELOAD_REFUSED', kind: 'invalid-input' });
    expect((failure as GatewayError).context.problems).toMatch(
      /^sluice\.yaml:3:16: hls\.window: expected .*; sluice\.yaml:2:\d+: cameras\[0\]: needs rtsp/,
    );
    expect(applied).toEqual([]);
    expect(running.newest).toBe(before);
  });

  it('stays what it was if the store fails, and can be reloaded again', async () => {
    const { file, running, apply } = started('');
    const before = running.newest;
    file.text = 'log: { level: debug }\n';
    const failing = () => Promise.reject(new GatewayError(STORE_ERRORS.STORE_BUSY));
    await expect(running.reload(failing)).rejects.toMatchObject({
      code: 'CONFIG_RELOAD_FAILED',
      context: { reason: 'STORE_BUSY' },
    });
    expect(running.newest).toBe(before);
    expect(await running.reload(apply)).toMatchObject({ applied: ['log.level'] });
  });

  it('runs one reload at a time, and one after it for all who asked meanwhile, which sees the newest file', async () => {
    const { file, running, applied, apply } = started('');
    let isFirstOver = false;
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const first = running.reload(async (config) => {
      begin();
      await held;
      isFirstOver = true;
      return apply(config);
    });
    await begun;
    const later = [running.reload(apply), running.reload(apply)];
    file.text = 'log: { level: debug }\n';
    expect([isFirstOver, applied]).toEqual([false, []]);
    release();
    expect(await first).toMatchObject({ applied: [] });
    expect(await Promise.all(later)).toMatchObject([{ applied: ['log.level'] }, { applied: ['log.level'] }]);
    expect(applied).toHaveLength(2);
  });

  it('has nothing to reload without a file', async () => {
    const running = new RunningConfig(parseConfig('', FILE, {}), null);
    await expect(running.reload(async () => SUMMARY)).rejects.toMatchObject({ code: 'CONFIG_WITHOUT_FILE' });
  });
});
