import { expect, it } from 'vitest';
import { SAMPLE_STATE } from './fake-system-calls.ts';
import { systemFindings } from './system-findings.ts';

const GB = 1e9;

/** Of a disk with so many gigabytes of recordings, of which so many are held. */
function found(recorded: number, held: number, free: number, minFree = 1) {
  const recorder = { ...SAMPLE_STATE.recorder, minFreeBytes: minFree * GB };
  const disk = {
    use: 'recordings',
    folder: '/recordings',
    freeBytes: free * GB,
    totalBytes: 100 * GB,
  } as const;
  return systemFindings({
    ...SAMPLE_STATE,
    disks: [disk],
    recorder: { ...recorder, use: { recordedBytes: recorded * GB, heldBytes: held * GB } },
  });
}

it('held recordings are mentioned when they take half of the room, and as an error when the disk is full', () => {
  expect(found(50, 49, 50)).toEqual([]);
  const [half] = found(50, 50, 50);
  expect(half).toMatchObject({
    code: 'HELD_RECORDINGS_FILL_DISK',
    severity: 'warning',
    sentence: expect.stringContaining('50 percent'),
  });
  const full = found(99, 98, 0.9, 1).find(({ code }) => code === 'HELD_RECORDINGS_FILL_DISK');
  expect(full).toMatchObject({ severity: 'error', sentence: expect.stringContaining('98 percent') });
});

it('nothing is said of holds if recordings are in S3', () => {
  expect(systemFindings({ ...SAMPLE_STATE, recorder: { ...SAMPLE_STATE.recorder, use: null } })).toEqual([]);
});
