import { describe, expect, it } from 'vitest';
import { parseManifestQuery } from './manifest-query.ts';
import { parseDashName } from './media-names.ts';

describe('parseManifestQuery', () => {
  it.each([
    ['', 'normal'],
    ['latency=low', 'low'],
    ['latency=normal', 'normal'],
    ['latency=low&latency=normal', 'normal'],
    ['a=1&latency=low&b', 'low'],
    ['xlatency=low', 'normal'],
    ['_HLS_msn=1', 'normal'],
  ])('reads %j', (query, latency) => {
    expect(parseManifestQuery(query)).toBe(latency);
  });

  it.each(['latency', 'latency=', 'latency=LOW', 'latency=2'])('refuses %j', (query) => {
    expect(() => parseManifestQuery(query)).toThrow(expect.objectContaining({ code: 'DASH_BAD_LATENCY' }));
  });
});

describe('parseDashName', () => {
  it.each([
    ['main', 'seg_12.m4v', { kind: 'segment', number: 12 }],
    ['sub', 'seg_0.m4v', { kind: 'segment', number: 0 }],
    ['audio', 'seg_12.m4a', { kind: 'segment', number: 12 }],
    ['audio', 'seg_init.mp4', { kind: 'init', name: 'seg_init.mp4' }],
    ['main', 'seg_init_0a1b2c3d.mp4', { kind: 'init', name: 'seg_init_0a1b2c3d.mp4' }],
  ] as const)('of %s reads %s', (id, name, expected) => {
    expect(parseDashName(id, name)).toEqual(expected);
  });

  it.each([
    ['main', 'seg_12.m4a'],
    ['audio', 'seg_12.m4v'],
    ['main', 'seg_012.m4v'],
    ['main', 'seg_1.2.m4v'],
    ['main', 'seg_1.m4v\n'],
    ['main', 'file.mpd'],
    ['main', '../seg_1.m4v'],
    ['main', 'seg_1234567890123456.m4v'],
  ] as const)('of %s does not read %j', (id, name) => {
    expect(parseDashName(id, name)).toBeNull();
  });
});
