/**
 * Whether sound runs faster or slower than the picture, and by how much. A sound card has a quartz of its own, and some
 * cameras describe another sampling rate than they record with (44,100 for 44,000 Hz).
 *
 * Two things show it. The sender reports of both tracks do, to the millisecond (RFC 3550 §6.4.1); but some cameras compute
 * them from the timestamps, or get them wrong. And the arrival of both tracks does: each has a line under its delays
 * (delay-line.ts), and what delays both, such as a network that is busy for a minute, moves neither line. Reports count
 * as long as the arrival does not contradict them.
 *
 * Nothing is corrected before a drift is larger than what its measurement leaves open, and large enough to be noticed.
 */

import { type ClockLine, DelayLine } from './delay-line.ts';
import { type ReportEstimate, ReportLine } from './report-line.ts';

/** Short, so that a drift of 2 % is known before it is a second. */
const BLOCK_MS = 2_000;
/** Longer than a busy time of the network. */
const SPAN_MS = 600_000;
/** A larger rate is a wrong timestamp rather than a wrong clock: it would make voices unrecognizable. */
const MAX_RATE = 0.05;
/** A drift counts if it is this many times larger than its uncertainty. A step of the delay is 0.75 of that at most. */
const MIN_CERTAINTY = 4;
/** This certain, a rate counts whatever it is, once there is a drift. */
const CERTAIN_RATE = 100e-6;
/** Quartzes stay below: a camera whose clocks are both quartzes is not corrected before it is `MAX_QUARTZ_OFF_MS` off. */
const QUARTZ_RATE = 150e-6;
const MAX_OFF_MS = 40;
const MAX_QUARTZ_OFF_MS = 60;
/** More than any camera's video encoder and network delay the pictures that belong to an audio frame. */
const MAX_AHEAD_MS = 2_000;
/** Audio is encoded faster than video. Viewers would see the video later by as much, so the limit is small. */
const MAX_BEHIND_MS = 1_000;
/** Reports may differ by this from what the arrival says, and by what that leaves open. */
const MAX_REPORTS_OFF_MS = 150;
/**
 * A report that the arrival contradicts adds 2 to the doubt, and any other report subtracts 1. A camera that sets its clock
 * sends one or two contradicted reports. With this much doubt, reports are not believed again.
 */
const MAX_DOUBT = 12;

/** By how much the sound's time is longer than its timestamps say, as a share of it. */
interface Rated {
  readonly rate: number;
  readonly uncertainty: number;
}

/** Where sound belongs by its arrival. */
interface Estimate extends Rated {
  /** How much later than its timestamps say the newest frame belongs, since the beginning. */
  readonly offMs: number;
}

export class SoundDrift {
  readonly #pictures = new DelayLine(BLOCK_MS, SPAN_MS);
  readonly #sounds = new DelayLine(BLOCK_MS, SPAN_MS);
  readonly #reports = new ReportLine();
  /** On the sound's own timeline; NaN before its first frame. */
  #startMs = Number.NaN;
  /** How far the sound was ahead of the picture at `#startMs`, both without jitter. */
  #startLeadMs = 0;
  #arrival: Estimate | null = null;
  /** How much later than its timestamps say the sound was at `#startMs`: by its first report, and without any. */
  #firstLaterMs: number | null = null;
  #keptLaterMs = 0;
  #doubt = 0;
  #isDrifting = false;

  /** It is corrected. */
  get isDrifting(): boolean {
    return this.#isDrifting;
  }

  /**
   * Either track has another clock. The known drift remains, but the distance of the tracks does not.
   * `laterMs`: how much later than its timestamps say the sound is.
   */
  restart(laterMs: number): void {
    this.#keptLaterMs = laterMs;
    this.#firstLaterMs = null;
    this.#doubt = 0;
    this.#pictures.restart();
    this.#sounds.restart();
    this.#reports.restart();
    this.#startMs = Number.NaN;
    this.#arrival = null;
  }

  /** Hot: once per picture, at `mediaMs` of its own timeline. */
  picture(mediaMs: number, arrivalMonoMs: number): void {
    this.#pictures.observe(mediaMs, arrivalMonoMs);
  }

  /** Hot: once per frame of sound, at `mediaMs` of its own, uncorrected timeline. True: `goal` has news. */
  sound(mediaMs: number, arrivalMonoMs: number): boolean {
    if (Number.isNaN(this.#startMs)) this.#startMs = mediaMs;
    if (!this.#sounds.observe(mediaMs, arrivalMonoMs)) return false;
    this.#arrival = this.#measure(mediaMs);
    return this.#arrival !== null;
  }

  /**
   * Sender reports place the sound at `mediaMs` later than its timestamps say by `laterMs`. Returns by how much it should be
   * later; null: nothing follows.
   */
  report(mediaMs: number, laterMs: number): number | null {
    if (this.#doubt >= MAX_DOUBT || !this.#reports.isNews(mediaMs)) return null;
    const isAllowed =
      this.#firstLaterMs === null
        ? isBelievable(laterMs - this.#keptLaterMs)
        : this.#allows(laterMs - this.#firstLaterMs);
    if (!isAllowed) {
      this.#doubt += 2;
      if (this.#doubt < MAX_DOUBT) return null;
      this.#firstLaterMs = null;
      this.#reports.restart();
      return this.#isDrifting ? null : this.#keptLaterMs;
    }
    this.#doubt = Math.max(0, this.#doubt - 1);
    this.#firstLaterMs ??= laterMs;
    this.#reports.add(mediaMs, laterMs);
    return this.#isDrifting ? null : laterMs;
  }

  /**
   * Where the sound at `mediaMs` belongs: how much later than its timestamps say, and by how much its time is longer than
   * they say. null: nothing reliable is known that needs a correction.
   */
  goal(mediaMs: number): { readonly laterMs: number; readonly rate: number } | null {
    const firstLaterMs = this.#firstLaterMs ?? this.#keptLaterMs;
    const arrival = this.#arrival;
    if (arrival === null) return null;
    const reported = this.#reports.estimate(mediaMs);
    const best =
      reported !== null && this.#agrees(reported, arrival, firstLaterMs)
        ? reported
        : { ...arrival, laterMs: firstLaterMs + arrival.offMs };
    if (!this.#counts(best, best.laterMs - firstLaterMs)) return null;
    this.#isDrifting = true;
    return best;
  }

  /**
   * Whether reports that place sound `laterMs` later than the first ones do are possible by the arrival. Frames that only
   * take longer to arrive, as those of an encoder that has changed its delay, contradict nothing.
   */
  #allows(laterMs: number): boolean {
    const arrival = this.#arrival;
    const offMs = arrival !== null && isCertain(arrival) ? arrival.offMs : 0;
    return Math.abs(laterMs - offMs) <= MAX_REPORTS_OFF_MS + (arrival?.uncertainty ?? 0) * SPAN_MS;
  }

  #agrees(reported: ReportEstimate, arrival: Estimate, firstLaterMs: number): boolean {
    const open = arrival.uncertainty + reported.uncertainty;
    const isSameRate = Math.abs(reported.rate - arrival.rate) <= 2 * open + CERTAIN_RATE;
    return isSameRate && this.#allows(reported.laterMs - firstLaterMs);
  }

  #counts(rated: Rated, offMs: number): boolean {
    const { rate, uncertainty } = rated;
    if (Math.abs(rate) > MAX_RATE) return false;
    if (this.#isDrifting) return isCertain(rated) || uncertainty <= CERTAIN_RATE;
    return (
      isCertain(rated) && Math.abs(offMs) >= (Math.abs(rate) < QUARTZ_RATE ? MAX_QUARTZ_OFF_MS : MAX_OFF_MS)
    );
  }

  #measure(mediaMs: number): Estimate | null {
    const [sounds, pictures] = [this.#sounds.line(), this.#pictures.line()];
    if (sounds === null || pictures === null) return null;
    const hasForgotten = this.#sounds.hasForgotten || this.#pictures.hasForgotten;
    if (!hasForgotten) this.#startLeadMs = leadMs(sounds, pictures, this.#startMs);
    return {
      rate: (1 + sounds.slope) / (1 + pictures.slope) - 1,
      uncertainty: (sounds.driftUncertaintyPpm + pictures.driftUncertaintyPpm) / 1e6,
      offMs: this.#startLeadMs - leadMs(sounds, pictures, mediaMs),
    };
  }
}

/** `laterMs`: how much later than its arrival suggests a track would be placed. */
export function isBelievable(laterMs: number): boolean {
  return laterMs <= MAX_AHEAD_MS && laterMs >= -MAX_BEHIND_MS;
}

function isCertain({ rate, uncertainty }: Rated): boolean {
  return uncertainty * MIN_CERTAINTY <= Math.abs(rate);
}

/** How far the sound at `soundMs` is ahead of the picture that arrives with it, on their own timelines, without jitter. */
function leadMs(sounds: ClockLine, pictures: ClockLine, soundMs: number): number {
  const arrivalMonoMs = soundMs + sounds.leastDelayMs + sounds.slope * (soundMs - sounds.newestSentMs);
  const sincePictureMs = arrivalMonoMs - pictures.newestSentMs - pictures.leastDelayMs;
  return soundMs - (pictures.newestSentMs + sincePictureMs / (1 + pictures.slope));
}
