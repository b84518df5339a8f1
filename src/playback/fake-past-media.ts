/** Recorded media without a storage, for tests: segments of a camera, whose bytes say what they are. */

import { FAKE_AUDIO, FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import type { H264Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import type { FoundFile, FoundSegment } from '../recording/recording-finder.ts';
import { endEpochMs, type RecordedSegment, timeSpanOf } from '../recording/segment-index.ts';
import type { RecordingSpan } from '../store/recording.ts';
import type { PastMedia } from './recorded-media.ts';
import type { CameraRenditions } from './recorded-places.ts';
import type { LentBytes } from './recording-reads.ts';

const TIMESCALE_HZ = 90_000;
const SEGMENT_BYTES = 1_000;
const INIT_BYTES = 900;

export interface FakeSegmentFields {
  readonly epochMs: number;
  readonly durationMs?: number;
  readonly isDiscontinuity?: boolean;
}

export class FakePastMedia implements PastMedia {
  /** That of the substream; null: there is none. */
  sub: FakePastMedia | null = null;
  readonly #files: { name: string; number: number; segments: RecordedSegment[] }[] = [];
  readonly reads: string[] = [];
  /** Set: reads wait for it. */
  gate: Promise<void> | null = null;
  readonly #init: Buffer;

  readonly #folder: string;

  /** `folder`: of its files, with a slash at the end. */
  constructor(video: H264Track = FAKE_VIDEO, hasAudio = true, folder = '') {
    this.#folder = folder;
    this.#init = writeInitSegment(hasAudio ? [video, FAKE_AUDIO] : [video]);
  }

  /** The next recording file; its first segment continues the one before unless it says otherwise. */
  beginFile(): void {
    const number = this.#files.length;
    this.#files.push({ name: `${this.#folder}file-${number}`, number, segments: [] });
  }

  record({ epochMs, durationMs = 2_000, isDiscontinuity = false }: FakeSegmentFields): void {
    if (this.#files.length === 0) this.beginFile();
    const file = this.#files.at(-1)!;
    const last = this.#files.findLast(({ segments }) => segments.length > 0)?.segments.at(-1);
    const startTicks = last === undefined || isDiscontinuity ? 0 : last.startTicks + last.durationTicks;
    file.segments.push({
      offset: 10_000 + file.segments.length * SEGMENT_BYTES,
      byteLength: SEGMENT_BYTES,
      startTicks,
      durationTicks: (durationMs * TIMESCALE_HZ) / 1_000,
      timescaleHz: TIMESCALE_HZ,
      epochMs,
      isDiscontinuity: isDiscontinuity || last === undefined,
      init: { offset: 100, byteLength: INIT_BYTES },
    });
  }

  /** `count` segments of 2 s from `epochMs`. The first one starts a new run. */
  recordRun(epochMs: number, count: number): void {
    for (let i = 0; i < count; i++) {
      this.record({ epochMs: epochMs + i * 2_000, isDiscontinuity: i === 0 });
    }
  }

  has(name: string): boolean {
    return this.#files.some((file) => file.name === name);
  }

  /** As retention does. */
  deleteFile(number: number): void {
    this.#files[number] = { name: `${this.#folder}file-${number}`, number, segments: [] };
  }

  async segments(_stream: unknown, fromMs: number, toMs: number): Promise<FoundFile[]> {
    return this.#files
      .map(({ name, number, segments }) => ({
        name,
        number,
        segments: segments.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs),
      }))
      .filter(({ segments }) => segments.length > 0);
  }

  async renditions(_cameraUuid: unknown, fromMs: number, toMs: number): Promise<CameraRenditions> {
    const main = await this.segments(null, fromMs, toMs);
    const sub = (await this.sub?.segments(null, fromMs, toMs)) ?? [];
    return { main, sub, areTwo: sub.length > 0 };
  }

  async pictures(): Promise<RecordingSpan[]> {
    return [];
  }

  async spans(stream: unknown, fromMs: number, toMs: number): Promise<RecordingSpan[]> {
    const files = await this.segments(stream, fromMs, toMs);
    return files.flatMap(({ segments }) =>
      segments.map((segment) => ({ startMs: segment.epochMs, endMs: endEpochMs(segment) })),
    );
  }

  async hours(_stream: unknown, fromMs: number, toMs: number): Promise<RecordingSpan[]> {
    return this.#files
      .filter(({ segments }) => segments.length > 0)
      .map(({ segments }) => timeSpanOf(segments))
      .filter(({ startMs, endMs }) => startMs < toMs && endMs > fromMs);
  }

  async seek(_stream: unknown, atMs: number): Promise<FoundSegment | null> {
    for (const { name, number, segments } of this.#files) {
      const segment = segments.find((each) => endEpochMs(each) > atMs);
      if (segment !== undefined) return { name, number, segment };
    }
    return null;
  }

  async read(name: string, offset: number, length: number): Promise<Buffer> {
    if (this.sub?.has(name) === true) return this.sub.read(name, offset, length);
    this.reads.push(`${name}@${offset}`);
    await this.gate;
    const isThere = this.#files.some((file) => file.name === name && file.segments.length > 0);
    if (!isThere) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
    if (length === INIT_BYTES) return Buffer.from(this.#init);
    return saying(`${name}@${offset} `, length);
  }

  readStored(name: string, offset: number, length: number): Promise<Buffer> {
    return this.read(name, offset, length);
  }

  async lend(name: string, offset: number, length: number): Promise<LentBytes> {
    return { bytes: await this.read(name, offset, length), release: () => undefined };
  }

  async readTrack(name: string, offset: number, length: number, trackId: number): Promise<Buffer> {
    await this.read(name, offset, length);
    return saying(`track ${trackId} of ${name}@${offset} `, length / 2);
  }
}

/** A box that is filled with the text. */
function saying(text: string, byteLength: number): Buffer {
  const header = Buffer.from('\0\0\0\0free', 'latin1');
  header.writeUInt32BE(byteLength, 0);
  return Buffer.concat([header, Buffer.alloc(byteLength - header.length, text)]);
}
