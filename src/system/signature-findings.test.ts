import { expect, it } from 'vitest';
import { SAMPLE_STATE } from './fake-system-calls.ts';
import { systemFindings } from './system-findings.ts';

const found = (changed: number, stopped: number) =>
  systemFindings({ ...SAMPLE_STATE, signatures: { changed, stopped } })
    .filter(({ code }) => code.startsWith('CAMERA_'))
    .map(({ code, severity, sentence }) => [code, severity, sentence]);

it('names cameras whose video is not as they signed it, and those that stopped signing', () => {
  expect(found(0, 0)).toEqual([]);
  expect(found(1, 2)).toEqual([
    [
      'CAMERA_VIDEO_CHANGED',
      'error',
      'A camera sent video within the last hour that is not as the camera signed it.',
    ],
    ['CAMERA_STOPPED_SIGNING', 'warning', '2 cameras signed video and stopped.'],
  ]);
});
