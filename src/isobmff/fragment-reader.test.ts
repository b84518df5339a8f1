import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { FragmentReader, MAX_FRAGMENT_SAMPLES } from './fragment-reader.ts';

interface SeenSample {
  trackIndex: number;
  dts: number;
  pts: number;
  isKey: boolean;
  data: string;
}

interface Seen {
  tracks: readonly Track[];
  samples: SeenSample[];
  code: string;
}

function read(bytes: Uint8Array, chunkBytes = bytes.length || 1): Seen {
  const seen: Seen = { tracks: [], samples: [], code: 'ok' };
  const reader = new FragmentReader({
    onTracks: (tracks) => {
      seen.tracks = tracks;
    },
    onSample: (trackIndex, dts, pts, isKey, data) =>
      seen.samples.push({ trackIndex, dts, pts, isKey, data: Buffer.from(data).toString('hex') }),
  });
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    seen.code = error.code;
  }
  return seen;
}

const u8 = (...values: number[]): Buffer => Buffer.from(values);
const u16 = (value: number): Buffer => u8(value >> 8, value & 0xff);
function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}
function box(type: string, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(8 + body.length), Buffer.from(type, 'latin1'), body]);
}
function fullBox(type: string, version: number, flags: number, ...content: Uint8Array[]): Buffer {
  return box(type, u32(version * 0x1000000 + flags), ...content);
}

const SPS = Buffer.from('6742c01eda0280bfe5c04400000fa40003', 'hex');
const PPS = Buffer.from('68ce3c80', 'hex');
const AVCC = box(
  'avcC',
  u8(1, 0x42, 0xc0, 0x1e, 0xff, 0xe1),
  u16(SPS.length),
  SPS,
  u8(1),
  u16(PPS.length),
  PPS,
);
const ASC = u8(0x11, 0x88);
const ESDS = fullBox(
  'esds',
  0,
  0,
  u8(3, 0x80, 0x80, 0x80, 25),
  u16(1),
  u8(0, 4, 17, 0x40),
  Buffer.alloc(12),
  u8(5, 2),
  ASC,
  u8(6, 1, 2),
);

function avcEntry(): Buffer {
  return box('avc1', Buffer.alloc(24), u16(640), u16(360), Buffer.alloc(50), AVCC);
}
function mp4aEntry(): Buffer {
  return box('mp4a', Buffer.alloc(16), u16(2), Buffer.alloc(10), ESDS);
}
function trak(trackId: number, timescaleHz: number, entry: Uint8Array, edits?: Uint8Array): Buffer {
  return box(
    'trak',
    fullBox('tkhd', 0, 3, u32(0, 0, trackId), Buffer.alloc(60)),
    ...(edits === undefined ? [] : [box('edts', edits)]),
    box(
      'mdia',
      fullBox('mdhd', 0, 0, u32(0, 0, timescaleHz, 0, 0)),
      box('minf', box('stbl', fullBox('stsd', 0, 0, u32(1), entry))),
    ),
  );
}
/** Movie timescale 1000, video track 1 at 90 kHz, audio track 2 at 48 kHz. */
function moov(edits: { video?: Uint8Array; audio?: Uint8Array } = {}): Buffer {
  return box(
    'moov',
    fullBox('mvhd', 0, 0, u32(0, 0, 1_000, 0)),
    trak(1, 90_000, avcEntry(), edits.video),
    trak(2, 48_000, mp4aEntry(), edits.audio),
    box(
      'mvex',
      fullBox('trex', 0, 0, u32(1, 1, 3_600, 4, 0x10000)),
      fullBox('trex', 0, 0, u32(2, 1, 1_024, 2, 0)),
    ),
  );
}

const DEFAULT_BASE_IS_MOOF = 0x20000;
const traf = (...boxes: Uint8Array[]): Buffer => box('traf', ...boxes);
const tfhd = (trackId: number, flags = DEFAULT_BASE_IS_MOOF, ...fields: Uint8Array[]): Buffer =>
  fullBox('tfhd', 0, flags, u32(trackId), ...fields);
const tfdt = (ticks: number): Buffer => fullBox('tfdt', 0, 0, u32(ticks));
const mdat = (hex: string): Buffer => box('mdat', Buffer.from(hex, 'hex'));

/** `build` gets the offset of the media data from the start of the moof, which a first pass determines. */
function fragment(build: (dataOffset: number) => Buffer[], data: string): Buffer {
  const moofBytes = box('moof', ...build(0)).length;
  return Buffer.concat([box('moof', ...build(moofBytes + 8)), mdat(data)]);
}

function summary(seen: Seen): string[] {
  return seen.samples.map((s) => `${s.trackIndex} ${s.dts}/${s.pts}${s.isKey ? ' key' : ''} ${s.data}`);
}

describe('FragmentReader: tracks', () => {
  it('describes H.264 and AAC tracks', () => {
    const { tracks, code } = read(moov());
    expect(code).toBe('ok');
    expect(tracks).toEqual([
      {
        kind: 'video',
        codec: 'h264',
        timescaleHz: 90_000,
        sps: [new Uint8Array(SPS)],
        pps: [new Uint8Array(PPS)],
        widthPx: 640,
        heightPx: 360,
        nominalFrameRateHz: null,
        codecString: 'avc1.42c01e',
      },
      {
        kind: 'audio',
        codec: 'aac',
        timescaleHz: 48_000,
        audioSpecificConfig: new Uint8Array(ASC),
        sampleRateHz: 48_000,
        channelCount: 1,
        samplesPerFrame: 1_024,
        codecString: 'mp4a.40.2',
      },
    ]);
  });

  it('leaves out tracks of other codecs and their samples', () => {
    const movie = box('moov', trak(1, 1_000, box('vp09')), trak(2, 48_000, mp4aEntry()));
    const samples = fragment(
      (at) => [
        traf(tfhd(1), tfdt(0), fullBox('trun', 0, 0x201, u32(1, at, 3))),
        traf(tfhd(2), tfdt(7), fullBox('trun', 0, 0x201, u32(1, at + 3, 2))),
      ],
      'aaaaaabbbb',
    );
    const seen = read(Buffer.concat([movie, samples]));
    expect(seen.tracks).toHaveLength(1);
    expect(summary(seen)).toEqual(['0 7/7 key bbbb']);
  });

  it.each([
    ['no parameter sets', moov().indexOf(SPS) - 3, 0xe0, 'ISOBMFF_BOX_INVALID'],
    ['NAL unit lengths of two bytes', moov().indexOf(SPS) - 4, 0xfd, 'ISOBMFF_BOX_INVALID'],
    ['a parameter set longer than its box', moov().indexOf(SPS) - 2, 0xff, 'ISOBMFF_BOX_TRUNCATED'],
  ])('refuses avcC with %s', (_title, at, value, code) => {
    const movie = moov();
    movie[at] = value;
    expect(read(movie).code).toBe(code);
  });
});

describe('FragmentReader: samples', () => {
  it('takes defaults from trex, tfhd, trun and the first-sample flags in this order', () => {
    const seen = read(
      Buffer.concat([
        moov(),
        fragment(
          (at) => [
            // All from trex: 3600 ticks, 4 bytes, not a sync sample; the first is one by its own flags.
            traf(tfhd(1), tfdt(100), fullBox('trun', 0, 0x5, u32(2, at, 0))),
            // Duration, size and flags from tfhd; the run without an offset follows the previous one.
            traf(
              tfhd(2, DEFAULT_BASE_IS_MOOF | 0x38, u32(10, 1, 0x10000)),
              tfdt(5),
              fullBox('trun', 0, 0x1, u32(2, at + 8)),
              fullBox('trun', 0, 0x700, u32(1, 99, 2, 0)),
              fullBox('trun', 0, 0, u32(1)),
            ),
          ],
          '01010101020202020a0bcccc0d',
        ),
      ]),
    );
    expect(seen.code).toBe('ok');
    expect(summary(seen)).toEqual([
      '0 100/100 key 01010101',
      '0 3700/3700 02020202',
      '1 5/5 0a',
      '1 15/15 0b',
      '1 25/25 key cccc',
      '1 124/124 0d',
    ]);
  });

  it('reads composition offsets of both versions and 64-bit decode times', () => {
    const late = fullBox('tfdt', 1, 0, u32(3, 1));
    const run = (version: number, offset: number) => (at: number) => [
      traf(tfhd(1), late, fullBox('trun', version, 0x801, u32(1, at, offset))),
    ];
    const base = 3 * 2 ** 32 + 1;
    const seen = read(
      Buffer.concat([moov(), fragment(run(0, 0x80000000), '00000000'), fragment(run(1, -5), '00000000')]),
    );
    expect(seen.samples.map((s) => [s.dts, s.pts])).toEqual([
      [base, base + 2 ** 31],
      [base, base - 5],
    ]);
  });

  it('continues without tfdt, and places data by an explicit base or after the last track fragment', () => {
    const movie = moov();
    const first = fragment(
      (at) => [traf(tfhd(1), tfdt(0), fullBox('trun', 0, 0x1, u32(2, at)))],
      '1111111122222222',
    );
    const moofAt = movie.length + first.length;
    const second = fragment(
      (at) => [
        traf(tfhd(1, 0x1, u32(0, moofAt + at)), fullBox('trun', 0, 0, u32(1))),
        traf(tfhd(2, 0), fullBox('trun', 0, 0, u32(1))),
      ],
      '333333334444',
    );
    expect(summary(read(Buffer.concat([movie, first, second])))).toEqual([
      '0 0/0 11111111',
      '0 3600/3600 22222222',
      '0 7200/7200 33333333',
      '1 0/0 key 4444',
    ]);
  });

  it('shifts by the start of the edit list: a pause in movie time, then where in the media to begin', () => {
    const edits = { video: fullBox('elst', 0, 0, u32(2, 500, -1, 0x10000, 0, 7_200, 0x10000)) };
    const one = fragment((at) => [traf(tfhd(1), tfdt(0), fullBox('trun', 0, 0x1, u32(1, at)))], '00000000');
    expect(read(Buffer.concat([moov(edits), one])).samples[0]!.dts).toBe(45_000 - 7_200);
    const long = { video: fullBox('elst', 1, 0, u32(1, 0, 0, 0, 1_024, 0x10000)) };
    expect(read(Buffer.concat([moov(long), one])).samples[0]!.dts).toBe(-1_024);
  });

  const run = (offset: number, count = 1): Buffer =>
    Buffer.concat([
      moov(),
      fragment(
        (at) => [traf(tfhd(1), tfdt(0), fullBox('trun', 0, 0x1, u32(count, at + offset)))],
        '00000000',
      ),
    ]);
  it.each([
    ['before its media data', run(-1), 'ISOBMFF_SAMPLE_OUTSIDE'],
    ['after its media data', run(1), 'ISOBMFF_SAMPLE_OUTSIDE'],
    ['at a far negative offset', run(-1e9), 'ISOBMFF_SAMPLE_OUTSIDE'],
    ['in a run of too many', run(0, MAX_FRAGMENT_SAMPLES + 1), 'ISOBMFF_LIMIT'],
    ['before any moov', run(0).subarray(moov().length), 'ISOBMFF_BOX_MISSING'],
    ['between two moov', Buffer.concat([run(0), moov()]), 'ISOBMFF_BOX_INVALID'],
  ])('rejects a sample %s', (_title, bytes, code) => {
    expect(read(bytes).code).toBe(code);
  });
});

describe('FragmentReader: what ffmpeg writes', () => {
  /**
   * Half a second of what a worker writes, by ffmpeg 5.1: moving video of 128x96 at 10 frames per second (libx264, `ultrafast`,
   * `-bf 2`) and a tone (AAC, 16 kHz), `-movflags +empty_moov+default_base_moof -frag_duration 200000`.
   */
  const bytes = readFileSync(resolve(import.meta.dirname, 'fixtures/ffmpeg_worker.mp4'));
  const whole = read(bytes);

  it('finds every sample, and ffmpeg’s codec data', () => {
    expect(whole.code).toBe('ok');
    expect(whole.tracks.map((track) => track.codec)).toEqual(['h264', 'aac']);
    const video = whole.samples.filter((s) => s.trackIndex === 0);
    expect(video).toHaveLength(5);
    expect(video.map((s) => s.isKey)).toEqual([true, false, false, false, false]);
    expect(video.every((s) => s.pts >= s.dts)).toBe(true);
    const audio = whole.samples.filter((s) => s.trackIndex === 1);
    expect(audio.length).toBeGreaterThanOrEqual(8);
    for (const [index, sample] of audio.entries()) {
      if (index > 0) expect(sample.dts).toBeGreaterThan(audio[index - 1]!.dts);
    }
  });

  it('owns its codec data: the chunk may be reused', () => {
    const chunk = Buffer.from(bytes);
    const { tracks } = read(chunk);
    chunk.fill(0);
    expect(tracks).toEqual(whole.tracks);
  });

  it('finds the same when split at every byte', () => {
    for (let at = 1; at < bytes.length; at += 97) {
      const seen: string[] = [];
      const reader = new FragmentReader({
        onTracks: () => seen.push('tracks'),
        onSample: (trackIndex, dts) => seen.push(`${trackIndex} ${dts}`),
      });
      reader.push(bytes.subarray(0, at));
      reader.push(bytes.subarray(at));
      expect(seen).toEqual(['tracks', ...whole.samples.map((s) => `${s.trackIndex} ${s.dts}`)]);
    }
    expect(read(bytes, 1)).toEqual(whole);
  });

  it('returns a prefix of the same when truncated anywhere', () => {
    for (let length = 0; length < bytes.length; length += 211) {
      const seen = read(bytes.subarray(0, length));
      expect(seen.code).toBe('ok');
      expect(whole.samples.slice(0, seen.samples.length)).toEqual(seen.samples);
    }
  });

  it('reports any damage with a code', () => {
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    const inHeaders = fc.array(fc.tuple(fc.nat(1_600), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(damage, inHeaders), (changes) => {
        const damaged = Buffer.from(bytes);
        for (const [at, value] of changes) damaged[at] = value;
        expect(read(damaged, 1_000).code).toMatch(/^ok$|^ISOBMFF_/);
      }),
      randomRuns(1_000),
    );
  });
});
