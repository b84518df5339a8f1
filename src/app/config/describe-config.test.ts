import { describe, expect, it } from 'vitest';
import type { EffectiveSetting } from '../../system/config-view.ts';
import { RELOADABLE_SETTINGS } from './changed-settings.ts';
import { describeConfig } from './describe-config.ts';
import type { Environment } from './environment.ts';
import { SECRET_YAML, SECRETS, SHOWN_BUCKET, secretsIn } from './secret-config-fixture.ts';

const FILE = '/etc/sluice.yaml';
const SINGLE = { list: null, offset: 0, limit: 0 } as const;

function settingsOf(
  started: string,
  { loaded = started, env = {}, query = SINGLE as Parameters<typeof describeConfig>[2] } = {},
  environment: Environment = env,
) {
  const texts = { started: { file: FILE, text: started }, loaded: { file: FILE, text: loaded } };
  return describeConfig(texts, environment, query);
}

function settingAt(settings: readonly EffectiveSetting[], path: string): EffectiveSetting {
  const found = settings.find((setting) => setting.path === path);
  if (found === undefined) throw new Error(`no setting ${path}`);
  return found;
}

describe('describeConfig', () => {
  it('says of every setting what it is and where it came from', () => {
    const env = { SLUICE_HLS_WINDOW: '20s' };
    const { settings, file, records } = settingsOf('log:\n  level: debug\ncors: [https://a.example]\n', {
      env,
    });
    expect([file, records]).toEqual([FILE, { locations: 0, nvrs: 0, cameras: 0 }]);
    expect(settings.length).toBeGreaterThan(60);
    expect(settingAt(settings, 'log.level')).toEqual({
      path: 'log.level',
      value: 'debug',
      isSecret: false,
      isSet: true,
      expected: 'one of debug, info, warn, error, silent',
      choices: ['debug', 'info', 'warn', 'error', 'silent'],
      meaning: 'The lowest severity that is logged.',
      defaultValue: 'info',
      whenAbsent: null,
      source: { kind: 'file', file: FILE, line: 2 },
      appliesOn: 'reload',
      isPending: false,
      nextValue: null,
      isInConsole: false,
      consoleValue: null,
      lock: null,
      isOfNode: false,
    });
    expect(settingAt(settings, 'hls.window')).toMatchObject({
      value: '20s',
      source: { kind: 'environment', variable: 'SLUICE_HLS_WINDOW' },
      appliesOn: 'restart',
    });
    expect(settingAt(settings, 'hls.segmentTarget')).toMatchObject({
      value: '2s',
      source: { kind: 'default' },
    });
    expect(settingAt(settings, 'cors')).toMatchObject({ value: 'https://a.example', source: { line: 3 } });
    expect(settingAt(settings, 'redis')).toMatchObject({ value: null, isSecret: true, isSet: false });
    expect(settingAt(settings, 'recording.folder')).toMatchObject({ value: null, isSet: false });
  });

  it('shows what a reload brought, and what waits for a restart', () => {
    const started = 'log: { level: info }\nhls: { window: 16s }\n';
    const loaded = 'log: { level: warn }\nhls: { window: 30s }\n';
    const { settings } = settingsOf(started, { loaded });
    expect(settingAt(settings, 'log.level')).toMatchObject({ value: 'warn', isPending: false });
    expect(settingAt(settings, 'hls.window')).toMatchObject({ value: '16s', isPending: true });
    expect(settings.filter(({ isPending }) => isPending)).toHaveLength(1);
  });

  it('has every setting that a reload applies', () => {
    const { settings } = settingsOf('');
    const reloadable = settings.filter(({ appliesOn }) => appliesOn === 'reload').map(({ path }) => path);
    expect(new Set(reloadable)).toEqual(RELOADABLE_SETTINGS);
  });

  it('reads some records of a list', () => {
    const text = `locations:\n${[1, 2, 3].map((i) => `  - { name: Site ${i}, tz: UTC }`).join('\n')}\n`;
    const { settings, records } = settingsOf(text, { query: { list: 'locations', offset: 1, limit: 1 } });
    expect(records.locations).toBe(3);
    expect(new Set(settings.map(({ path }) => path.split('.')[0]))).toEqual(new Set(['locations[1]']));
    expect(settingAt(settings, 'locations[1].name')).toMatchObject({
      value: 'Site 2',
      source: { kind: 'file', line: 3 },
      appliesOn: 'reload',
      isPending: false,
    });
    expect(settingsOf(text, { query: { list: 'nvrs', offset: 0, limit: 9 } }).settings).toEqual([]);
  });

  it('shows no secret, only whether there is one', () => {
    const env = { SLUICE_METRICS_TOKEN: SECRETS.metricsToken };
    const single = settingsOf(SECRET_YAML, { env });
    const cameras = settingsOf(SECRET_YAML, { query: { list: 'cameras', offset: 0, limit: 10 } });
    const text = JSON.stringify([single, cameras]);
    expect(text).toContain(SHOWN_BUCKET);
    expect(secretsIn(text)).toEqual([]);
    const set = [...single.settings, ...cameras.settings].filter(({ isSecret, isSet }) => isSecret && isSet);
    expect(set.map(({ path }) => path)).toEqual([
      'redis',
      'database',
      'cluster.secret',
      'bootstrap.apiKey',
      'bootstrap.partnerApiKey',
      's3.accessKeyId',
      's3.secretAccessKey',
      'metrics.token',
      'cameras[0].rtsp',
      'cameras[0].substream',
      'cameras[0].onvif',
      'cameras[1].publishKey',
    ]);
    expect(set.every(({ value }) => value === null)).toBe(true);
  });
});

describe('secretsIn', () => {
  it.each([
    ['as it is', SECRETS.mainPassword],
    ['in a URL', `rtsp://admin:${encodeURIComponent(SECRETS.mainPassword)}@host`],
    ['in Base64, in the middle', Buffer.from(`admin:${SECRETS.mainPassword}@`).toString('base64')],
    ['as hex', Buffer.from(SECRETS.mainPassword).toString('hex')],
  ])('finds a secret %s', (_name, text) => {
    expect(secretsIn(`before ${text} after`)).toEqual(['mainPassword']);
  });
});
