import { describe, expect, it } from 'vitest';
import { changedSettings } from './changed-settings.ts';
import { parseConfig } from './load-config.ts';

const read = (text: string) => parseConfig(text, 'sluice.yaml', {});

describe('changedSettings', () => {
  it.each([
    ['', 'log: { level: debug }', ['log.level']],
    ['hls: { window: 16s }', '', []],
    ['cors: [https://a.example]', 'cors: [https://a.example, https://b.example]', ['cors']],
    ['redis: "redis://u:a@h"', 'redis: "redis://u:b@h"', ['redis']],
    [
      'metrics: { token: aaaaaaaaaaaaaaaaaaaaaaaa }',
      'metrics: { token: aaaaaaaaaaaaaaaaaaaaaaab }',
      ['metrics.token'],
    ],
    ['', 'listen: { api: "127.0.0.1:0" }', ['listen.api']],
    ['demo: true', 'demo: false', ['demo']],
    ['', 'locations: [{ name: HQ, tz: UTC }]', []],
    ['clips: { keep: 1d }', 'clips: { keep: 24h }', []],
  ])('between %j and %j', (before, after, changed) => {
    expect(changedSettings(read(before), read(after))).toEqual(changed);
  });
});
