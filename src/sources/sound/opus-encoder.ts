/**
 * The sound of a camera as Opus, for listeners in real time. FLAC is the camera's samples: they are decoded here, and encoded
 * by a process that many cameras share. AAC, which only C decodes, gets a worker of its own (docs/design/workers.md).
 */

import { adtsHeader } from '../../codec/aac/adts.ts';
import { decodeFlacFrame } from '../../codec/flac/flac-decoder.ts';
import type { AacTrack, AccessUnit, AudioTrack, FlacTrack } from '../../codec/track.ts';
import { AUDIO_SAMPLE_RATE_HZ } from '../../ffmpeg/command.ts';
import type { SoundCoder, SoundCoderEvents, SoundEncoder } from '../../stream/sounds/sound-feed.ts';
import type { CodedSound } from './coded-sound.ts';
import { PooledStream } from './pooled-stream.ts';
import { SamplePace } from './sample-pace.ts';
import type { SoundServers } from './sound-servers.ts';
import { WorkerSound, type WorkerSoundOptions } from './worker-sound.ts';

export interface OpusEncoderOptions extends WorkerSoundOptions {
  /** null: there is no sound server. */
  readonly servers: SoundServers | null;
  /** Of the camera. */
  readonly organization: string;
}

const MIN_SAMPLE_RATE_HZ = 8_000;
const MAX_SAMPLE_RATE_HZ = 48_000;

export class OpusEncoder implements SoundEncoder {
  readonly #options: OpusEncoderOptions;

  constructor(options: OpusEncoderOptions) {
    this.#options = options;
  }

  open(track: AudioTrack, events: SoundCoderEvents): SoundCoder | null {
    const { servers, pool } = this.#options;
    if (track.codec === 'flac') {
      const { sampleRateHz, channelCount } = track;
      const isServed = sampleRateHz >= MIN_SAMPLE_RATE_HZ && sampleRateHz <= MAX_SAMPLE_RATE_HZ;
      if (servers === null || !isServed || (channelCount !== 1 && channelCount !== 2)) return null;
      return new ServedCoder(track, channelCount, servers, this.#options, events);
    }
    if (track.codec !== 'aac' || !pool.isAllowed) return null;
    const coded = codedAac(track);
    return coded === null ? null : new WorkerCoder(coded, this.#options, events);
  }
}

class ServedCoder implements SoundCoder {
  readonly #track: FlacTrack;
  readonly #channelCount: 1 | 2;
  readonly #pace: SamplePace;
  readonly #stream: PooledStream;

  constructor(
    track: FlacTrack,
    channelCount: 1 | 2,
    servers: SoundServers,
    { organization, log, clock }: OpusEncoderOptions,
    { onPacket, urgency }: SoundCoderEvents,
  ) {
    const { sampleRateHz } = track;
    this.#track = track;
    this.#channelCount = channelCount;
    this.#pace = new SamplePace(sampleRateHz, clock);
    this.#stream = new PooledStream(
      { format: { codec: 'opus', sampleRateHz, channelCount }, servers, organization, log },
      { onFrame: onPacket, onWaiting: () => undefined, urgency },
    );
  }

  /** A frame that cannot be decoded is a pause. */
  push({ dtsTicks, data }: AccessUnit): boolean {
    const block = decodeFlacFrame(data);
    if (block === null || block.channelCount !== this.#channelCount) return false;
    const count = block.samples.length / block.channelCount;
    if (!this.#pace.take(count)) return false;
    const stream = this.#stream.next(count, (dtsTicks * 1_000) / this.#track.timescaleHz);
    for (let at = 0; stream !== null && at < block.samples.length; at += SLICE_SAMPLES) {
      const slice = block.samples.subarray(at, at + SLICE_SAMPLES);
      stream.write(slice, slice.length);
    }
    return stream !== null;
  }

  close(): void {
    void this.#stream.close();
  }
}

/** Limit of one write, a whole number of samples of each channel. */
const SLICE_SAMPLES = 16_384;

class WorkerCoder implements SoundCoder {
  readonly #sound: WorkerSound;

  constructor(coded: CodedSound, options: WorkerSoundOptions, { onPacket, urgency }: SoundCoderEvents) {
    this.#sound = new WorkerSound(coded, 'opus', options, {
      onUnit: (ticks, packet) => onPacket((ticks * 1_000) / AUDIO_SAMPLE_RATE_HZ, packet),
      onWaiting: () => undefined,
      urgency,
    });
  }

  push({ dtsTicks, data }: AccessUnit): boolean {
    this.#sound.push(data, 0, data.length, dtsTicks);
    return this.#sound.hasWorker;
  }

  close(): void {
    void this.#sound.close();
  }
}

/** Raw frames as a stream of ADTS; null: a configuration that ADTS does not have. */
function codedAac({ sampleRateHz, channelCount, samplesPerFrame, timescaleHz }: AacTrack): CodedSound | null {
  if (samplesPerFrame !== 1_024 || adtsHeader(sampleRateHz, channelCount, 1) === null) return null;
  return {
    // `nobuffer` would lose the frames in which the format is looked for.
    inputOptions: ['-f', 'aac', '-fflags', '-nobuffer'],
    sampleRateHz,
    channelCount,
    clockRateHz: timescaleHz,
    samples: () => samplesPerFrame,
    openStream: () => ({
      write: (chunk, start, end) => {
        const header = adtsHeader(sampleRateHz, channelCount, end - start);
        return header === null ? Buffer.alloc(0) : Buffer.concat([header, chunk.subarray(start, end)]);
      },
    }),
  };
}
