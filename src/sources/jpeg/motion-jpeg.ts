/**
 * A camera whose video is JPEGs. Each JPEG is a complete still image. A source encodes video from them only while someone
 * wants video, on their timeline, so that the camera's audio fits it. The camera has one connection regardless of its
 * viewers.
 */

import type { JpegPicture } from '../../codec/jpeg/baseline-jpeg.ts';
import type { AccessUnit, AudioTrack, CodedTrack, JpegTrack, Track } from '../../codec/track.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { UnitFeed, UnitReader } from '../../stream/source/unit-feed.ts';
import type { JpegPath } from './jpeg-path.ts';

/** The ticks of `onJpeg`. */
const TIMESCALE_HZ = 90_000;

export class MotionJpeg implements JpegPath, UnitFeed {
  readonly #sink: SourceSink;
  readonly #encoder: Source;
  #audio: AudioTrack | null = null;
  /** The newest picture's track. */
  #track: JpegTrack | null = null;
  #encoding: SourceInstance | null = null;
  #reader: UnitReader | null = null;
  readonly #closing = new Set<Promise<void>>();
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: true,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };

  /** `encoderOf`: makes the source of the video that is encoded from this feed. */
  constructor(sink: SourceSink, encoderOf: (feed: UnitFeed) => Source) {
    this.#sink = sink;
    this.#encoder = encoderOf(this);
  }

  async close(): Promise<void> {
    this.#stop();
    await Promise.all(this.#closing);
  }

  onTracks([audio]: readonly Track[]): void {
    this.#audio = audio?.kind === 'audio' ? audio : null;
  }

  onJpeg(picture: JpegPicture, ptsTicks: number, arrivalMonoMs: number): void {
    const { bytes, widthPx, heightPx } = picture;
    this.#sink.onStill({ ...picture, arrivalMonoMs });
    if (this.#sink.isOver) return;
    const before = this.#track;
    if (before?.widthPx !== widthPx || before.heightPx !== heightPx) this.#announce(widthPx, heightPx);
    const wantsVideo = this.#sink.urgency() !== 'picture';
    if (wantsVideo && this.#encoding === null) this.#start();
    else if (!wantsVideo && this.#encoding !== null) {
      this.#stop();
      this.#sink.onStillsOnly();
    }
    const unit = this.#unit;
    unit.dtsTicks = ptsTicks;
    unit.ptsTicks = ptsTicks;
    unit.data = bytes;
    unit.arrivalMonoMs = arrivalMonoMs;
    this.#reader?.onAccessUnit(unit);
  }

  /** Passes audio on. Without video, it has no listeners. */
  onAccessUnit(unit: AccessUnit): void {
    this.#reader?.onAccessUnit(unit);
  }

  onDropped(frames: number, code: string): void {
    this.#sink.onDropped(frames, code);
  }

  onClock(reading: ClockReading): void {
    this.#sink.onClock(reading);
  }

  attach(reader: UnitReader): void {
    this.#reader = reader;
    reader.onTracks(this.#tracks());
  }

  detach(reader: UnitReader): void {
    if (this.#reader === reader) this.#reader = null;
  }

  #announce(widthPx: number, heightPx: number): void {
    this.#track = {
      kind: 'video',
      codec: 'jpeg',
      timescaleHz: TIMESCALE_HZ,
      nominalFrameRateHz: null,
      widthPx,
      heightPx,
    };
    this.#reader?.onTracks(this.#tracks());
  }

  #tracks(): CodedTrack[] {
    return [this.#track, this.#audio].filter((track) => track !== null);
  }

  #start(): void {
    this.#encoding = this.#encoder.open(this.#sink.branch());
  }

  #stop(): void {
    const closing = this.#encoding?.close();
    this.#encoding = null;
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}
