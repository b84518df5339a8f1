import { expect, it } from 'vitest';
import type { Log } from '../core/log.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import { ClockLog } from './clock-log.ts';

const READING: ClockReading = {
  driftPpm: 14.53,
  driftUncertaintyPpm: 1,
  uncertaintyMs: 3.2,
  jumps: 0,
  offsetMs: 12,
  verdict: 'settling',
  cameraTime: null,
  reportedTime: null,
  soundDriftPpm: null,
};

/** Lines about readings, each five seconds after the one before. */
function linesOf(readings: readonly ClockReading[]): object[] {
  const lines: object[] = [];
  const write = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  const clocks = new ClockLog();
  for (const [index, reading] of readings.entries()) {
    clocks.take(reading, index * 5_000);
    clocks.write(log, reading, index * 5_000);
  }
  return lines;
}

it('writes by how much each track runs fast, once that is known of the sound', () => {
  const drifting = { ...READING, soundDriftPpm: -2_267.4 };
  const lines = linesOf([
    READING,
    drifting,
    { ...drifting, soundDriftPpm: -2_268 },
    { ...drifting, verdict: 'sane' },
  ]);
  const common = {
    dates: 'arrival',
    offsetMs: 12,
    picturesFastPpm: 15,
    jumps: 0,
    message: 'camera clock judged',
  };
  expect(lines).toEqual([{ verdict: 'settling', ...common, soundFastPpm: -2_267 }]);
  expect(linesOf([{ ...READING, verdict: 'sane' }, drifting])).toMatchObject([
    { verdict: 'sane', soundFastPpm: null },
    { verdict: 'settling', soundFastPpm: -2_267 },
  ]);
});

it('says nothing of a clock that settles', () => {
  expect(linesOf([READING, READING])).toEqual([]);
});
