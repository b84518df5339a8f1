/** Frames are decoded by Debian's `flac` and by ffmpeg, which share no code with us or with each other. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FlacEncoder, type FlacFormat } from './flac-encoder.ts';
import { flacTrackOf, readStreamInfo, writeStreamInfo } from './stream-info.ts';

const FULL_SCALE = 32_767;
const LARGEST_RATIO = 1.1;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flac-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A generator of the same numbers in [0, 1) each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Noise without the pattern of the generator above. */
function noiseAt(at: number): number {
  let state = at;
  for (let round = 0; round < 2; round++) state = Math.imul(state ^ (state >>> 16), 0x45d9f3b) >>> 0;
  return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
}

function run(command: string, args: readonly string[], input?: Buffer): Buffer {
  const result = spawnSync(command, args, { maxBuffer: 1e9, ...(input === undefined ? {} : { input }) });
  if (result.status !== 0) throw new Error(`${command}: ${result.stderr}`);
  expect(result.stderr.toString().replace(/.*WARNING, cannot check MD5.*\n?/, '')).toBe('');
  return result.stdout;
}

/** A FLAC file of whole blocks of interleaved samples. */
function encodeFile(format: FlacFormat, samples: Int16Array): Buffer {
  const encoder = new FlacEncoder(format);
  const { channelCount, blockSamples } = format;
  const left = new Int32Array(blockSamples);
  const right = channelCount === 2 ? new Int32Array(blockSamples) : null;
  const frames: Buffer[] = [];
  for (let at = 0; at < samples.length; at += blockSamples * channelCount) {
    for (let index = 0; index < blockSamples; index++) {
      left[index] = samples[at + index * channelCount]!;
      if (right !== null) right[index] = samples[at + index * channelCount + 1]!;
    }
    frames.push(Buffer.from(encoder.encode(left, right)));
  }
  const head = Buffer.from('664c614380000022', 'hex'); // fLaC, and the header of the last metadata block
  return Buffer.concat([head, encoder.track.streamInfo, ...frames]);
}

function bytesOf(samples: Int16Array): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
}

function expectSameDecoded(format: FlacFormat, samples: Int16Array): number {
  const file = encodeFile(format, samples);
  const path = join(folder, 'ours.flac');
  writeFileSync(path, file);
  const raw = ['--force-raw-format', '--endian=little', '--sign=signed'];
  const byFlac = run('flac', ['--silent', '--decode', ...raw, '--stdout', path]);
  const byFfmpeg = run('ffmpeg', [
    ...['-loglevel', 'error', '-err_detect', 'explode', '-i', path],
    ...['-f', 's16le', 'pipe:1'],
  ]);
  expect(byFlac.equals(bytesOf(samples))).toBe(true);
  expect(byFfmpeg.equals(bytesOf(samples))).toBe(true);
  return file.length;
}

/** Size of the output of `flac -0`, with its own block size or another one. */
function referenceBytes(
  { sampleRateHz, channelCount }: FlacFormat,
  samples: Int16Array,
  block?: number,
): number {
  const [raw, path] = [join(folder, 'raw.s16'), join(folder, 'reference.flac')];
  writeFileSync(raw, bytesOf(samples));
  const shape = [`--channels=${channelCount}`, `--sample-rate=${sampleRateHz}`, '--bps=16'];
  run('flac', [
    ...[
      '--silent',
      '--force',
      '-0',
      '--no-padding',
      '--no-seektable',
      ...(block ? ['-b', String(block)] : []),
    ],
    ...['--force-raw-format', '--endian=little', '--sign=signed', ...shape, '-o', path, raw],
  ]);
  return statSync(path).size;
}

/** Voiced and unvoiced sounds and pauses: pulses or noise through three resonators whose frequencies move. */
function speechLike(sampleRateHz: number, seconds: number): Int16Array {
  const random = randomFrom(11);
  const samples = new Int16Array(sampleRateHz * seconds);
  const past = [0, 0, 0, 0, 0, 0];
  let [untilNext, pitch, phase, loudness, isVoiced] = [0, 120, 0, 0, true];
  let formants = [500, 1_500, 2_500];
  for (let at = 0; at < samples.length; at++) {
    if (untilNext-- <= 0) {
      untilNext = Math.floor(sampleRateHz * (0.05 + 0.2 * random()));
      isVoiced = random() < 0.7;
      loudness = random() < 0.25 ? 0.002 : 0.1 + 0.5 * random();
      pitch = 90 + 120 * random();
      formants = [300 + 500 * random(), 900 + 1_400 * random(), 2_300 + 900 * random()];
    }
    phase += pitch / sampleRateHz;
    let value = isVoiced ? (phase >= 1 ? 1 : 0) : (random() - 0.5) * 0.3;
    if (phase >= 1) phase -= 1;
    formants.forEach((hz, index) => {
      const radius = 0.96;
      const next =
        value +
        2 * radius * Math.cos((2 * Math.PI * hz) / sampleRateHz) * past[2 * index]! -
        radius * radius * past[2 * index + 1]!;
      past[2 * index + 1] = past[2 * index]!;
      past[2 * index] = next;
      value = next * 0.35;
    });
    const hiss = (random() - 0.5) * 12;
    samples[at] = Math.max(-32_768, Math.min(FULL_SCALE, Math.round(value * loudness * 12_000 + hiss)));
  }
  return samples;
}

function made(blocks: number, format: FlacFormat, sample: (at: number) => number): Int16Array {
  return Int16Array.from({ length: blocks * format.blockSamples * format.channelCount }, (_, at) =>
    sample(at),
  );
}

const MONO: FlacFormat = { sampleRateHz: 8_000, channelCount: 1, blockSamples: 320 };
const STEREO: FlacFormat = { sampleRateHz: 44_100, channelCount: 2, blockSamples: 1_792 };

describe('FlacEncoder', () => {
  it.each<[string, (at: number) => number]>([
    ['silence', () => 0],
    ['a constant', () => -12_345],
    ['full scale', (at) => (at % 2 === 0 ? FULL_SCALE : -32_768)],
    ['a square wave', (at) => (at % 80 < 40 ? FULL_SCALE : -32_768)],
    ['a sine', (at) => Math.round(30_000 * Math.sin(at / 7))],
    ['a ramp', (at) => ((at * 37) % 65_536) - 32_768],
    ['wasted bits', (at) => ((at * 7_919) % 64) * 256],
    ['one loud sample in silence', (at) => (at % 991 === 500 ? -32_768 : 0)],
    ['noise', (at) => Math.floor(randomFrom(at)() * 65_536) - 32_768],
  ])('%s comes out as it went in', (_title, sample) => {
    for (const format of [MONO, STEREO]) expectSameDecoded(format, made(8, format, sample));
  });

  it.each([8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 12_345])(
    'frames name %i Hz',
    (sampleRateHz) => {
      const format: FlacFormat = {
        sampleRateHz,
        channelCount: 1,
        blockSamples: Math.round(sampleRateHz / 25),
      };
      expectSameDecoded(
        format,
        made(4, format, (at) => (at * at) % 1_000),
      );
    },
  );

  it('random blocks of all kinds come out as they went in', () => {
    const random = randomFrom(20_260_701);
    for (const format of [MONO, STEREO, { ...MONO, blockSamples: 17 }, { ...STEREO, blockSamples: 4_096 }]) {
      const blocks = format.blockSamples > 1_000 ? 60 : 500;
      const samples = made(blocks, format, () => 0);
      const perBlock = format.blockSamples * format.channelCount;
      for (let block = 0; block < blocks; block++) {
        const [bits, shift, wander] = [Math.floor(random() * 17), Math.floor(random() * 8), random() < 0.5];
        let value = 0;
        for (let at = block * perBlock; at < (block + 1) * perBlock; at++) {
          const noise = Math.floor((random() - 0.5) * 2 ** bits);
          value = wander ? value + noise / 8 : random() < 0.02 ? noise * 8 : noise;
          samples[at] = (value >> shift) << shift;
        }
      }
      expectSameDecoded(format, samples);
    }
  });

  it('numbers its frames beyond one, two and three bytes', () => {
    const format: FlacFormat = { sampleRateHz: 8_000, channelCount: 1, blockSamples: 16 };
    expectSameDecoded(
      format,
      made(70_000, format, (at) => (at % 16 === 0 ? at % 251 : 0)),
    );
  });

  it('10 minutes that are like speech are no larger than what flac -0 makes of them', () => {
    const samples = speechLike(8_000, 600);
    const ours = expectSameDecoded(MONO, samples);
    const [sameBlocks, ownBlocks] = [
      referenceBytes(MONO, samples, MONO.blockSamples),
      referenceBytes(MONO, samples),
    ];
    const ratios = [ours / sameBlocks, ours / ownBlocks].map((ratio) => ratio.toFixed(3));
    process.stdout.write(`flac -0: ${ratios[0]} with our block size, ${ratios[1]} with its own\n`);
    expect(ours).toBeLessThan(sameBlocks * LARGEST_RATIO);
    expect(ours).toBeLessThan(ownBlocks * LARGEST_RATIO);
  });

  // Its own blocks of 1152 samples are 144 ms at 8 kHz: of silence, which is all headers, fewer of them are fewer bytes.
  it.each<[string, (at: number) => number, isOwnBlockLonger: boolean]>([
    ['silence', () => 0, true],
    ['full scale', (at) => (at % 2 === 0 ? FULL_SCALE : -32_768), false],
    ['noise', (at) => Math.floor(noiseAt(at) * 65_536) - 32_768, false],
    ['quiet noise', (at) => Math.floor(noiseAt(at) * 64) - 32, false],
    ['a square wave', (at) => ((at >> 1) % 100 < 50 ? FULL_SCALE : -32_768), false],
    ['two square waves', (at) => ((at >> 1) % (at % 2 === 0 ? 100 : 90) < 50 ? 20_000 : -20_000), false],
    ['a ramp', (at) => ((at * 37) % 65_536) - 32_768, false],
  ])('%s is not much larger than what flac -0 makes of it', (_title, sample, isOwnBlockLonger) => {
    for (const format of [MONO, STEREO]) {
      const samples = made(60, format, sample);
      const ours = encodeFile(format, samples).length;
      expect(ours).toBeLessThan(referenceBytes(format, samples, format.blockSamples) * LARGEST_RATIO);
      if (format === MONO && isOwnBlockLonger) continue;
      expect(ours).toBeLessThan(referenceBytes(format, samples) * LARGEST_RATIO);
    }
  });

  it('codes the difference of two channels that are alike', () => {
    const noise = made(4, STEREO, (at) => Math.floor(randomFrom(at >> 1)() * 2_000));
    const different = made(4, STEREO, (at) => Math.floor(randomFrom(at)() * 2_000));
    expect(encodeFile(STEREO, noise).length).toBeLessThan(encodeFile(STEREO, different).length * 0.55);
    expectSameDecoded(STEREO, noise);
  });
});

describe('STREAMINFO', () => {
  it('is read as it was written, by us and from a file of flac', () => {
    const info = {
      minBlockSamples: 320,
      maxBlockSamples: 320,
      sampleRateHz: 8_000,
      channelCount: 1,
      bitsPerSample: 16,
    };
    expect(readStreamInfo(writeStreamInfo(info))).toEqual(info);
    const samples = made(4, STEREO, (at) => at % 100);
    referenceBytes(STEREO, samples);
    const streamInfo = readFileSync(join(folder, 'reference.flac')).subarray(8, 42);
    expect(flacTrackOf(streamInfo)).toMatchObject({
      sampleRateHz: 44_100,
      channelCount: 2,
      samplesPerFrame: 1_152,
    });
  });
});
