/**
 * A camera's clocks against ours, and whether its wall clock may date its frames. A camera has two: the RTP clock, which
 * stamps frames, and the wall clock of its sender reports (RFC 3550 §6.4.1). Both are compared with the time of arrival.
 *
 * The wall clock is sane if, over `MIN_BLOCKS` blocks of DelayLine and since then, its reports arrive on a line, it
 * differs from ours by at most `MAX_OFFSET_MS`, drifts by at most `MAX_DRIFT_PPM`, does not jump, and its RTP timestamps
 * are those of the frames. Everything else has a reason: cameras report 0, the time since 1900 or 1970 at which they
 * started, local time as UTC, or set the clock in mid-stream.
 */

import { type ClockLine, DelayLine } from './delay-line.ts';
import type { SenderReport } from './rtcp/rtcp-reader.ts';

/** Why a camera's wall clock does not date its frames; `sane`: it could. */
export const CLOCK_VERDICTS = [
  'sane',
  'no-reports', // no sender report, or only reports without a time
  'settling', // too few reports since the start, or since a jump
  'off', // too far from our clock
  'drifting', // faster or slower than any quartz
  'unsteady', // reports do not arrive on a line
  'unrelated', // the reports' RTP timestamps are not those of the frames
  'jumpy', // jumped too often
] as const;
export type ClockVerdict = (typeof CLOCK_VERDICTS)[number];

/** Media time and the camera's wall clock at the same instant. */
export interface CameraTime {
  /** On the timeline of the access units. */
  readonly mediaMs: number;
  readonly epochMs: number;
}

export interface ClockReading {
  /** The frames' clock against ours: positive if fast; null before some 30 s. */
  readonly driftPpm: number | null;
  readonly driftUncertaintyPpm: number | null;
  /**
   * How far the fastest frames of each five seconds are from a steady clock: wall time that is tied to their arrival is
   * uncertain by this much, in addition to the constant delay of encoder and network. null before some 30 s.
   */
  readonly uncertaintyMs: number | null;
  /** Jumps of the frames' timestamps and of the wall clock. */
  readonly jumps: number;
  /** The camera's wall clock minus ours, with the least delay seen; null without reports. */
  readonly offsetMs: number | null;
  readonly verdict: ClockVerdict;
  /** Dates the frames; null: their arrival dates them. */
  readonly cameraTime: CameraTime | null;
  /**
   * As the newest report has it, right or wrong: two connections to a camera find with it which of their pictures are the same. null
   * before the first report, and after a jump.
   */
  readonly reportedTime: CameraTime | null;
  /** The sound's clock against that of the pictures: positive if fast; null if the sound needs no correction. */
  readonly soundDriftPpm: number | null;
}

const FRACTIONS_PER_MS = 2 ** 32 / 1_000;
/** Milliseconds from 1900, the epoch of NTP, to 1970 (RFC 5905 §6). */
const NTP_TO_EPOCH_MS = 2_208_988_800_000;
/** The seconds of NTP wrap in 2036. */
const ERA_MS = 2 ** 32 * 1_000;
const MAX_OFFSET_MS = 1_000;
/** WallClock follows as fast; quartzes stay below 100. */
const MAX_DRIFT_PPM = 500;
const MAX_SPREAD_MS = 100;
/** Between two reports, wall clock and RTP clock may differ by this, and by this share of the time between them. */
const MAX_STEP_MS = 50;
const MAX_STEP_PPM = 1_000;
/** A report names an instant close to the frames that arrive with it. */
const MAX_REPORT_DISTANCE_MS = 2_000;
/** A wall clock that jumped more often is not believed again by this connection. */
const MAX_WALL_JUMPS = 3;

/** The camera's wall clock in a sender report, in the NTP era closest to `nearEpochMs`; null if it has none. */
export function senderEpochMs(
  report: Pick<SenderReport, 'ntpSec' | 'ntpFraction'>,
  nearEpochMs: number,
): number | null {
  // Zero: the camera does not know the wall clock time.
  if (report.ntpSec === 0) return null;
  const firstEraMs = report.ntpSec * 1_000 + report.ntpFraction / FRACTIONS_PER_MS - NTP_TO_EPOCH_MS;
  return firstEraMs + Math.round((nearEpochMs - firstEraMs) / ERA_MS) * ERA_MS;
}

export class CameraClock {
  readonly #epochMinusMonoMs: number;
  readonly #mayDate: boolean;
  readonly #frames = new DelayLine();
  readonly #reports = new DelayLine();
  #newestMediaMs = 0;
  #frameJumps = 0;
  #wallJumps = 0;
  /** The newest report with a time; null before, and after a jump of the frames' timestamps. */
  #newest: CameraTime | null = null;
  #newestOffsetMs: number | null = null;
  #isUnrelated = false;

  /** `epochMinusMonoMs`: our wall clock minus our monotonic clock. `mayDate`: a sane wall clock dates the frames. */
  constructor(epochMinusMonoMs: number, mayDate: boolean) {
    this.#epochMinusMonoMs = epochMinusMonoMs;
    this.#mayDate = mayDate;
  }

  /** Hot: once per picture. True every few seconds: `reading` has news. */
  picture(mediaMs: number, arrivalMonoMs: number): boolean {
    if (mediaMs > this.#newestMediaMs) this.#newestMediaMs = mediaMs;
    return this.#frames.observe(mediaMs, arrivalMonoMs);
  }

  /** The frames' timestamps jumped: they have another relation to everything else. */
  framesJumped(mediaMs: number): void {
    this.#frameJumps += 1;
    this.#frames.restart();
    this.#newest = null;
    this.#newestMediaMs = mediaMs;
  }

  /**
   * A report of the video, `mediaMs` being its RTP timestamp on the timeline; null before the first frame. True if it is the first one
   * that gives a time to the frames: `reading` has news.
   */
  report(report: SenderReport, mediaMs: number | null, arrivalMonoMs: number): boolean {
    const epochMs = senderEpochMs(report, arrivalMonoMs + this.#epochMinusMonoMs);
    if (epochMs === null) return false;
    this.#newestOffsetMs = epochMs - this.#epochMinusMonoMs - arrivalMonoMs;
    if (mediaMs === null) return false;
    this.#isUnrelated = Math.abs(mediaMs - this.#newestMediaMs) > MAX_REPORT_DISTANCE_MS;
    if (this.#isUnrelated) return false;
    if (this.#newest !== null && hasStepped(this.#newest, mediaMs, epochMs)) {
      this.#wallJumps += 1;
      this.#reports.restart();
    }
    const isFirst = this.#newest === null;
    this.#newest = { mediaMs, epochMs };
    this.#reports.observe(epochMs - this.#epochMinusMonoMs, arrivalMonoMs);
    return isFirst;
  }

  /** `soundDriftPpm`: see SessionTimeline. */
  reading(soundDriftPpm: number | null = null): ClockReading {
    const frames = this.#frames.line();
    const reports = this.#reports.line();
    const verdict = this.#verdict(reports);
    return {
      driftPpm: frames?.driftPpm ?? null,
      driftUncertaintyPpm: frames?.driftUncertaintyPpm ?? null,
      uncertaintyMs: frames?.spreadMs ?? null,
      jumps: this.#frameJumps + this.#wallJumps,
      offsetMs: reports === null ? this.#newestOffsetMs : -reports.leastDelayMs,
      verdict,
      cameraTime: this.#mayDate && verdict === 'sane' ? this.#newest : null,
      reportedTime: this.#newest,
      soundDriftPpm,
    };
  }

  #verdict(reports: ClockLine | null): ClockVerdict {
    if (this.#newestOffsetMs === null) return 'no-reports';
    if (Math.abs(this.#newestOffsetMs) > 2 * MAX_OFFSET_MS) return 'off';
    if (this.#isUnrelated) return 'unrelated';
    if (this.#wallJumps > MAX_WALL_JUMPS) return 'jumpy';
    if (reports === null || this.#newest === null) return 'settling';
    if (Math.abs(reports.leastDelayMs) > MAX_OFFSET_MS) return 'off';
    if (reports.spreadMs > MAX_SPREAD_MS) return 'unsteady';
    if (reports.driftUncertaintyPpm > MAX_DRIFT_PPM) return 'settling';
    return Math.abs(reports.driftPpm) > MAX_DRIFT_PPM ? 'drifting' : 'sane';
  }
}

/** Both clocks are in the camera, so no network is between them. */
function hasStepped(before: CameraTime, mediaMs: number, epochMs: number): boolean {
  const passedMs = mediaMs - before.mediaMs;
  const stepMs = epochMs - before.epochMs - passedMs;
  return Math.abs(stepMs) > MAX_STEP_MS + Math.abs(passedMs) * (MAX_STEP_PPM / 1e6);
}
