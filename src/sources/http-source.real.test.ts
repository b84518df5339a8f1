import { createCipheriv, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../test/support/patience.ts';
import { FAKE_AUDIO } from '../cmaf/fake-camera.ts';
import { systemClock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { CredentialUrl } from '../core/secret.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import type { SourceInstance } from '../stream/source/source.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { FRAME_TICKS, INIT, SOUND_INIT, soundSegment, videoSegment } from './hls/hls-fixture.ts';
import { FakeOrigin } from './http/fake-origin.ts';
import { HttpSource, type HttpSourceOptions } from './http-source.ts';
import { ANYWHERE } from './network/camera-address.ts';
import type { TlsTrust } from './network/tls-trust.ts';

const PEM = readFileSync(new URL('./direct/fixtures/self-signed.pem', import.meta.url), 'utf8');
const VALID_PEM = readFileSync(new URL('./direct/fixtures/loopback.pem', import.meta.url), 'utf8');
const HEAD = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n';
const SEGMENT_FRAMES = 25;

let origin: FakeOrigin;
const instances: SourceInstance[] = [];

beforeEach(async () => {
  origin = await FakeOrigin.start();
});
afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  instances.length = 0;
  await origin.close();
});

interface Seen {
  readonly dts: number[];
  readonly dropped: string[];
  tracks: number;
  sounds: number;
  error: GatewayError | null;
}

function open(
  url: string,
  options: Partial<HttpSourceOptions> = {},
): { seen: Seen; instance: SourceInstance } {
  const seen: Seen = { dts: [], dropped: [], tracks: 0, sounds: 0, error: null };
  const sink = new SourceSink({
    onTracks: () => void seen.tracks++,
    onAccessUnit: ({ trackIndex, dtsTicks }) =>
      void (trackIndex === 0 ? seen.dts.push(dtsTicks) : seen.sounds++),
    onDropped: (_frames, code) => void seen.dropped.push(code),
    onEnded: (error) => {
      seen.error = error;
    },
  });
  const common = { clock: systemClock, log: silentLog, worker: null, silenceMs: 1_500, startMs: 8_000 };
  const instance = new HttpSource({ ...common, url: new CredentialUrl(url), ...options }).open(sink);
  instances.push(instance);
  return { seen, instance };
}

async function endOf(url: string, options: Partial<HttpSourceOptions> = {}): Promise<GatewayError> {
  const { seen } = open(url, options);
  await vi.waitFor(() => expect(seen.error).not.toBeNull(), PATIENCE);
  return seen.error!;
}

/** A second of video in each; `lines` before each segment. */
function playlist(first: number, count: number, lines = ''): string {
  let text = `${HEAD}#EXT-X-MEDIA-SEQUENCE:${first}\n#EXT-X-MAP:URI="init.mp4"\n`;
  for (let number = first; number < first + count; number++) text += `${lines}#EXTINF:1,\n${number}.m4s\n`;
  return text;
}

/** Segments 0 to 9. */
function publishSegments(): void {
  origin.answers.set('/live/init.mp4', INIT);
  for (let number = 0; number < 10; number++) {
    origin.answers.set(
      `/live/${number}.m4s`,
      videoSegment(number * SEGMENT_FRAMES * FRAME_TICKS, SEGMENT_FRAMES),
    );
  }
}

const redirect = (to: string) => (_request: unknown, response: ServerResponse) =>
  void response.writeHead(302, { location: to }).end();

/** As fast as it is read. */
const endless = (chunk: string | Buffer) => (_request: unknown, response: ServerResponse) => {
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

describe('an HLS camera', () => {
  it('plays from three segments before the end, over redirects and a lost segment, until it ends', async () => {
    publishSegments();
    origin.answers.delete('/live/3.m4s');
    origin.answers.set('/start', redirect('/live/x.m3u8'));
    origin.answers.set('/live/x.m3u8', playlist(0, 5));
    const { seen } = open(origin.url('/start'));
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThanOrEqual(30), PATIENCE);
    expect(seen.dropped).toEqual(['PULL_NOT_FOUND']);
    // A second of time is missing, and nothing else.
    const steps = seen.dts.slice(1).map((dts, index) => dts - seen.dts[index]!);
    expect(new Set(steps)).toEqual(new Set([FRAME_TICKS, (SEGMENT_FRAMES + 1) * FRAME_TICKS]));
    origin.answers.set('/live/x.m3u8', `${playlist(4, 2)}#EXT-X-ENDLIST\n`);
    await vi.waitFor(() => expect(seen.error?.code).toBe('HLS_ENDED'), PATIENCE);
    expect(seen.tracks).toBe(1);
    expect(origin.requests.filter(({ path }) => path === '/live/init.mp4')).toHaveLength(1);
  });

  it('asks a server that can hold back requests for the next segment', async () => {
    publishSegments();
    const server = '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n';
    origin.answers.set('/live/x.m3u8', playlist(0, 3).replace('#EXT-X-MAP', `${server}#EXT-X-MAP`));
    origin.answers.set('/live/x.m3u8?_HLS_msn=3', `${playlist(1, 3)}#EXT-X-ENDLIST\n`);
    expect((await endOf(origin.url('/live/x.m3u8'))).code).toBe('HLS_ENDED');
    expect(origin.requests.map(({ path }) => path)).toContain('/live/3.m4s');
  });

  it('ends when the playlist lists nothing new', async () => {
    publishSegments();
    origin.answers.set('/live/x.m3u8', playlist(0, 1));
    expect(await endOf(origin.url('/live/x.m3u8'))).toMatchObject({ code: 'HLS_STALLED', kind: 'timeout' });
  });

  it('reads byte ranges, also from a server that sends everything', async () => {
    publishSegments();
    const segment = videoSegment(0, SEGMENT_FRAMES);
    origin.answers.set('/live/all.mp4', Buffer.concat([INIT, segment]));
    const map = `#EXT-X-MAP:URI="all.mp4",BYTERANGE="${INIT.length}@0"\n`;
    const listed = `#EXTINF:1,\n#EXT-X-BYTERANGE:${segment.length}@${INIT.length}\nall.mp4\n`;
    origin.answers.set('/live/x.m3u8', `${HEAD}${map}${listed}#EXT-X-ENDLIST\n`);
    const { seen } = open(origin.url('/live/x.m3u8'));
    await vi.waitFor(() => expect(seen.error?.code).toBe('HLS_ENDED'), PATIENCE);
    expect(seen.dts).toHaveLength(SEGMENT_FRAMES);
  });

  it('decrypts segments, by the IV of the playlist or by the number of the segment', async () => {
    publishSegments();
    const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
    const encrypted = (number: number, iv: Buffer): Buffer => {
      const cipher = createCipheriv('aes-128-cbc', key, iv);
      const segment = videoSegment(number * SEGMENT_FRAMES * FRAME_TICKS, SEGMENT_FRAMES);
      return Buffer.concat([cipher.update(segment), cipher.final()]);
    };
    const ivOfNumber = Buffer.alloc(16);
    ivOfNumber[15] = 1;
    origin.answers.set('/live/key', key);
    origin.answers.set('/live/0.m4s', encrypted(0, Buffer.alloc(16, 0xab)));
    origin.answers.set('/live/1.m4s', encrypted(1, ivOfNumber));
    const first = `#EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x${'ab'.repeat(16)}\n#EXTINF:1,\n0.m4s\n`;
    const second = '#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF:1,\n1.m4s\n';
    origin.answers.set('/live/x.m3u8', `${HEAD}#EXT-X-MAP:URI="init.mp4"\n${first}${second}#EXT-X-ENDLIST\n`);
    const { seen } = open(origin.url('/live/x.m3u8'));
    await vi.waitFor(() => expect(seen.error?.code).toBe('HLS_ENDED'), PATIENCE);
    expect(seen.dts).toHaveLength(2 * SEGMENT_FRAMES);
    expect(origin.requests.filter(({ path }) => path === '/live/key')).toHaveLength(1);
  });

  it('gets its login by Basic authentication when it asks, and other hosts never do', async () => {
    publishSegments();
    origin.answers.set('/live/x.m3u8', (request, response) => {
      if (request.headers.authorization === undefined) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="cam"' }).end();
      } else response.end(`${playlist(0, 1)}#EXTINF:1,\nhttp://192.0.2.1:1/x.m4s\n#EXT-X-ENDLIST\n`);
    });
    const { seen } = open(origin.url('/live/x.m3u8', 'user:pass%23@'));
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThan(0), PATIENCE);
    const [first, ...others] = origin.requests.map(({ authorization }) => authorization);
    expect(first).toBeUndefined();
    expect(new Set(others)).toEqual(new Set([`Basic ${Buffer.from('user:pass#').toString('base64')}`]));
  });

  it('leaves nothing open when it is closed', async () => {
    publishSegments();
    origin.answers.set('/live/x.m3u8', playlist(0, 3));
    const { seen, instance } = open(origin.url('/live/x.m3u8'));
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThan(0), PATIENCE);
    await instance.close();
    const units = seen.dts.length;
    await vi.waitFor(() => expect(origin.connections).toBe(0), PATIENCE);
    expect([seen.dts.length, seen.error]).toEqual([units, null]);
  });
});

describe('audio in a playlist of its own', () => {
  const RENDITION = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="sound.m3u8"\n';

  beforeEach(() => {
    publishSegments();
    origin.answers.set(
      '/live/main.m3u8',
      `#EXTM3U\n${RENDITION}#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\nx.m3u8\n`,
    );
    origin.answers.set('/live/x.m3u8', playlist(0, 5));
    origin.answers.set('/live/sound.mp4', SOUND_INIT);
    origin.answers.set('/live/s0.m4s', soundSegment(2 * 48_000, 140));
    const listing = '#EXT-X-MAP:URI="sound.mp4"\n#EXTINF:3,\ns0.m4s\n';
    origin.answers.set('/live/sound.m3u8', `${HEAD}${listing}`);
  });

  it('comes with the video', async () => {
    const { seen } = open(origin.url('/live/main.m3u8'));
    await vi.waitFor(() => expect(seen.sounds).toBeGreaterThan(100), PATIENCE);
    expect([seen.tracks, seen.dropped]).toEqual([1, []]);
  });

  it.each([
    ['is missing', '/live/sound.m3u8', redirect('/nowhere')],
    ['is no playlist', '/live/sound.m3u8', '<html></html>'],
    ['never answers', '/live/sound.m3u8', () => undefined],
    ['has MPEG-TS segments', '/live/sound.m3u8', `${HEAD}#EXTINF:3,\ns0.m4s\n`],
    ['has video instead', '/live/sound.mp4', INIT],
    ['has an init section without end', '/live/sound.mp4', endless(Buffer.alloc(65_536))],
  ])('that %s leaves the video as it is', async (_title, path, response) => {
    origin.answers.set(path, response);
    const { seen } = open(origin.url('/live/main.m3u8'));
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThan(50), PATIENCE);
    expect([seen.sounds, seen.error]).toEqual([0, null]);
  });

  it('that changes to another configuration ends the attempt', async () => {
    const other = { ...FAKE_AUDIO, audioSpecificConfig: Buffer.from('1208', 'hex') };
    origin.answers.set('/live/other.mp4', writeInitSegment([other]));
    const listing =
      '#EXT-X-MAP:URI="sound.mp4"\n#EXTINF:3,\ns0.m4s\n#EXT-X-MAP:URI="other.mp4"\n#EXTINF:3,\ns0.m4s\n';
    origin.answers.set('/live/sound.m3u8', `${HEAD}${listing}`);
    expect((await endOf(origin.url('/live/main.m3u8'))).code).toBe('HLS_MEDIA_CHANGED');
  });
});

describe('a hostile origin', () => {
  it.each([
    ['redirects to a metadata service', 'http://169.254.169.254/latest/meta-data'],
    ['redirects to another service of this machine', 'http://127.0.0.1:1/'],
    ['redirects to this machine by name', 'http://localhost:1/'],
    ['redirects to this machine in IPv6', 'http://[::ffff:127.0.0.1]:1/'],
  ])('that %s is not followed, even if the operator declared it', async (_title, target) => {
    origin.answers.set('/x.m3u8', redirect(target));
    expect((await endOf(origin.url('/x.m3u8'))).code).toBe('DIRECT_ADDRESS_REFUSED');
  });

  it.each([
    ['segment', `${HEAD}#EXTINF:1,\nhttp://169.254.169.254/a.m4s\n`, 'DIRECT_ADDRESS_REFUSED'],
    [
      'init section',
      `${HEAD}#EXT-X-MAP:URI="http://127.0.0.1:1/a"\n#EXTINF:1,\na\n`,
      'DIRECT_ADDRESS_REFUSED',
    ],
    [
      'key',
      `${HEAD}#EXT-X-KEY:METHOD=AES-128,URI="http://[::1]:1/k"\n#EXTINF:1,\na\n`,
      'DIRECT_ADDRESS_REFUSED',
    ],
    ['variant', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://localhost:1/a\n', 'DIRECT_ADDRESS_REFUSED'],
    ['file', `${HEAD}#EXTINF:1,\nfile:///etc/passwd\n`, 'PULL_URL_REFUSED'],
  ])('whose playlist names a %s elsewhere is not followed', async (_title, text, code) => {
    origin.answers.set('/x.m3u8', text);
    origin.answers.set('/a', videoSegment(0, 1));
    expect((await endOf(origin.url('/x.m3u8'))).code).toBe(code);
  });

  it('whose audio is in a playlist elsewhere is shown without it', async () => {
    publishSegments();
    const elsewhere = await FakeOrigin.start();
    const rendition = `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="${elsewhere.url('/a.m3u8')}"\n`;
    origin.answers.set(
      '/x.m3u8',
      `#EXTM3U\n${rendition}#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\nlive/x.m3u8\n`,
    );
    origin.answers.set('/live/x.m3u8', playlist(0, 5));
    const { seen } = open(origin.url('/x.m3u8'));
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThan(30), PATIENCE);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it('on this machine is refused to callers of the API', async () => {
    const error = await endOf(origin.url('/x.m3u8'), {
      addressRule: { ...ANYWHERE, reach: 'no-local' },
    });
    expect(error.code).toBe('DIRECT_ADDRESS_REFUSED');
    expect(origin.requests).toEqual([]);
  });

  it('that redirects outside the networks of its organization is not followed', async () => {
    const networks = { operator: [], organization: ['127.0.0.0/8', '10.9.0.0/16'] };
    origin.answers.set('/x.m3u8', redirect('http://192.168.1.9:1/y.m3u8'));
    const error = await endOf(origin.url('/x.m3u8'), { addressRule: { ...ANYWHERE, networks } });
    expect(origin.requests).toHaveLength(1);
    expect(error).toMatchObject({
      code: 'DIRECT_OUTSIDE_ORGANIZATION_NETWORKS',
      context: { address: '192.168.1.9', networks: '127.0.0.0/8, 10.9.0.0/16' },
    });
  });

  it('that redirects in circles is left', async () => {
    origin.answers.set('/x.m3u8', redirect('/x.m3u8'));
    expect((await endOf(origin.url('/x.m3u8'))).code).toBe('PULL_TOO_MANY_REDIRECTS');
    expect(origin.requests).toHaveLength(6);
  });

  it('with an endless playlist is left', async () => {
    origin.answers.set('/x.m3u8', endless(`#EXTM3U\n${'#EXTINF:1,\na.m4s\n'.repeat(1_000)}`));
    expect(await endOf(origin.url('/x.m3u8'))).toMatchObject({ code: 'PULL_TOO_LONG', kind: 'limit' });
  });

  it('with an endless segment is left, and what it sent is forgotten', async () => {
    publishSegments();
    origin.answers.set('/live/0.m4s', endless(Buffer.alloc(256 * 1_024)));
    origin.answers.set('/live/x.m3u8', playlist(0, 1));
    expect((await endOf(origin.url('/live/x.m3u8'))).code).toBe('PULL_TOO_LONG');
  });

  it('that lists 10,000 segments is read from the end', async () => {
    publishSegments();
    const long = `${HEAD}#EXT-X-MAP:URI="init.mp4"\n${'#EXTINF:1,\nold.m4s\n'.repeat(9_997)}${playlist(0, 3).split('\n').slice(4).join('\n')}`;
    origin.answers.set('/live/x.m3u8', long);
    const { seen } = open(origin.url('/live/x.m3u8'));
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThan(0), PATIENCE);
    expect(origin.requests.some(({ path }) => path === '/live/old.m4s')).toBe(false);
  });

  it('whose init section changes with each segment ends the attempt when the tracks do', async () => {
    publishSegments();
    origin.answers.set('/live/other.mp4', Buffer.concat([INIT.subarray(0, 20), Buffer.alloc(8)]));
    const text = `${HEAD}#EXT-X-MAP:URI="init.mp4"\n#EXTINF:1,\n0.m4s\n#EXT-X-MAP:URI="other.mp4"\n#EXTINF:1,\n1.m4s\n`;
    origin.answers.set('/live/x.m3u8', text);
    expect((await endOf(origin.url('/live/x.m3u8'))).code).toMatch(/^(?:ISOBMFF|HLS)_/);
  });

  it('whose segments are full of frames of no duration is left', async () => {
    origin.answers.set('/live/init.mp4', INIT);
    for (let number = 0; number < 10; number++) {
      origin.answers.set(`/live/${number}.m4s`, videoSegment(number * 4_000, 4_000, 0, 1));
    }
    origin.answers.set(
      '/live/x.m3u8',
      `${playlist(0, 10).replaceAll('#EXTINF:1', '#EXTINF:0.001')}#EXT-X-ENDLIST\n`,
    );
    const clock = new FakeClock();
    const { seen } = open(origin.url('/live/x.m3u8'), { clock });
    await vi.waitFor(() => {
      // However busy the machine is, the frames come within a second.
      clock.advance(1);
      expect(seen.error).not.toBeNull();
    }, PATIENCE);
    expect(seen.error).toMatchObject({ code: 'HLS_FLOOD', kind: 'limit', context: { retryAfterSec: 30 } });
  });

  it('whose numbers go back is left', async () => {
    publishSegments();
    origin.answers.set('/live/x.m3u8', playlist(5, 3));
    const { seen } = open(origin.url('/live/x.m3u8'), { silenceMs: 60_000 });
    await vi.waitFor(() => expect(seen.dts.length).toBeGreaterThan(0), PATIENCE);
    origin.answers.set('/live/x.m3u8', playlist(0, 2));
    await vi.waitFor(() => expect(seen.error?.code).toBe('HLS_SEQUENCE_BACK'), PATIENCE);
  });

  it.each([
    ['a page', '<html></html>', 'PULL_CONTENT_UNSUPPORTED'],
    ['nothing', '', 'PULL_CONTENT_UNSUPPORTED'],
    ['a playlist without video', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n', 'HLS_NO_VIDEO'],
  ])('that answers with %s gets an error that says so', async (_title, text, code) => {
    origin.answers.set('/x.m3u8', text);
    expect((await endOf(origin.url('/x.m3u8'))).code).toBe(code);
  });
});

describe('over https', () => {
  const FINGERPRINT = new X509Certificate(PEM).fingerprint256.replaceAll(':', '').toLowerCase();
  const authorities = getCACertificates();
  let secure: FakeOrigin;

  async function codeOf(pem: string, tls: TlsTrust): Promise<GatewayError> {
    secure = await FakeOrigin.start(pem);
    secure.answers.set('/x.m3u8', '<html>');
    const error = await endOf(secure.url('/x.m3u8'), { tls });
    await secure.close();
    return error;
  }

  afterEach(() => setDefaultCACertificates(authorities));

  it.each(['any', `sha256:${FINGERPRINT}`] as const)('tls: %s opens it', async (tls) => {
    expect((await codeOf(PEM, tls)).code).toBe('PULL_CONTENT_UNSUPPORTED');
  });

  it('tls: verify opens it if its certificate is valid', async () => {
    setDefaultCACertificates([VALID_PEM]);
    expect((await codeOf(VALID_PEM, 'verify')).code).toBe('PULL_CONTENT_UNSUPPORTED');
  });

  it.each([
    ['verify', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [`sha256:${'0'.repeat(64)}`, 'FINGERPRINT_MISMATCH'],
  ] as const)('tls: %s shows the fingerprint, and asks for nothing', async (tls, reason) => {
    const { code, context } = await codeOf(PEM, tls);
    expect(code).toBe('PULL_CERTIFICATE_REFUSED');
    expect(context).toMatchObject({ host: '127.0.0.1', reason, fingerprint: `sha256:${FINGERPRINT}` });
    expect(secure.requests).toEqual([]);
  });
});
