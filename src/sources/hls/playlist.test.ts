import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { threadMs } from '../../../test/support/thread-time.ts';
import { GatewayError } from '../../core/errors.ts';
import { type MediaPlaylist, type MultivariantPlaylist, readPlaylist } from './playlist.ts';
import { MAX_LINES } from './playlist-sieve.ts';

const BASE = new URL('https://cam.example/live/main/x.m3u8?token=t');

function media(lines: string): MediaPlaylist {
  const playlist = readPlaylist(`#EXTM3U\n#EXT-X-TARGETDURATION:6\n${lines}`, BASE);
  if (playlist.kind !== 'media') throw new Error('not a Media Playlist');
  return playlist;
}

function multivariant(lines: string): MultivariantPlaylist {
  const playlist = readPlaylist(`#EXTM3U\n${lines}`, BASE);
  if (playlist.kind !== 'multivariant') throw new Error('not a Multivariant Playlist');
  return playlist;
}

describe('a Media Playlist', () => {
  it('numbers its segments, and says where their bytes are', () => {
    const { segments, targetDurationMs, isEnded, canBlockReload } = media(`
#EXT-X-MEDIA-SEQUENCE:41
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=18
#EXT-X-MAP:URI="init.mp4",BYTERANGE="700@0"
#EXTINF:5.96,
#EXT-X-BYTERANGE:1000@700
all.mp4
#EXTINF:6,
#EXT-X-BYTERANGE:500
all.mp4
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="/other.mp4"
#EXT-X-GAP
#EXTINF:6.006,
https://cdn.example/a.m4s#x
`);
    expect({ targetDurationMs, isEnded, canBlockReload }).toEqual({
      targetDurationMs: 6_000,
      isEnded: false,
      canBlockReload: true,
    });
    expect(
      segments.map((segment) => [
        segment.mediaSequenceNumber,
        segment.discontinuitySequence,
        segment.url.href,
        segment.range,
        segment.durationMs,
        segment.isGap,
        segment.map?.url.href,
        segment.map?.range,
      ]),
    ).toEqual([
      [
        41,
        3,
        'https://cam.example/live/main/all.mp4',
        { offset: 700, length: 1_000 },
        5_960,
        false,
        'https://cam.example/live/main/init.mp4',
        { offset: 0, length: 700 },
      ],
      [
        42,
        3,
        'https://cam.example/live/main/all.mp4',
        { offset: 1_700, length: 500 },
        6_000,
        false,
        'https://cam.example/live/main/init.mp4',
        { offset: 0, length: 700 },
      ],
      [43, 4, 'https://cdn.example/a.m4s', null, 6_006, true, 'https://cam.example/other.mp4', null],
    ]);
  });

  it('says how segments are encrypted, from one EXT-X-KEY to the next', () => {
    const { segments } = media(`
#EXT-X-KEY:METHOD=AES-128,URI="k1",IV=0x000102030405060708090a0b0c0d0e0f
#EXTINF:6,
a.ts
#EXT-X-KEY:METHOD=AES-128,URI="k2"
#EXTINF:6,
b.ts
#EXT-X-KEY:METHOD=NONE
#EXTINF:6,
c.ts
`);
    expect(segments.map(({ key }) => key && [key.url.pathname, key.iv && Buffer.from(key.iv)])).toEqual([
      ['/live/main/k1', Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')],
      ['/live/main/k2', null],
      null,
    ]);
  });

  it.each([
    [
      'Windows line ends and a byte order mark',
      '\uFEFF#EXTM3U\r\n#EXT-X-TARGETDURATION:4\r\n#EXTINF:4,\r\na.mp4\r\n',
    ],
    [
      'spaces after commas',
      '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI="i", BYTERANGE="4@0"\n#EXTINF:4\na.mp4\n',
    ],
  ])('may have %s', (_title, text) => {
    const playlist = readPlaylist(text, BASE) as MediaPlaylist;
    expect(playlist.segments.map(({ durationMs }) => durationMs)).toEqual([4_000]);
  });

  it.each([
    ['no playlist', '<html></html>', 'HLS_PLAYLIST_INVALID'],
    ['a file', '#EXTM3U\n#EXTINF:4,\nfile:///etc/passwd\n', 'PULL_URL_REFUSED'],
    [
      'an init section in a file',
      '#EXTM3U\n#EXT-X-MAP:URI="file:/etc/passwd"\n#EXTINF:4,\na\n',
      'PULL_URL_REFUSED',
    ],
    ['data', '#EXTM3U\n#EXTINF:4,\ndata:text/plain,x\n', 'PULL_URL_REFUSED'],
    ['the step from https to http', '#EXTM3U\n#EXTINF:4,\nhttp://cam.example/a\n', 'PULL_URL_REFUSED'],
    ['sample encryption', '#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"\n', 'HLS_ENCRYPTION_UNSUPPORTED'],
    [
      'another key format',
      '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k",KEYFORMAT="x"\n',
      'HLS_ENCRYPTION_UNSUPPORTED',
    ],
    ['half an IV', '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x12\n', 'HLS_PLAYLIST_INVALID'],
    ['a day in a segment', '#EXTM3U\n#EXTINF:86400,\na\n', 'HLS_PLAYLIST_INVALID'],
    [
      'a number that no one can count to',
      '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999999999\n#EXTINF:4,\na\n',
      'HLS_PLAYLIST_INVALID',
    ],
    ['too many lines', `#EXTM3U\n${'#x\n'.repeat(MAX_LINES)}`, 'HLS_PLAYLIST_TOO_LONG'],
    ['a line that is too long', `#EXTM3U\n${'a'.repeat(10_000)}`, 'HLS_PLAYLIST_TOO_LONG'],
  ])('is refused with %s', (_title, text, code) => {
    expect(() => readPlaylist(text, BASE)).toThrow(expect.objectContaining({ code }));
  });
});

describe('a Multivariant Playlist', () => {
  it('offers variants and where their audio is', () => {
    const { variants } = multivariant(`
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="de",URI="de.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",DEFAULT=YES,URI="en.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="in",NAME="en"
#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a"
hi.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=1280x720,AUDIO="in"
lo.m3u8
`);
    expect(
      variants.map((variant) => ({
        ...variant,
        url: variant.url.pathname,
        audioUrl: variant.audioUrl?.pathname,
      })),
    ).toEqual([
      {
        url: '/live/main/hi.m3u8',
        bandwidthBitsPerSec: 900_000,
        codecs: 'avc1.64001f,mp4a.40.2',
        pixels: 0,
        audioUrl: '/live/main/en.m3u8',
      },
      {
        url: '/live/main/lo.m3u8',
        bandwidthBitsPerSec: 300_000,
        codecs: null,
        pixels: 921_600,
        audioUrl: undefined,
      },
    ]);
  });
});

describe('hostile playlists', () => {
  // m3u8-parser 7.2 takes these names as keys of plain objects.
  it.each([
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="__proto__",NAME="polluted",URI="x"',
    '#EXT-X-MEDIA:TYPE=__proto__,GROUP-ID="polluted",NAME="polluted",URI="x"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="toString",NAME="call",URI="x"',
    '#EXT-X-DATERANGE:ID="__proto__",START-DATE="2020-01-01T00:00:00Z",POLLUTED="x"',
  ])('reach nothing but their own values: %s', (line) => {
    const call = Object.prototype.toString.call;
    const keys = Reflect.ownKeys(Object.prototype);
    multivariant(`${line}\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n`);
    expect(Reflect.ownKeys(Object.prototype)).toEqual(keys);
    expect(Object.prototype.toString.call).toBe(call);
  });

  it.each([
    ['10,000 segments', `#EXTINF:2,\nsegment.m4s\n`.repeat(10_000)],
    [
      'an init section and a key for each of 2,000 segments',
      `#EXT-X-MAP:URI="i"\n#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF:2,\ns\n`.repeat(2_000),
    ],
    ['attribute lists without equals signs', `#EXT-X-MAP:${',A'.repeat(4_000)}\n`.repeat(100)],
    [
      'attribute lists with many commas in quotes',
      `#EXT-X-STREAM-INF:CODECS="${','.repeat(8_000)}"\na\n`.repeat(100),
    ],
    [
      'preload hints and reports',
      `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="a"\n#EXT-X-RENDITION-REPORT:URI="a"\n`.repeat(10_000),
    ],
    ['date ranges with one ID', `#EXT-X-DATERANGE:ID="a",START-DATE="2020-01-01T00:00:00Z"\n`.repeat(15_000)],
    ['definitions', `#EXT-X-DEFINE:NAME="a",VALUE="b"\n`.repeat(4_000)],
  ])('cost less than a second: %s', (_title, lines) => {
    const tookMs = threadMs(() => {
      try {
        readPlaylist(`#EXTM3U\n${lines}`, BASE);
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
      }
    });
    expect(tookMs).toBeLessThan(1_000);
  });

  it('fail with a code, or give segments with web addresses and sane numbers', () => {
    const tag = fc.constantFrom(
      ...[
        '#EXT-X-TARGETDURATION:',
        '#EXT-X-MEDIA-SEQUENCE:',
        '#EXTINF:',
        '#EXT-X-BYTERANGE:',
        '#EXT-X-MAP:URI=',
      ],
      ...[
        '#EXT-X-KEY:METHOD=AES-128,URI="k",IV=',
        '#EXT-X-KEY:METHOD=',
        '#EXT-X-STREAM-INF:BANDWIDTH=',
        '#EXT-X-GAP',
      ],
      ...[
        '#EXT-X-DISCONTINUITY',
        '#EXT-X-DISCONTINUITY-SEQUENCE:',
        '#EXT-X-ENDLIST',
        '#EXT-X-SERVER-CONTROL:',
        '',
      ],
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=',
      '#EXT-X-DEFINE:',
      '#EXT-X-SERVER-CONTROL:HAS-OWN-PROPERTY=',
    );
    const value = fc.oneof(
      fc.constantFrom(
        '',
        '"a"',
        '-1',
        '1e999',
        '5@-1',
        '0',
        '6.006,',
        'NaN',
        'http://[::1',
        '//x',
        '"',
        'a=b',
        '0x1',
      ),
      fc.string({ maxLength: 12 }),
      fc.double().map(String),
      fc.integer().map(String),
    );
    const line = fc.tuple(tag, value).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = `#EXTM3U\n${lines.join('\n')}`;
        let playlist: MediaPlaylist | MultivariantPlaylist;
        try {
          playlist = readPlaylist(text, BASE);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect((error as GatewayError).code).toMatch(/^(?:HLS|PULL)_/);
          return;
        }
        if (playlist.kind === 'multivariant') {
          for (const { url } of playlist.variants) expect(url.protocol).toBe('https:');
          return;
        }
        for (const { url, durationMs, range, mediaSequenceNumber } of playlist.segments) {
          expect(url.protocol).toBe('https:');
          expect(durationMs >= 0 && durationMs <= 120_000).toBe(true);
          expect(Number.isSafeInteger(mediaSequenceNumber)).toBe(true);
          if (range !== null) expect(range.offset >= 0 && range.length > 0).toBe(true);
        }
      }),
      randomRuns(3_000),
    );
  });
});
