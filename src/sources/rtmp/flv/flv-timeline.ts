/**
 * Timestamps of audio and video messages on one timeline: milliseconds that neither wrap nor jump. FLV timestamps are
 * 32 bits and wrap after 49.7 days; all tracks of a publisher count from the same zero.
 */

/** A larger step back means that the encoder restarted its clock. The same limits as for RTP (src/rtp/track-clock.ts). */
const MAX_BACKWARD_MS = 1_000;
/** A step ahead by more than this, and by more than the time that passed, is a different clock. */
const MAX_FORWARD_MS = 10_000;
/** How far a track may be from where it is expected and still be taken for following another track's jump. */
const MAX_SKEW_MS = 1_000;

class TrackTime {
  /** -1: nothing arrived yet. */
  lastTimestamp = -1;
  lastMs = 0;
  lastArrivalMonoMs = 0;
}

export class FlvTimeline {
  readonly #video = new TrackTime();
  readonly #audio = new TrackTime();
  #jumps = 0;

  /** Timestamps that did not follow from earlier ones. */
  get jumps(): number {
    return this.#jumps;
  }

  videoMs(timestamp: number, arrivalMonoMs: number): number {
    return this.#advance(this.#video, this.#audio, timestamp, arrivalMonoMs);
  }

  audioMs(timestamp: number, arrivalMonoMs: number): number {
    return this.#advance(this.#audio, this.#video, timestamp, arrivalMonoMs);
  }

  /** Hot: once per message. A jump is bridged by the time that passed. */
  #advance(track: TrackTime, other: TrackTime, timestamp: number, arrivalMonoMs: number): number {
    let ms = 0;
    if (track.lastTimestamp >= 0) {
      const elapsedMs = arrivalMonoMs - track.lastArrivalMonoMs;
      const deltaMs = (timestamp - track.lastTimestamp) | 0;
      ms = track.lastMs + deltaMs;
      if (deltaMs < -MAX_BACKWARD_MS || deltaMs > MAX_FORWARD_MS + Math.max(0, elapsedMs)) {
        this.#jumps += 1;
        ms = bridged(track.lastMs + Math.max(1, Math.round(elapsedMs)), other, timestamp);
      }
    } else if (other.lastTimestamp >= 0) {
      const expectedMs = other.lastMs + Math.round(arrivalMonoMs - other.lastArrivalMonoMs);
      ms = other.lastMs + ((timestamp - other.lastTimestamp) | 0);
      if (ms < expectedMs - MAX_FORWARD_MS || ms > expectedMs + MAX_FORWARD_MS) ms = expectedMs;
    }
    track.lastTimestamp = timestamp;
    track.lastMs = ms;
    track.lastArrivalMonoMs = arrivalMonoMs;
    return ms;
  }
}

/** Where the other track says, if it made the same jump: audio and video stay exactly as far apart. */
function bridged(expectedMs: number, other: TrackTime, timestamp: number): number {
  if (other.lastTimestamp < 0) return expectedMs;
  const ms = other.lastMs + ((timestamp - other.lastTimestamp) | 0);
  return Math.abs(ms - expectedMs) <= MAX_SKEW_MS ? ms : expectedMs;
}
