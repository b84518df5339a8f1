/**
 * Samples of the open streams of all cameras. The gateway's thread reads them in slices and sends them as a text and an array of numbers,
 * which cost little to copy. The API's thread requests them only if a caller wants them, and not more often than MAX_AGE_MS, whatever the
 * number of callers (docs/design/threads.md).
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';

/** One open stream. Unknown numbers are null. */
export interface StreamSample {
  /** RFC 6381, of its tracks. */
  readonly codecs: readonly string[];
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  readonly frameRateHz: number | null;
  /** The bit rate of video and audio, over the live window. */
  readonly bitsPerSec: number | null;
  readonly keyFrameDistanceMs: number | null;
  /** Since the gateway opened it, without those before the first key frame. */
  readonly droppedFrames: number | null;
  readonly clockDriftPpm: number | null;
  /** An ffmpeg worker carries it. */
  readonly hasWorker: boolean;
}

export interface CameraSample {
  main: StreamSample | null;
  sub: StreamSample | null;
  /** On this node, of all shares and without one. */
  viewers: number;
}

export interface PackedStreamSamples {
  /** A line for each stream: camera, `main` or `sub`, and its codecs, separated by spaces. */
  readonly streams: string;
  /** NUMBERS for each stream; NaN: unknown. */
  readonly numbers: Float64Array;
  /** A line for each camera that someone watches: camera and viewers. */
  readonly viewers: string;
}

const NUMBERS = [
  'widthPx',
  'heightPx',
  'frameRateHz',
  'bitsPerSec',
  'keyFrameDistanceMs',
  'droppedFrames',
  'clockDriftPpm',
] as const;
type NumberName = Exclude<keyof StreamSample, 'codecs' | 'hasWorker'>;
const NUMBERS_PER_STREAM = NUMBERS.length + 1;

export class StreamSamplePacker {
  readonly #streams: string[] = [];
  readonly #numbers: number[] = [];
  readonly #viewers: string[] = [];

  stream(cameraUuid: Ruuid, profile: 'main' | 'sub', sample: StreamSample): void {
    this.#streams.push(`${cameraUuid} ${profile} ${sample.codecs.join(' ')}`);
    for (const name of NUMBERS) this.#numbers.push(sample[name as NumberName] ?? Number.NaN);
    this.#numbers.push(Number(sample.hasWorker));
  }

  watched(cameraUuid: Ruuid, viewers: number): void {
    this.#viewers.push(`${cameraUuid} ${viewers}`);
  }

  packed(): PackedStreamSamples {
    return {
      streams: this.#streams.join('\n'),
      numbers: Float64Array.from(this.#numbers),
      viewers: this.#viewers.join('\n'),
    };
  }
}

/** Samples by camera; those that are closed and have no viewers are absent. In slices. */
export async function unpackStreamSamples(
  packed: PackedStreamSamples,
): Promise<ReadonlyMap<Ruuid, CameraSample>> {
  const cameras = new Map<Ruuid, CameraSample>();
  const of = (uuid: string): CameraSample => {
    const known = cameras.get(uuid as Ruuid);
    if (known !== undefined) return known;
    const added: CameraSample = { main: null, sub: null, viewers: 0 };
    cameras.set(uuid as Ruuid, added);
    return added;
  };
  const work = new SlicedWork();
  for (const [index, line] of linesOf(packed.streams).entries()) {
    const [uuid = '', profile, ...codecs] = line.split(' ');
    of(uuid)[profile === 'sub' ? 'sub' : 'main'] = sampleAt(packed.numbers, index, codecs);
    if (work.step()) await work.pause();
  }
  for (const line of linesOf(packed.viewers)) {
    const [uuid = '', viewers] = line.split(' ');
    of(uuid).viewers += Number(viewers);
    if (work.step()) await work.pause();
  }
  return cameras;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function sampleAt(numbers: Float64Array, index: number, codecs: string[]): StreamSample {
  const start = index * NUMBERS_PER_STREAM;
  const at = (name: NumberName): number | null => {
    const value = numbers[start + NUMBERS.indexOf(name)] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  };
  return {
    codecs: codecs.filter((codec) => codec !== ''),
    widthPx: at('widthPx'),
    heightPx: at('heightPx'),
    frameRateHz: at('frameRateHz'),
    bitsPerSec: at('bitsPerSec'),
    keyFrameDistanceMs: at('keyFrameDistanceMs'),
    droppedFrames: at('droppedFrames'),
    clockDriftPpm: at('clockDriftPpm'),
    hasWorker: numbers[start + NUMBERS.length] === 1,
  };
}

/** Asks the gateway's thread. */
export type ReadStreamSamples = () => Promise<PackedStreamSamples>;

const MAX_AGE_MS = 2_000;

export class StreamSamples {
  readonly #read: ReadStreamSamples;
  readonly #clock: Clock;
  #latest: { readonly cameras: ReadonlyMap<Ruuid, CameraSample>; readonly readMonoMs: number } | null = null;
  #reading: Promise<ReadonlyMap<Ruuid, CameraSample>> | null = null;

  constructor(read: ReadStreamSamples, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** At most two seconds old. Rejects like the call. */
  async latest(): Promise<ReadonlyMap<Ruuid, CameraSample>> {
    const latest = this.#latest;
    if (latest !== null && this.#clock.monoMs() - latest.readMonoMs < MAX_AGE_MS) return latest.cameras;
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNow(): Promise<ReadonlyMap<Ruuid, CameraSample>> {
    const cameras = await unpackStreamSamples(await this.#read());
    this.#latest = { cameras, readMonoMs: this.#clock.monoMs() };
    return cameras;
  }
}
