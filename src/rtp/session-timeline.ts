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
 * session. Later reports move the track slowly.
 */

import { distance32 } from './serial-number.ts';
import { type SenderClock, TrackClock } from './track-clock.ts';

/** More than any camera's video encoder and network delay the pictures that belong to an audio frame. */
const MAX_AHEAD_MS = 2_000;
/** Audio is encoded faster than video. Viewers would see the video later by as much, so the limit is small. */
const MAX_BEHIND_MS = 1_000;
/** Software stamps the reports: differences below this are noise, and inaudible. */
const SYNC_TOLERANCE_MS = 10;

export class SessionTimeline {
  readonly #tracks: readonly TrackClock[];
  readonly #reference: TrackClock;
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
    return track.advance(rtpTimestamp, arrivalMonoMs);
  }

  /** See TrackClock. */
  restart(trackIndex: number, rtpTimestamp: number, ticks: number, arrivalMonoMs: number): void {
    this.#tracks[trackIndex]!.restart(rtpTimestamp, ticks, arrivalMonoMs);
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
    const correctionMs = reportedMs - track.uncorrectedMs(own.rtpTimestamp);
    const isNoise = Math.abs(correctionMs - track.targetCorrectionMs) <= SYNC_TOLERANCE_MS;
    if (isBelievable(correctionMs) && !isNoise) track.correctTo(correctionMs);
  }
}

/** `laterMs`: how much later than its arrival suggests a track would be placed. */
function isBelievable(laterMs: number): boolean {
  return laterMs <= MAX_AHEAD_MS && laterMs >= -MAX_BEHIND_MS;
}
