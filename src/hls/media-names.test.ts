import { describe, expect, it } from 'vitest';
import { initName, parseMediaName, partName, segmentName } from './media-names.ts';

describe('media names', () => {
  it.each([
    [segmentName(0), { kind: 'segment', msn: 0 }],
    [segmentName(123_456), { kind: 'segment', msn: 123_456 }],
    [partName(7, 12), { kind: 'part', msn: 7, part: 12 }],
    ['seg_5.mp4', { kind: 'segment', msn: 5 }],
    ['seg_5.1.mp4', { kind: 'part', msn: 5, part: 1 }],
    [initName('ab', 'ab'), { kind: 'init', name: 'seg_init.mp4' }],
    [initName('0123456789abcdef', 'ab'), { kind: 'init', name: 'seg_init_01234567.mp4' }],
  ])('%s is read back', (name, expected) => {
    expect(parseMediaName(name)).toEqual(expected);
  });

  it.each([
    '',
    'seg_.m4v',
    'seg_01.m4v',
    'seg_-1.m4v',
    'seg_1.m4s',
    'seg_1.2.3.m4v',
    'seg_1.02.m4v',
    'xseg_1.m4v',
    'seg_1.m4v\n',
    'seg_1.m4v/..',
    '../seg_1.m4v',
    'seg_1234567890123456.m4v',
    'seg_init_0123456.mp4',
    'seg_init_ABCDEF01.mp4',
    'seg_init_.mp4',
    'SEG_1.m4v',
  ])('%j is not a media name', (name) => {
    expect(parseMediaName(name)).toBeNull();
  });
});
