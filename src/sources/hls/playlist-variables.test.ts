import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { GatewayError } from '../../core/errors.ts';
import { type MediaPlaylist, type MultivariantPlaylist, readPlaylist } from './playlist.ts';

const BASE = new URL('https://cam.example/live/x.m3u8?token=a%2Fb&empty=&quote=%22&line=a%0A%23EXTINF');

const read = (lines: string, imports?: ReadonlyMap<string, string>) =>
  readPlaylist(`#EXTM3U\n#EXT-X-TARGETDURATION:2\n${lines}`, BASE, imports);

function addresses(lines: string, imports?: ReadonlyMap<string, string>): string[] {
  return (read(lines, imports) as MediaPlaylist).segments.map(({ url }) => url.href);
}

describe('variables of a playlist', () => {
  it('are part of URIs and of attributes, and keep their place', () => {
    const { segments } = read(`#EXT-X-DEFINE:NAME="host",VALUE="https://cdn.example"
#EXT-X-DEFINE:NAME="path",VALUE="{$host}/cam-1"
#EXT-X-DEFINE:NAME="iv",VALUE="0f"
#EXT-X-DEFINE:QUERYPARAM="token"
#EXT-X-MAP:URI="{$path}/init.mp4?t={$token}"
#EXT-X-KEY:METHOD=AES-128,URI="{$path}/key",IV=0x000102030405060708090a0b0c0d0e{$iv}
#EXTINF:2,
{$path}/1.m4s?t={$token}
`) as MediaPlaylist;
    const [segment] = segments;
    expect([segment!.url.href, segment!.map!.url.href, segment!.key!.url.href]).toEqual([
      'https://cdn.example/cam-1/1.m4s?t=a/b',
      'https://cdn.example/cam-1/init.mp4?t=a/b',
      'https://cdn.example/cam-1/key',
    ]);
    expect(Buffer.from(segment!.key!.iv!).toString('hex')).toBe('000102030405060708090a0b0c0d0e0f');
  });

  it('of a Multivariant Playlist are imported by name', () => {
    const multivariant = readPlaylist(
      '#EXTM3U\n#EXT-X-DEFINE:NAME="auth",VALUE="s3"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8?{$auth}\n',
      BASE,
    ) as MultivariantPlaylist;
    expect(multivariant.variants[0]!.url.search).toBe('?s3');
    const media = '#EXT-X-DEFINE:IMPORT="auth"\n#EXTINF:2,\n1.m4s?{$auth}\n';
    expect(addresses(media, multivariant.variables)).toEqual(['https://cam.example/live/1.m4s?s3']);
    expect(() => addresses('#EXTINF:2,\n1.m4s?{$auth}\n', multivariant.variables)).toThrow(GatewayError);
  });

  it('are not looked for in their values, nor where a name is none', () => {
    const literal = '#EXT-X-DEFINE:NAME="a",VALUE="{$"\n#EXT-X-DEFINE:NAME="b",VALUE="b}"\n';
    expect(addresses(`${literal}#EXTINF:2,\n1?{$a}{$b}&{$c d}\n`)).toEqual([
      'https://cam.example/live/1?{$b}&{$c%20d}',
    ]);
  });

  it.each([
    ['that are not defined', '#EXTINF:2,\n{$auth}.m4s\n', { variable: 'auth' }],
    ['of no Multivariant Playlist', '#EXT-X-DEFINE:IMPORT="auth"\n', { variable: 'auth' }],
    ['that the URL does not have', '#EXT-X-DEFINE:QUERYPARAM="auth"\n', { variable: 'auth' }],
    ['that the URL leaves empty', '#EXT-X-DEFINE:QUERYPARAM="empty"\n', { variable: 'empty' }],
    ['with a quote', '#EXT-X-DEFINE:QUERYPARAM="quote"\n', { variable: 'quote' }],
    ['with a line of their own', '#EXT-X-DEFINE:QUERYPARAM="line"\n', { variable: 'line' }],
    ['without a value', '#EXT-X-DEFINE:NAME="a"\n', { variable: 'a' }],
    ['with two sources', '#EXT-X-DEFINE:NAME="a",VALUE="b",IMPORT="a"\n', {}],
    ['without a name', '#EXT-X-DEFINE:VALUE="b"\n', {}],
    ['with a name that is none', '#EXT-X-DEFINE:NAME="a b",VALUE="b"\n', {}],
    [
      'defined twice',
      '#EXT-X-DEFINE:NAME="a",VALUE="b"\n#EXT-X-DEFINE:NAME="a",VALUE="b"\n',
      { variable: 'a' },
    ],
  ])('%s are refused, by name', (_title, lines, context) => {
    expect(() => read(lines)).toThrow(
      expect.objectContaining({
        code: 'HLS_PLAYLIST_INVALID',
        context: expect.objectContaining({ tag: '#EXT-X-DEFINE', ...context }),
      }),
    );
  });

  it('cannot make a tag of a URI, or nothing', () => {
    for (const value of ['#EXT-X-MEDIA:TYPE=AUDIO', ' ']) {
      const lines = `#EXT-X-DEFINE:NAME="a",VALUE="${value}"\n#EXTINF:2,\n{$a}\n`;
      expect(() => read(lines)).toThrow(expect.objectContaining({ code: 'HLS_PLAYLIST_INVALID' }));
    }
  });

  it.each([
    [
      'that double each other',
      Array.from({ length: 40 }, (_, index) => {
        const value = index === 0 ? 'ab' : `{$v${index - 1}}{$v${index - 1}}`;
        return `#EXT-X-DEFINE:NAME="v${index}",VALUE="${value}"\n`;
      }).join(''),
    ],
    [
      'in every line',
      `#EXT-X-DEFINE:NAME="a",VALUE="${'a'.repeat(8_000)}"\n${'#EXTINF:2,\n{$a}\n'.repeat(10_000)}`,
    ],
    [
      'many times in a line',
      `#EXT-X-DEFINE:NAME="a",VALUE="${'a'.repeat(8_000)}"\n#EXTINF:2,\n${'{$a}'.repeat(2_000)}\n`,
    ],
    [
      'without end',
      Array.from({ length: 200 }, (_, index) => `#EXT-X-DEFINE:NAME="v${index}",VALUE="v"\n`).join(''),
    ],
  ])('%s have limits', (_title, lines) => {
    expect(() => read(lines)).toThrow(expect.objectContaining({ code: 'HLS_PLAYLIST_TOO_LONG' }));
  });

  it('fail with a code, or leave nothing but web addresses, whatever they are', () => {
    const text = fc.oneof(
      fc.constantFrom(
        '{$a}',
        '{$b}',
        '{$',
        '}',
        '"',
        ',',
        '#EXTINF:2,',
        '\\',
        '//x',
        'file:/',
        ' ',
        '=',
        '0x',
      ),
      fc.string({ maxLength: 8 }),
    );
    const value = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(''));
    const line = fc.oneof(
      fc
        .tuple(fc.constantFrom('a', 'b', 'token'), value)
        .map(([name, to]) => `#EXT-X-DEFINE:NAME="${name}",VALUE="${to}"`),
      fc.constantFrom('#EXT-X-DEFINE:QUERYPARAM="token"', '#EXT-X-DEFINE:IMPORT="b"', '#EXTINF:2,'),
      value.map((to) => `#EXT-X-MAP:URI="${to}"`),
      value.map((to) => `#EXT-X-KEY:METHOD=AES-128,URI="${to}",IV=0x${to}`),
      value.map((to) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${to}",URI="${to}"`),
      value.map((to) => `#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="${to}",CODECS="${to}"\n${to}`),
      value,
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), value, (lines, imported) => {
        const keys = Reflect.ownKeys(Object.prototype);
        try {
          const playlist = read(lines.join('\n'), new Map([['b', imported]]));
          const found = playlist.kind === 'media' ? playlist.segments : playlist.variants;
          for (const { url } of found) expect(url.protocol).toBe('https:');
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          expect(error.code).toMatch(/^(?:HLS|PULL)_/);
        }
        expect(Reflect.ownKeys(Object.prototype)).toEqual(keys);
      }),
      randomRuns(2_000),
    );
  });
});
