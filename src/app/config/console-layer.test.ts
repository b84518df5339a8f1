import { describe, expect, it } from 'vitest';
import { describeConfig } from './describe-config.ts';
import { isNodeSetting, lockOf } from './editable-settings.ts';
import { findProblems } from './find-problems.ts';
import { parseConfig } from './load-config.ts';

const FILE = 'sluice.yaml';
const SINGLE = { list: null, offset: 0, limit: 0 } as const;

describe('settings of the console', () => {
  it('take precedence over the file, and the environment over them', () => {
    const text = 'log: { level: warn }\nhls: { window: 20s }\nretention: { audit: 10d }\n';
    const values = { 'log.level': 'debug', 'hls.window': '30s', cors: 'https://a.example,https://b.example' };
    const config = parseConfig(text, FILE, { SLUICE_HLS_WINDOW: '40s' }, values);
    expect(config.log.level).toBe('debug');
    expect(config.hls.windowMs).toBe(40_000);
    expect(config.cors).toEqual(['https://a.example', 'https://b.example']);
    expect(config.retention.auditMs).toBe(10 * 86_400_000);
  });

  it('can say that a key of the file does not count', () => {
    const text = 'tls: { media: { cert: /a.pem, key: /a.key } }\nlog: { level: warn }\n';
    const config = parseConfig(
      text,
      FILE,
      {},
      { 'tls.media.cert': null, 'tls.media.key': null, 'log.level': null },
    );
    expect(config.tls.media).toMatchObject({ cert: null, key: null });
    expect(config.log.level).toBe('info');
  });

  it('are checked like the file, with the same sentences that name the key', () => {
    const { findings } = findProblems(
      '',
      FILE,
      {},
      { 'hls.window': 'long', 'tls.media.cert': '/a.pem', x: '1' },
    );
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      'x: unknown key.',
      'hls.window: expected a duration with a unit (ms, s, m, h, d) from 4s to 10m, such as "2s", not "long".',
      'tls.media.key: is required with tls.media.cert.',
    ]);
    for (const { line, variable } of findings) expect([line, variable]).toEqual([null, null]);
  });

  it('never repeat a secret in a finding', () => {
    const { findings } = findProblems('', FILE, {}, { 'metrics.token': 'short secret' });
    expect(findings[0]?.path).toBe('metrics.token');
    expect(JSON.stringify(findings)).not.toContain('short');
  });

  it('are described with their source, meaning, default, and what they may be', () => {
    const file = { file: FILE, text: 'log: { level: warn }\n' };
    const loaded = {
      ...file,
      values: { 'log.level': 'debug', 'hls.window': '30s', 'metrics.token': 'x'.repeat(32) },
    };
    const { settings } = describeConfig({ started: file, loaded }, { SLUICE_CORS: '*' }, SINGLE);
    const at = (path: string) => settings.find((setting) => setting.path === path);
    expect(at('log.level')).toMatchObject({
      value: 'debug',
      source: { kind: 'console' },
      meaning: 'The lowest severity that is logged.',
      defaultValue: 'info',
      choices: ['debug', 'info', 'warn', 'error', 'silent'],
      consoleValue: 'debug',
      isInConsole: true,
      lock: null,
    });
    // In effect until a restart: the default.
    expect(at('hls.window')).toMatchObject({
      value: '16s',
      nextValue: '30s',
      isPending: true,
      isInConsole: true,
    });
    expect(at('metrics.token')).toMatchObject({
      value: null,
      nextValue: null,
      consoleValue: null,
      isInConsole: true,
    });
    expect(at('cors')).toMatchObject({ lock: 'environment', source: { variable: 'SLUICE_CORS' } });
    expect(at('database')).toMatchObject({ lock: 'start' });
    expect(at('public.mediaUrl')).toMatchObject({
      lock: null,
      defaultValue: null,
      whenAbsent: 'the address of listen.media',
    });
    expect(at('recording.encrypt')?.choices).toEqual(['true', 'false']);
    expect(JSON.stringify(settings)).not.toContain('xxxx');
  });
});

describe('lockOf', () => {
  it('keeps what is needed before the store opens, and what names a program or a folder', () => {
    for (const path of ['data', 'database', 'redis', 'cluster.secret', 'bootstrap.apiKey', 'log.format']) {
      expect([path, lockOf(path)]).toEqual([path, 'start']);
    }
    for (const path of ['ffmpeg.path', 'recording.folder']) expect(lockOf(path)).toBe('machine');
    for (const path of ['listen.media', 'public.mediaUrl', 'ffmpeg.maxWorkers', 'log.level']) {
      expect([path, lockOf(path)]).toEqual([path, null]);
    }
  });

  it('stores addresses and certificates by node', () => {
    expect(['listen.api', 'tls.acme.domains', 'rtmp.listen'].map(isNodeSetting)).toEqual([true, true, true]);
    expect(['public.mediaUrl', 'listening', 'oidc.issuer'].map(isNodeSetting)).toEqual([false, false, false]);
  });
});
