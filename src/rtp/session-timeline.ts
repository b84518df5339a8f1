/**
 * Puts the tracks of one session on a common timeline. RTP timestamps of different tracks are unrelated (RFC 3550
 * §5.1). What relates them is, in this order:
 *
 * 1. sender reports of both tracks (§6.4.1), if both have arrived by the track's first frame,
 * 2. the timestamps of RTP-Info (RFC 2326 §12.33), which name the same instant,
 * 3. the time of arrival.
 *
 * 1 and 2 are believed as long as they agree with 3: a track may be up to `MAX_AHEAD_MS` later than what arrived with
 * it, or up to `MAX_BEHIND_MS` earlier. Cameras send reports with one clock per track, and RTP-Info from the previous
 * session. Later reports move the track slowly. Those that contradict both the first ones and the arrival are ignored.
 *
 * A track that runs faster or slower than the reference is stretched or shortened to follow it (sound-drift.ts).
 */

import { distance32 } from './serial-number.ts';
import { isBelievable, SoundDrift } from './sound-drift.ts';
import { type SenderClock, TrackClock } from './track-clock.ts';

/** Software stamps the reports: differences below this are noise, and inaudible. */
const SYNC_TOLERANCE_MS = 10;

export class SessionTimeline {
  readonly #tracks: readonly TrackClock[];
  readonly #reference: TrackClock;
  /** Drift of the other track. */
  readonly #drift = new SoundDrift();
  #isStarted = false;
  #startMs = 0;
  #startArrivalMonoMs = 0;

  /** `referenceIndex`: the track that the others are aligned to, the video. */
  constructor(clockRatesHz: readonly number[], referenceIndex: number) {
    this.#tracks = clockRatesHz.map((rateHz) => new TrackClock(rateHz));
    this.#reference = this.#tracks[referenceIndex]!;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Where the reference track began. */
  get startMs(): number {
    return this.#startMs;
  }

  /** The reference track's first frame is at `ticks` of its own clock. */
  start(rtpTimestamp: number, ticks: number, arrivalMonoMs: number): void {
    this.#isStarted = true;
    this.#startMs = (ticks * 1_000) / this.#reference.rateHz;
    this.#startArrivalMonoMs = arrivalMonoMs;
    this.#reference.anchor(rtpTimestamp, ticks, arrivalMonoMs);
  }

  /** Time of a track's next frame in ticks of its RTP clock. Call `start` first. May be negative at the beginning. */
  ticksOf(trackIndex: number, rtpTimestamp: number, arrivalMonoMs: number): number {
    const track = this.#tracks[trackIndex]!;
    if (!track.isAnchored) {
      const ms = this.#alignedMs(track, rtpTimestamp, arrivalMonoMs);
      track.anchor(rtpTimestamp, Math.round((ms * track.rateHz) / 1_000), arrivalMonoMs);
    }
    const jumpsBefore = track.jumps;
    const other = this.#tracks.find((one) => one !== track && one.isAnchored);
    const otherGapMs = other?.takeLongestGapMs(arrivalMonoMs) ?? Number.POSITIVE_INFINITY;
    const ticksAt = track.advance(rtpTimestamp, arrivalMonoMs, otherGapMs);
    if (track.jumps !== jumpsBefore) this.#restartDrift();
    if (track === this.#reference) this.#drift.picture(track.uncorrectedNewestMs, arrivalMonoMs);
    else if (this.#drift.sound(track.uncorrectedNewestMs, arrivalMonoMs)) this.#follow(track);
    return ticksAt;
  }

  /** See TrackClock. */
  restart(trackIndex: number, rtpTimestamp: number, ticks: number, arrivalMonoMs: number): void {
    this.#tracks[trackIndex]!.restart(rtpTimestamp, ticks, arrivalMonoMs);
    this.#restartDrift();
  }

  /** By how much frames of a track are further apart at present than their timestamps say, as a share. */
  stretch(trackIndex: number): number {
    return this.#tracks[trackIndex]!.correction.stretch;
  }

  /** By how much the sound's clock is fast, against the picture's, if that is corrected; otherwise null. */
  get soundDriftPpm(): number | null {
    if (!this.#drift.isDrifting) return null;
    const rate = this.#tracks.find((track) => track !== this.#reference)?.correction.rate ?? 0;
    return (1 / (1 + rate) - 1) * 1e6;
  }

  ticksToMs(trackIndex: number, ticks: number): number {
    return (ticks * 1_000) / this.#tracks[trackIndex]!.rateHz;
  }

  /** Where a timestamp of the reference track is; null before its first frame. */
  referenceMs(rtpTimestamp: number): number | null {
    return this.#isStarted ? this.#reference.uncorrectedMs(rtpTimestamp) : null;
  }

  jumps(trackIndex: number): number {
    return this.#tracks[trackIndex]!.jumps;
  }

  senderReport(trackIndex: number, clock: SenderClock): void {
    this.#tracks[trackIndex]!.senderClock = clock;
    for (const track of this.#tracks) {
      if (track !== this.#reference && track.isAnchored) this.#refine(track);
    }
  }

  rtpInfo(trackIndex: number, rtpTimestamp: number): void {
    this.#tracks[trackIndex]!.startRtpTimestamp = rtpTimestamp;
  }

  #alignedMs(track: TrackClock, rtpTimestamp: number, arrivalMonoMs: number): number {
    const byArrivalMs = this.#startMs + arrivalMonoMs - this.#startArrivalMonoMs;
    const byReportsMs = this.#byReportsMs(track, rtpTimestamp);
    if (byReportsMs !== null && isBelievable(byReportsMs - byArrivalMs)) return byReportsMs;
    const byRtpInfoMs = this.#byRtpInfoMs(track, rtpTimestamp);
    if (byRtpInfoMs !== null && isBelievable(byRtpInfoMs - byArrivalMs)) return byRtpInfoMs;
    return byArrivalMs;
  }

  #byReportsMs(track: TrackClock, rtpTimestamp: number): number | null {
    const [own, reference] = [track.senderClock, this.#reference.senderClock];
    if (own === null || reference === null) return null;
    const sinceReportMs = (distance32(own.rtpTimestamp, rtpTimestamp) * 1_000) / track.rateHz;
    const sinceReferenceMs = own.ntpMs + sinceReportMs - reference.ntpMs;
    return this.#reference.uncorrectedMs(reference.rtpTimestamp) + sinceReferenceMs;
  }

  #byRtpInfoMs(track: TrackClock, rtpTimestamp: number): number | null {
    const [own, reference] = [track.startRtpTimestamp, this.#reference.startRtpTimestamp];
    if (own === null || reference === null) return null;
    const sinceStartMs = (distance32(own, rtpTimestamp) * 1_000) / track.rateHz;
    return this.#reference.uncorrectedMs(reference) + sinceStartMs;
  }

  #refine(track: TrackClock): void {
    const own = track.senderClock;
    if (own === null) return;
    const reportedMs = this.#byReportsMs(track, own.rtpTimestamp);
    if (reportedMs === null) return;
    const ownMs = track.uncorrectedMs(own.rtpTimestamp);
    const correctionMs = reportedMs - ownMs;
    const goalMs = this.#drift.report(ownMs, correctionMs);
    if (goalMs === null) return;
    const isNoise = Math.abs(goalMs - track.correction.targetMs) <= SYNC_TOLERANCE_MS;
    if (!isNoise) track.correction.correctTo(goalMs);
  }

  #follow(track: TrackClock): void {
    const goal = this.#drift.goal(track.uncorrectedNewestMs);
    if (goal !== null) track.correction.follow(goal.laterMs, goal.rate);
  }

  /** Earlier arrivals and reports do not apply to later frames. A known drift still does. */
  #restartDrift(): void {
    const track = this.#tracks.find((other) => other !== this.#reference);
    this.#drift.restart(track?.correction.ms ?? 0);
  }
}
