import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { CameraClock, type ClockReading, senderEpochMs } from './camera-clock.ts';

const FRAME_MS = 40;
const EPOCH_MS = 1_800_000_000_000;
const NTP_TO_EPOCH_MS = 2_208_988_800_000;
const SR_EVERY_FRAMES = 125;

interface Habits {
  /** Drift of the RTP clock. */
  readonly driftPpm?: number;
  /** The camera's wall clock for the true time, both in epoch milliseconds; null: reports have no time. */
  readonly wallMs?: (trueEpochMs: number) => number | null;
  readonly delayMs?: (frame: number) => number;
  /** RTP timestamp of a report minus that of the frame with it, in media time. */
  readonly reportShiftMs?: number;
  /** Frames before which the RTP clock restarts. */
  readonly jumpsAt?: readonly number[];
  readonly hasReports?: boolean;
  readonly mayDate?: boolean;
}

/** The same jitter on every run: 0 to 150 ms. */
const jitterMs = (frame: number) => ((frame * 7_919) % 101) * 1.5;

function ntp(epochMs: number) {
  const ntpMs = epochMs + NTP_TO_EPOCH_MS;
  const ntpSec = Math.floor(ntpMs / 1_000);
  return { ntpSec, ntpFraction: Math.floor((ntpMs - ntpSec * 1_000) * (2 ** 32 / 1_000)) };
}

/** The clock's reading after `frames` frames, with the number of readings that date frames. */
function watch(frames: number, habits: Habits = {}): ClockReading & { readonly dated: number } {
  const { driftPpm = 0, wallMs = (ms) => ms, delayMs = jitterMs, reportShiftMs = 0, jumpsAt = [] } = habits;
  const clock = new CameraClock(EPOCH_MS, habits.mayDate ?? true);
  let dated = 0;
  for (let frame = 0; frame < frames; frame++) {
    const trueMs = frame * FRAME_MS;
    const mediaMs = trueMs * (1 + driftPpm / 1e6);
    if (jumpsAt.includes(frame)) clock.framesJumped(mediaMs);
    if (clock.picture(mediaMs, trueMs + delayMs(frame)) && clock.reading().cameraTime !== null) dated += 1;
    if (frame % SR_EVERY_FRAMES !== 60 || habits.hasReports === false) continue;
    const epochMs = wallMs(EPOCH_MS + trueMs);
    const time = epochMs === null ? { ntpSec: 0, ntpFraction: 0 } : ntp(epochMs);
    const report = { ...time, ssrc: 1, rtpTimestamp: 0, packetCount: 0, octetCount: 0 };
    clock.report(report, mediaMs + reportShiftMs, trueMs + (delayMs(frame) % 20));
  }
  return { ...clock.reading(), dated };
}

const MINUTES = 60_000 / FRAME_MS;

describe('CameraClock, the frames', () => {
  it.each([0, 50, 300, -300, 2_000])(
    'finds a drift of %i ppm within 10 ppm under 150 ms of jitter',
    (ppm) => {
      const { driftPpm, uncertaintyMs, jumps } = watch(5 * MINUTES, { driftPpm: ppm });
      expect(Math.abs(driftPpm! - ppm)).toBeLessThan(10);
      expect(uncertaintyMs).toBeLessThan(5);
      expect(jumps).toBe(0);
    },
  );

  it('finds it although the network stood still three times for 4 s', () => {
    const delayMs = (frame: number) =>
      jitterMs(frame) + (frame % 2_000 >= 1_900 ? (2_000 - (frame % 2_000)) * 40 : 0);
    const { driftPpm } = watch(5 * MINUTES, { driftPpm: 300, delayMs });
    expect(Math.abs(driftPpm! - 300)).toBeLessThan(20);
  });

  it('says nothing before half a minute', () => {
    expect(watch(25 * 25)).toMatchObject({ driftPpm: null, uncertaintyMs: null, verdict: 'settling' });
  });

  it('finds the drift again after the RTP clock restarted', () => {
    const { driftPpm, jumps } = watch(6 * MINUTES, { driftPpm: -120, jumpsAt: [3_000, 4_500] });
    expect(Math.abs(driftPpm! + 120)).toBeLessThan(15);
    expect(jumps).toBe(2);
  });

  it('calls the arrival uncertain if the delay wanders', () => {
    const delayMs = (frame: number) => 200 + 200 * Math.sin(frame / 300);
    expect(watch(5 * MINUTES, { delayMs }).uncertaintyMs).toBeGreaterThan(100);
  });
});

describe('CameraClock, the wall clock', () => {
  it('is sane if it agrees with arrival, and then dates frames', () => {
    const reading = watch(3 * MINUTES, { driftPpm: 300, wallMs: (ms) => ms + 400 });
    expect(reading.verdict).toBe('sane');
    expect(reading.offsetMs! - 400).toBeLessThan(1);
    expect(reading.offsetMs! - 400).toBeGreaterThan(-20);
    const { mediaMs, epochMs } = reading.cameraTime!;
    expect(epochMs - (EPOCH_MS + mediaMs / 1.0003 + 400)).toBeCloseTo(0, 0);
  });

  it('does not date frames unless it is asked to', () => {
    expect(watch(3 * MINUTES, { mayDate: false })).toMatchObject({ verdict: 'sane', cameraTime: null });
  });

  it.each<[string, string, Habits]>([
    ['sends no reports', 'no-reports', { hasReports: false }],
    ['reports an NTP time of 0', 'no-reports', { wallMs: () => null }],
    ['counts from 1900', 'off', { wallMs: (ms) => ms - EPOCH_MS - NTP_TO_EPOCH_MS + 60_000 }],
    ['counts from 1970', 'off', { wallMs: (ms) => ms - EPOCH_MS }],
    ['reports local time', 'off', { wallMs: (ms) => ms + 7_200_000 }],
    ['is 1.5 s ahead', 'off', { wallMs: (ms) => ms + 1_500 }],
    ['runs at another speed', 'drifting', { wallMs: (ms) => EPOCH_MS - 300 + (ms - EPOCH_MS) * 1.0008 }],
    ['reports other RTP timestamps', 'unrelated', { reportShiftMs: 90_000 }],
    [
      'reports whole seconds',
      'jumpy',
      { wallMs: (ms) => Math.floor((ms + ((ms / 5_000) % 7) * 140) / 1_000) * 1_000 },
    ],
  ])('is not used if it %s', (_title, verdict, habits) => {
    expect(watch(3 * MINUTES, habits)).toMatchObject({ verdict, cameraTime: null, dated: 0 });
  });

  it('is set by NTP in mid-stream: one jump, and sane again half a minute later', () => {
    const wallMs = (ms: number) => (ms < EPOCH_MS + 60_000 ? ms - 40_000 : ms);
    expect(watch(1.2 * MINUTES, { wallMs })).toMatchObject({ verdict: 'settling', jumps: 1, dated: 0 });
    expect(watch(2.5 * MINUTES, { wallMs })).toMatchObject({ verdict: 'sane', jumps: 1 });
  });

  it('is given up after a fourth jump', () => {
    const wallMs = (ms: number) => ms + (Math.floor((ms - EPOCH_MS) / 40_000) % 2) * 300;
    expect(watch(5 * MINUTES, { wallMs })).toMatchObject({ verdict: 'jumpy', cameraTime: null });
  });

  it('does not date frames after their clock restarted, until the next report', () => {
    expect(watch(3 * MINUTES, { jumpsAt: [3 * MINUTES - 1] })).toMatchObject({
      verdict: 'settling',
      cameraTime: null,
    });
  });
});

describe('CameraClock, whatever arrives', () => {
  it('stays finite or null, and never dates frames further off than the limit', () => {
    const step = fc.record({
      mediaMs: fc.oneof(fc.integer({ min: -5_000, max: 1e9 }), fc.double({ min: 0, max: 1e6, noNaN: true })),
      arrivalMs: fc.integer({ min: 0, max: 1e6 }),
      ntpSec: fc.nat(0xffff_ffff),
      isReport: fc.boolean(),
      isJump: fc.boolean(),
    });
    const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = new CameraClock(EPOCH_MS, true);
      for (const { mediaMs, arrivalMs, ntpSec, isReport, isJump } of steps) {
        if (isJump) clock.framesJumped(mediaMs);
        clock.picture(mediaMs, arrivalMs);
        const report = { ntpSec, ntpFraction: 0, ssrc: 1, rtpTimestamp: 0, packetCount: 0, octetCount: 0 };
        if (isReport) clock.report(report, mediaMs, arrivalMs);
      }
      const { driftPpm, offsetMs, uncertaintyMs, cameraTime } = clock.reading();
      for (const value of [driftPpm, offsetMs, uncertaintyMs])
        expect(value === null || !Number.isNaN(value)).toBe(true);
      if (cameraTime !== null) expect(Math.abs(offsetMs!)).toBeLessThanOrEqual(1_000);
    });
    fc.assert(property, randomRuns(500));
  });

  it('reads the NTP era closest to our clock (RFC 5905 §6): seconds wrap in 2036', () => {
    const afterMs = Date.UTC(2036, 1, 8);
    const wrapped = { ntpSec: ((afterMs + NTP_TO_EPOCH_MS) / 1_000) % 2 ** 32, ntpFraction: 0 };
    expect(senderEpochMs(wrapped, afterMs + 5_000)).toBe(afterMs);
    expect(senderEpochMs(ntp(EPOCH_MS), EPOCH_MS)).toBe(EPOCH_MS);
  });
});
