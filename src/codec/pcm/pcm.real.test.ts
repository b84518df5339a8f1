/** Against ffmpeg's decoders, which round the arithmetic of G.726. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { g711Decoder } from './g711.ts';
import { g726Decoder } from './g726.ts';
import { l8Decoder, l16Decoder } from './linear.ts';
import type { PcmDecoder } from './pcm-decoder.ts';
import { decoded, G726_FORMATS } from './pcm-fixture.ts';

function ffmpeg(input: Buffer, from: readonly string[], to: readonly string[]): Buffer {
  const args = ['-loglevel', 'error', ...from, '-i', 'pipe:0', ...to, 'pipe:1'];
  const { stdout, stderr } = spawnSync('ffmpeg', args, { input, maxBuffer: 1e9 });
  expect(stderr.toString()).toBe('');
  return stdout;
}

function samplesOf(bytes: Buffer): Int16Array {
  return Int16Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at));
}

/** By how much ffmpeg's rounding may differ: less than the codes' own noise. */
const LEAST_SNR_DB = 24;

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const BYTES_TWICE = Buffer.concat([ALL_BYTES, Buffer.from(ALL_BYTES).reverse()]);

describe('samples of RFC 3551', () => {
  it.each<[string, PcmDecoder, Buffer]>([
    ['mulaw', g711Decoder('mu-law'), ALL_BYTES],
    ['alaw', g711Decoder('a-law'), ALL_BYTES],
    ['s16be', l16Decoder('big-endian'), BYTES_TWICE],
    ['s16le', l16Decoder('little-endian'), BYTES_TWICE],
    ['u8', l8Decoder(), ALL_BYTES],
  ])('%s decodes as by ffmpeg, for every byte', (name, decoder, bytes) => {
    const theirs = samplesOf(ffmpeg(bytes, ['-f', name, '-ar', '8000'], ['-f', 's16le']));
    expect(decoded(decoder, bytes)).toEqual(theirs);
  });
});

/** Two seconds of a chord that swells and fades. */
const CHORD = Buffer.alloc(32_000);
for (let at = 0; at < CHORD.length / 2; at++) {
  const swell = 6_000 * Math.sin((at * Math.PI) / 4_000) ** 2;
  const chord = Math.sin(at / 3) + Math.sin(at / 4.7) + Math.sin(at / 11);
  CHORD.writeInt16LE(Math.round(swell * chord), 2 * at);
}

describe('G.726', () => {
  // ffmpeg keeps a fraction in the scale factor that the Recommendation cuts (sub-block MIX): with that changed to its way,
  // our output was the same to the last bit. It also adapts codes of 5 bits with the leak of the others, which makes them
  // another code: the digests of pcm.test.ts stand for them.
  it.each(G726_FORMATS.filter(({ bits }) => bits !== 5))(
    'of $bits bits, $packing, is within rounding of ffmpeg',
    ({ bits, packing }) => {
      const name = packing === 'little-endian' ? 'g726le' : 'g726';
      const raw = ['-f', 's16le', '-ar', '8000', '-ac', '1'];
      const codes = ffmpeg(CHORD, raw, ['-c:a', name, '-b:a', `${bits * 8}k`, '-f', name]);
      const shape = ['-f', name, '-code_size', String(bits), '-sample_rate', '8000'];
      const theirs = samplesOf(ffmpeg(codes, shape, ['-f', 's16le']));
      const ours = decoded(g726Decoder(bits, packing), codes);
      expect(ours.length).toBe(theirs.length);
      let [signal, noise] = [0, 0];
      theirs.forEach((sample, at) => {
        signal += sample ** 2;
        noise += (sample - ours[at]!) ** 2;
      });
      expect(10 * Math.log10(signal / noise)).toBeGreaterThan(LEAST_SNR_DB);
    },
  );
});
