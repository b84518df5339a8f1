/**
 * fMP4 segments of a playlist that has only the audio of another one: to access units on the timeline of its video. A
 * segment whose video has not come yet is held for a while. RFC 8216 §4.3.4.1 (EXT-X-MEDIA), §6.2.4.
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { FragmentReader, type FragmentSink } from '../../isobmff/fragment-reader.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import { JOINING_CODE, type SourceEvents } from '../../stream/source/source-events.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { AUDIO_INDEX, type FragmentRelay, MAX_SEGMENT_SAMPLES, soundTicks } from './fragment-relay.ts';
import {
  isSameAudio,
  readInitSection,
  type SoundSection,
  soundSectionOf,
  VIDEO_TIMESCALE_HZ,
} from './init-section.ts';
import type { PacedRelease, TimedUnit } from './paced-release.ts';
import type { MediaSegment } from './playlist.ts';
import { checkSegmentBoxes } from './segment-boxes.ts';
import type { SegmentConsumer } from './segment-consumer.ts';

/** As many segments as a client begins behind the end, and some that came since. */
const MAX_HELD_SEGMENTS = 8;
const MAX_HELD_BYTES = 8 * 1_048_576;

/** Times as in the segment. The data is a copy: most of a segment may be video. */
interface SoundSample {
  readonly dtsTicks: number;
  readonly data: Uint8Array;
}

interface SoundSegment {
  readonly samples: readonly SoundSample[];
  readonly bytes: number;
  readonly discontinuitySequence: number;
  /** In its segments. */
  readonly timescaleHz: number;
}

export class SoundRelay implements SegmentConsumer, FragmentSink {
  readonly #video: Pick<FragmentRelay, 'soundOffset'>;
  readonly #events: Pick<SourceEvents, 'onDropped'>;
  readonly #release: PacedRelease;
  readonly #clock: Clock;
  readonly #flood = new FloodGuard();
  #section: SoundSection;
  #reader: FragmentReader;
  #samples: SoundSample[] = [];
  #sampleBytes = 0;
  #held: SoundSegment[] = [];
  #lastDtsTicks = Number.NEGATIVE_INFINITY;

  constructor(
    section: SoundSection,
    video: Pick<FragmentRelay, 'soundOffset'>,
    events: Pick<SourceEvents, 'onDropped'>,
    release: PacedRelease,
    clock: Clock,
  ) {
    this.#section = section;
    this.#video = video;
    this.#events = events;
    this.#release = release;
    this.#clock = clock;
    this.#reader = this.#newReader();
  }

  /** Fails HLS_MEDIA_CHANGED for other audio than was announced. */
  init(bytes: Buffer): void {
    if (bytes.equals(this.#section.bytes)) return;
    const section = soundSectionOf(readInitSection(bytes));
    if (section === null || !isSameAudio(section.audio.track, this.#section.audio.track)) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_MEDIA_CHANGED);
    }
    this.#section = section;
    this.#reader = this.#newReader();
  }

  segment(bytes: Buffer, { discontinuitySequence }: MediaSegment): void {
    checkSegmentBoxes(bytes);
    this.#samples = [];
    this.#sampleBytes = 0;
    this.#reader.push(bytes);
    const { timescaleHz } = this.#section.audio;
    const read = { samples: this.#samples, bytes: this.#sampleBytes, discontinuitySequence, timescaleHz };
    this.#samples = [];
    if (read.samples.length === 0) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { samples: 0 });
    }
    const nowMonoMs = this.#clock.monoMs();
    if (!this.#flood.admits(read.samples.length, 0, nowMonoMs)) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_FLOOD, { ...this.#flood.figures(nowMonoMs) });
    }
    this.#held.push(read);
    this.videoCame();
  }

  /** Silence replaces the missing sound. */
  missed(): void {
    // The times of the next segment say so.
  }

  /** Places segments that waited for their video; segments beyond the limits are left out. */
  videoCame(): void {
    this.#held = this.#held.filter((segment) => !this.#place(segment));
    let bytes = this.#held.reduce((sum, segment) => sum + segment.bytes, 0);
    while (this.#held.length > MAX_HELD_SEGMENTS || bytes > MAX_HELD_BYTES) {
      const oldest = this.#held.shift()!;
      bytes -= oldest.bytes;
      this.#dropped(oldest);
    }
  }

  /** Held segments do not count: their video may never come. */
  get waitingMs(): number {
    return this.#release.soundWaitingMs;
  }

  get waitingBytes(): number {
    return this.#release.soundWaitingBytes;
  }

  /** Sound without video has no end to wait for. */
  async drained(): Promise<void> {}

  /** Its playlist is over. Another one may follow. */
  close(): void {
    this.#held = [];
  }

  /** @internal from FragmentReader: known from the section. */
  onTracks(): void {
    // The same bytes were read before.
  }

  /** @internal from FragmentReader */
  onSample(trackIndex: number, dtsTicks: number, _pts: number, _isKey: boolean, data: Uint8Array): void {
    if (trackIndex !== this.#section.audio.index || data.length === 0) return;
    if (this.#samples.length >= MAX_SEGMENT_SAMPLES) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_TOO_LONG, { samples: MAX_SEGMENT_SAMPLES });
    }
    this.#samples.push({ dtsTicks, data: new Uint8Array(data) });
    this.#sampleBytes += data.length;
  }

  #newReader(): FragmentReader {
    const reader = new FragmentReader(this);
    reader.push(this.#section.bytes);
    return reader;
  }

  /** Returns false if its video has not come. */
  #place(segment: SoundSegment): boolean {
    const { samples, timescaleHz, discontinuitySequence } = segment;
    const start90k = Math.round((samples[0]!.dtsTicks * VIDEO_TIMESCALE_HZ) / timescaleHz);
    const offset90k = this.#video.soundOffset(discontinuitySequence, start90k);
    if (offset90k === 'early') return false;
    if (offset90k === 'past') this.#dropped(segment);
    else this.#release.queueSound(this.#timed(samples, timescaleHz, offset90k));
    return true;
  }

  #timed(samples: readonly SoundSample[], timescaleHz: number, offset90k: number): TimedUnit[] {
    const rateHz = this.#section.audio.track.timescaleHz;
    const units: TimedUnit[] = [];
    let [joining, misplaced] = [0, 0];
    for (const { dtsTicks, data } of samples) {
      const dts = soundTicks(dtsTicks, timescaleHz, rateHz, offset90k);
      if (dts < 0) joining += 1;
      else if (dts <= this.#lastDtsTicks) misplaced += 1;
      else {
        this.#lastDtsTicks = dts;
        const times = { dtsTicks: dts, ptsTicks: dts, mediaMs: (dts * 1_000) / rateHz };
        units.push({ trackIndex: AUDIO_INDEX, ...times, isKey: true, data, arrivalMonoMs: 0 });
      }
    }
    // Nothing comes out before the first key frame.
    if (joining > 0) this.#events.onDropped(joining, JOINING_CODE);
    if (misplaced > 0) this.#events.onDropped(misplaced, HLS_SOURCE_ERRORS.HLS_BAD_TIMESTAMP.code);
    return units;
  }

  #dropped({ samples }: SoundSegment): void {
    this.#events.onDropped(samples.length, HLS_SOURCE_ERRORS.HLS_BAD_TIMESTAMP.code);
  }
}
