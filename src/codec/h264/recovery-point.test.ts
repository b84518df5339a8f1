import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { recoveryFrameCount } from './recovery-point.ts';

const sei = (hex: string) => Buffer.from(hex, 'hex');

describe('recoveryFrameCount', () => {
  it.each<[string, string, number | null]>([
    ['x264, open GOP: recovery_frame_cnt 0, exact_match_flag 1', '060601c480', 0],
    ['x264, intra refresh of 24 frames', '0606020cc480', 24],
    ['after another message', '0605020102060101c0c480', null],
    ['after user data of 17 bytes', `060511${'aa'.repeat(17)}0601c480`, 0],
    ['after user data longer than 255 bytes', `0605ff01${'aa'.repeat(256)}0601c480`, null],
    ['no such message', '06010400000303000080', null],
    ['a message that is cut off', '0606', null],
    ['nothing', '06', null],
    ['a size beyond the end', '0605ff', null],
    ['a payload of 0 bytes', '06060080', null],
  ])('%s', (_title, hex, expected) => {
    expect(recoveryFrameCount(sei(hex))).toBe(expected);
  });

  it('never throws, and reads at most a few bytes', () => {
    const property = fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (bytes) => {
      const frames = recoveryFrameCount(bytes);
      expect(frames === null || (frames >= 0 && frames <= 0xffff)).toBe(true);
    });
    fc.assert(property, randomRuns(3_000));
  });
});
