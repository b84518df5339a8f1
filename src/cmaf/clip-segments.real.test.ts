import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClipFileOptions,
  clipFile,
  codedPackets,
  decodedFrames,
  h264With,
  memorySource,
  turnedFile,
  turnOf,
  withPause,
} from '../../test/support/clip-files.ts';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { looksLikeIsoMedia, readClip } from '../isobmff/clip-reader.ts';
import { clipInit, clipSegments, clipTracks } from './clip-segments.ts';

function remux(file: Uint8Array) {
  const source = memorySource(file);
  const tracks = clipTracks(readClip(source));
  const segments = [...clipSegments(tracks, source)];
  return {
    tracks,
    segments,
    bytes: Buffer.concat([clipInit(tracks), ...segments.map(({ bytes }) => bytes)]),
  };
}

function codeOf(file: Uint8Array): string {
  try {
    remux(file);
    return 'ok';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.code;
  }
}

const H265 =
  '-c:v libx265 -preset ultrafast -tag:v hvc1 -x265-params keyint=25:min-keyint=25:bframes=3:log-level=none:pools=1 -c:a aac';

const FILES: readonly [string, ClipFileOptions][] = [
  ['progressive, index last', {}],
  ['progressive, index first', { muxer: '-movflags +faststart' }],
  ['with B-frames and an edit list', { codecs: h264With('-bf 2') }],
  [
    'with negative composition offsets',
    { codecs: h264With('-bf 2'), muxer: '-movflags +negative_cts_offsets' },
  ],
  ['fragmented', { muxer: '-movflags +empty_moov+default_base_moof+frag_keyframe' }],
  ['fragmented with B-frames', { codecs: h264With('-bf 3'), muxer: '-movflags +frag_keyframe' }],
  ['without audio', { codecs: h264With('', null) }],
  ['of QuickTime', { extension: 'mov' }],
  ['with H.265', { codecs: H265 }],
  ['with FLAC', { codecs: h264With('', 'flac -strict -2') }],
  ['with Opus', { codecs: h264With('', 'libopus') }],
  ['fragmented with Opus', { codecs: h264With('', 'libopus'), muxer: '-movflags +frag_keyframe' }],
  ['with another time scale', { muxer: '-video_track_timescale 600' }],
];

describe('a file cut into segments', () => {
  it.each(FILES)('shows the same frames at the same times: %s', (_name, options) => {
    const file = clipFile(options);
    const { bytes, segments, tracks } = remux(file);
    const before = decodedFrames(file);
    const after = decodedFrames(bytes);
    expect(before).toHaveLength(125);
    expect(after.map(({ md5 }) => md5)).toEqual(before.map(({ md5 }) => md5));
    const span = (frames: typeof before) => frames.at(-1)!.ptsTicks - frames[0]!.ptsTicks;
    expect(span(after)).toBe(span(before));
    expect(segments).toHaveLength(3);
    let nextTicks = 0;
    for (const { startTicks, durationTicks } of segments) {
      expect(startTicks).toBe(nextTicks);
      nextTicks += durationTicks;
    }
    // A muxer of fragments guesses how long the last frame lasts.
    expect(Math.abs(nextTicks / tracks.video.track.timescaleHz - 5)).toBeLessThan(0.04);
    expect(segments.reduce((sum, { pictures }) => sum + pictures, 0)).toBe(125);
  });

  it.each(FILES.filter(([name]) => name !== 'without audio'))(
    'keeps the sound where it was beside the picture: %s',
    (_name, options) => {
      const file = clipFile(options);
      const { bytes } = remux(file);
      const shownSec = (of: Buffer) => Math.min(...codedPackets(of, 'v').map(({ ptsSec }) => ptsSec));
      const [beforeSec, afterSec] = [shownSec(file), shownSec(bytes)];
      const before = new Map(codedPackets(file, 'a').map(({ hash, ptsSec }) => [hash, ptsSec - beforeSec]));
      const after = codedPackets(bytes, 'a');
      // Sound from before the first picture is left out: the encoder's priming.
      expect(after.length).toBeGreaterThanOrEqual(before.size - 2);
      for (const { hash, ptsSec } of after.slice(0, 200)) {
        expect(ptsSec - afterSec).toBeCloseTo(before.get(hash)!, 3);
      }
    },
  );

  it('begins with the first key frame', () => {
    const file = clipFile({ muxer: '-movflags +frag_keyframe+default_base_moof' });
    const { tracks } = remux(file);
    expect(tracks.firstSample).toBe(0);
    expect(tracks.skippedTicks).toBe(0);
  });

  it('ends a segment that gets too long without a key frame', () => {
    const { segments } = remux(clipFile({ seconds: 25, codecs: h264With('-g 10000', null) }));
    expect(segments.map(({ pictures }) => pictures)).toEqual([500, 125]);
  });

  it('begins again after a pause of minutes, and not after one of seconds', () => {
    const { segments, tracks, bytes } = remux(clipFile(withPause(120)));
    const seconds = (ticks: number) => ticks / tracks.video.track.timescaleHz;
    const parts = segments.map(({ startTicks, durationTicks, isAfterGap, pictures }) => {
      return [seconds(startTicks), seconds(durationTicks), pictures, isAfterGap];
    });
    expect(parts).toEqual([
      [0, 2, 50, false],
      [122, 2, 50, true],
    ]);
    const heard = codedPackets(bytes, 'a').map(({ ptsSec }) => ptsSec);
    expect(heard.filter((sec) => sec > 2.1 && sec < 121.9)).toEqual([]);
    expect(heard.filter((sec) => sec > 122).length).toBeGreaterThan(90);
    const short = remux(clipFile(withPause(10)));
    expect(short.segments.map(({ isAfterGap }) => isAfterGap)).toEqual([false, false]);
  });

  it.each([90, 180, 270] as const)('is shown turned by %i degrees, as the file is', (degrees) => {
    const file = turnedFile(clipFile({ seconds: 1 }), degrees);
    const turn = turnOf(file);
    expect(Math.abs(turn!)).toBe(degrees === 270 ? 90 : degrees);
    expect(turnOf(remux(file).bytes)).toBe(turn);
    expect(turnOf(remux(clipFile({ seconds: 1 })).bytes)).toBeNull();
  });

  it.each([['only sound', { codecs: '-vn -c:a aac' }, 'CMAF_CLIP_WITHOUT_VIDEO']] as const)(
    'refuses %s',
    (_name, options, code) => {
      expect(codeOf(clipFile(options))).toBe(code);
    },
  );

  it('names tracks in other codecs', () => {
    const file = clipFile({ codecs: '-c:v mpeg4 -c:a mp3' });
    expect(readClip(memorySource(file))).toMatchObject({
      tracks: [],
      foreign: [
        { kind: 'video', codec: 'mp4v' },
        { kind: 'audio', codec: 'mp4a' },
      ],
    });
  });

  it('does not take other formats for its own', () => {
    expect(looksLikeIsoMedia(memorySource(clipFile()))).toBe(true);
    expect(looksLikeIsoMedia(memorySource(clipFile({ extension: 'mkv' })))).toBe(false);
    expect(looksLikeIsoMedia(memorySource(clipFile({ extension: 'ts' })))).toBe(false);
    expect(looksLikeIsoMedia(memorySource(Buffer.from('ftyp')))).toBe(false);
  });
});

describe.each(FILES.slice(0, 5))('a damaged file, %s', (_name, options) => {
  const file = clipFile({ ...options, seconds: 1 });
  const EXPECTED = /^ok$|^ISOBMFF_|^CMAF_/;

  it('yields what is whole when it is cut off anywhere, and an error when that is nothing', () => {
    const whole = readClip(memorySource(file));
    const isIndexFirst = file.indexOf('moov') < file.indexOf('mdat');
    let most = 0;
    for (let length = 0; length < file.length; length += 1 + Math.floor(file.length / 300)) {
      const part = file.subarray(0, length);
      const code = codeOf(part);
      expect(code).toMatch(EXPECTED);
      if (code !== 'ok') continue;
      expect(isIndexFirst, `${length} of ${file.length} bytes`).toBe(true);
      const { tracks, isCut } = readClip(memorySource(part));
      for (const [index, { samples }] of tracks.entries()) {
        const all = whole.tracks[index]!.samples;
        expect(samples.offsets.subarray(0, samples.count)).toEqual(all.offsets.subarray(0, samples.count));
        if (index > 0) continue;
        // The end of a fragment is the end of a file.
        if (samples.count < all.count && !_name.startsWith('fragmented')) expect(isCut).toBe(true);
        expect(samples.count).toBeGreaterThanOrEqual(most);
        most = samples.count;
      }
    }
    if (isIndexFirst) expect(most).toBeGreaterThan(whole.tracks[0]!.samples.count / 2);
  });

  it('is read to its end if something else follows', () => {
    const whole = readClip(memorySource(file));
    const junk = Buffer.from(Array.from({ length: 1_000 }, (_, index) => 255 - (index % 7)));
    const { tracks, isCut } = readClip(memorySource(Buffer.concat([file, junk])));
    expect(isCut).toBe(true);
    expect(tracks.map(({ samples }) => samples.count)).toEqual(
      whole.tracks.map(({ samples }) => samples.count),
    );
  });

  it('is read or refused with a code, whatever it says', () => {
    const moovAt = file.indexOf('moov');
    const at = fc.oneof(
      fc.nat(file.length - 1),
      fc.integer({ min: moovAt - 4, max: Math.min(moovAt + 3_000, file.length - 1) }),
    );
    const damage = fc.array(fc.tuple(at, fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, (changes) => {
        const damaged = Buffer.from(file);
        for (const [offset, value] of changes) damaged[offset] = value;
        expect(codeOf(damaged)).toMatch(EXPECTED);
      }),
      randomRuns(300),
    );
  });
});
