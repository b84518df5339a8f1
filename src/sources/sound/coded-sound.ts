/**
 * How the payloads of each encoding are put into a stream that ffmpeg reads from a pipe, and how many samples they
 * contain. RFC 3551 §4.5 (G.711, G.722, G.726, L8, L16), RFC 7587 (Opus), RFC 2250 §3.5 (MPEG audio).
 */

import { OPUS_SAMPLE_RATE_HZ, opusSamples } from '../../codec/opus/opus-packet.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { mpegAudioSamples } from './mpeg-audio.ts';
import { OggOpusWriter } from './ogg-opus.ts';

/** The stream of one worker. */
export interface SoundStream {
  /** A copy of the payload, as bytes of the stream. */
  write(chunk: Uint8Array, start: number, end: number): Buffer;
}

export interface CodedSound {
  /** Describes the input to ffmpeg. */
  readonly inputOptions: readonly string[];
  /** Rate of the decoder's samples. */
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly clockRateHz: number;
  /** Samples per channel in a payload; 0 if it cannot be read. */
  samples(chunk: Uint8Array, start: number, end: number): number;
  openStream(): SoundStream;
}

/** RFC 3551 §4.5.2: the clock says 8000 because of a mistake that was kept. */
const G722_SAMPLE_RATE_HZ = 16_000;
const MPEG_POSITION_RATE_HZ = 48_000;
const MAX_CHANNELS = 8;
const MAX_CLOCK_RATE_HZ = 192_000;
/** RFC 2250 §3.5: MBZ and Frag_offset. */
const MPEG_AUDIO_HEADER_BYTES = 4;
/** ffmpeg's names for the sample formats, and the bytes per sample. */
const PCM: ReadonlyMap<string, readonly [format: string, sampleBytes: number]> = new Map([
  ['pcmu', ['mulaw', 1]],
  ['pcma', ['alaw', 1]],
  ['l16', ['s16be', 2]],
  ['pcm', ['s16le', 2]],
  ['l8', ['u8', 1]],
]);

/** null for an encoding that cannot be fed to a worker this way. */
export function codedSoundOf(format: MediaFormat): CodedSound | null {
  const { encoding, clockRateHz, channelCount } = format;
  if (channelCount > MAX_CHANNELS || clockRateHz > MAX_CLOCK_RATE_HZ) return null;
  const pcm = PCM.get(encoding);
  if (pcm !== undefined) {
    const [name, sampleBytes] = pcm;
    const inputOptions = ['-f', name, '-ar', String(clockRateHz), '-ac', String(channelCount)];
    return rawSound(inputOptions, clockRateHz, format, 1 / (sampleBytes * channelCount));
  }
  const g726 = /^(aal2-)?g726-(16|24|32|40)$/.exec(encoding);
  if (g726 !== null) {
    const bits = Number(g726[2]) / 8;
    const packing = g726[1] === undefined ? 'g726le' : 'g726';
    const inputOptions = ['-f', packing, '-code_size', String(bits), '-sample_rate', String(clockRateHz)];
    return rawSound(inputOptions, clockRateHz, { ...format, channelCount: 1 }, 8 / bits);
  }
  if (encoding === 'g722') return rawSound(['-f', 'g722'], G722_SAMPLE_RATE_HZ, format, 2);
  if (encoding === 'opus') return opusSound(format);
  return encoding === 'mpa' ? mpegSound(format) : null;
}

/** Payloads one after the other. */
function rawSound(
  inputOptions: readonly string[],
  sampleRateHz: number,
  { clockRateHz, channelCount }: MediaFormat,
  samplesPerByte: number,
): CodedSound {
  return {
    inputOptions,
    sampleRateHz,
    channelCount,
    clockRateHz,
    samples: (_chunk, start, end) => Math.floor((end - start) * samplesPerByte),
    openStream: () => ({ write: (chunk, start, end) => Buffer.from(chunk.subarray(start, end)) }),
  };
}

function opusSound({ clockRateHz, fmtp }: MediaFormat): CodedSound {
  // RFC 7587 §7: rtpmap always says two channels; sprop-stereo says how many are used.
  const channelCount = fmtp.get('sprop-stereo') === '0' ? 1 : 2;
  return {
    inputOptions: ['-f', 'ogg'],
    sampleRateHz: OPUS_SAMPLE_RATE_HZ,
    channelCount,
    clockRateHz,
    samples: opusSamples,
    openStream: () => new OggOpusWriter(channelCount),
  };
}

/** Frames carry their own rate; positions are counted at one common rate. */
function mpegSound({ clockRateHz, channelCount }: MediaFormat): CodedSound {
  return {
    inputOptions: ['-f', 'mp3'],
    sampleRateHz: MPEG_POSITION_RATE_HZ,
    channelCount,
    clockRateHz,
    samples: (chunk, start, end) => {
      const isContinued =
        end - start > MPEG_AUDIO_HEADER_BYTES && (chunk[start + 2]! | chunk[start + 3]!) !== 0;
      return isContinued
        ? 0
        : mpegAudioSamples(chunk, start + MPEG_AUDIO_HEADER_BYTES, end, MPEG_POSITION_RATE_HZ);
    },
    openStream: () => ({
      write: (chunk, start, end) =>
        Buffer.from(chunk.subarray(Math.min(end, start + MPEG_AUDIO_HEADER_BYTES), end)),
    }),
  };
}
