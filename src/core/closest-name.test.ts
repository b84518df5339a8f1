import { describe, expect, it } from 'vitest';
import { closestName } from './closest-name.ts';

const NAMES = ['listen', 'public', 'segmentTarget', 'partTarget', 'mediaUrl', 'rtsp'];

describe('closestName', () => {
  it.each([
    ['lisetn', 'listen'],
    ['publik', 'public'],
    ['segment_target', 'segmentTarget'],
    ['RTSP', 'rtsp'],
    ['rtps', 'rtsp'],
    ['parttargets', 'partTarget'],
    ['target', 'segmentTarget'],
    ['x', null],
    ['', null],
    ['somethingElse', null],
  ])('%s → %s', (typed, expected) => {
    expect(closestName(typed, NAMES)).toBe(expected);
  });
});
