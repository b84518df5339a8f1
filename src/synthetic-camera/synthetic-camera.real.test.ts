import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessUnit, Track } from '../codec/track.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { CredentialUrl, Secret } from '../core/secret.ts';
import { packetizeH264 } from '../rtp/h264/h264-packetizer.ts';
import { DirectRtspSource } from '../sources/direct/direct-rtsp-source.ts';
import { JOINING_CODE } from '../stream/source/source-events.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { type Clip, loadClip } from './clip.ts';
import { readFrameNumberStrip } from './frame-number-strip.ts';
import {
  type SyntheticCamera,
  type SyntheticCameraOptions,
  startSyntheticCamera,
} from './synthetic-camera.ts';

const run = promisify(execFile);
const RECIPE = {
  widthPx: 320,
  heightPx: 180,
  fps: 25,
  gopSec: 0.4,
  bitrateBitsPerSec: 300_000,
  durationSec: 3.2,
  audio: true,
};

let folder: string;
let clip: Clip;
const cameras: SyntheticCamera[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-clip-'));
  clip = await loadClip({ ...RECIPE, ffmpegPath: 'ffmpeg', cacheDir: folder });
});

afterAll(async () => {
  await Promise.all(cameras.map((camera) => camera.close()));
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<SyntheticCameraOptions> = {}): Promise<SyntheticCamera> {
  const listen = { host: '127.0.0.1', port: 0 };
  const camera = await startSyntheticCamera({ listen, clip, clock: systemClock, log: silentLog, ...options });
  cameras.push(camera);
  return camera;
}

interface Watched {
  readonly tracks: readonly Track[];
  readonly units: AccessUnit[];
  readonly dropped: string[];
  readonly endedWith: string | null;
}

/** Reads a camera with our own client until `isEnough`, or until it ends. */
function watch(
  url: string,
  transport: 'tcp' | 'udp',
  isEnough: (watched: Watched) => boolean,
): Promise<Watched> {
  const source = new DirectRtspSource({
    url: new CredentialUrl(url),
    transport,
    clock: systemClock,
    log: silentLog,
  });
  const units: AccessUnit[] = [];
  const dropped: string[] = [];
  let tracks: readonly Track[] = [];
  return new Promise((resolve) => {
    const finish = (endedWith: string | null) => {
      void instance.close().then(() => resolve({ tracks, units, dropped, endedWith }));
    };
    const instance = source.open(
      new SourceSink({
        onTracks: (announced) => {
          tracks = announced;
        },
        onAccessUnit: (unit) => {
          units.push({ ...unit, data: new Uint8Array(0) });
          if (isEnough({ tracks, units, dropped, endedWith: null })) finish(null);
        },
        onDropped: (frames, code) => {
          if (code !== JOINING_CODE) dropped.push(`${code} ${frames}`);
        },
        onEnded: (error) => finish(error.code),
      }),
    );
  });
}

const pictures = (watched: Watched): AccessUnit[] => watched.units.filter((unit) => unit.trackIndex === 0);

describe('loadClip', () => {
  it('has closed groups of pictures, as many seconds of audio, and the bit rate', () => {
    expect(clip.pictures).toHaveLength(80);
    expect(clip.pictures.filter((picture) => picture.isKey)).toHaveLength(8);
    expect(clip.audio).toMatchObject({ sampleRateHz: 48_000, channelCount: 2 });
    expect(clip.audio!.frames).toHaveLength(150);
    const bytes = clip.pictures
      .flatMap((picture) => picture.nalus)
      .reduce((sum, nalu) => sum + nalu.length, 0);
    expect((bytes * 8) / RECIPE.durationSec).toBeGreaterThan(200_000);
    expect((bytes * 8) / RECIPE.durationSec).toBeLessThan(450_000);
  });

  it('is made once, and made again when its file is damaged', async () => {
    const broken = { ...RECIPE, ffmpegPath: '/nonexistent/ffmpeg', cacheDir: folder };
    expect((await loadClip(broken)).pictures).toHaveLength(80);
    const [file, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    await writeFile(join(folder, file!), 'SLUICECLIP1\nxx');
    await expect(loadClip(broken)).rejects.toMatchObject({ code: 'CLIP_ENCODER_FAILED' });
    expect((await loadClip({ ...broken, ffmpegPath: 'ffmpeg' })).pictures).toHaveLength(80);
    expect(await readdir(folder)).toEqual([file]);
  });

  it('rejects what cannot be made', async () => {
    const odd = { ...RECIPE, widthPx: 321, ffmpegPath: 'ffmpeg', cacheDir: folder };
    await expect(loadClip(odd)).rejects.toMatchObject({ code: 'CLIP_INVALID_OPTIONS' });
  });

  it('shows its frame numbers', async () => {
    const camera = await start();
    const args = [
      '-v',
      'error',
      '-rtsp_transport',
      'tcp',
      '-i',
      camera.url,
      '-frames:v',
      '20',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      '-',
    ];
    const { stdout } = await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 2 ** 24 });
    const size = RECIPE.widthPx * RECIPE.heightPx;
    const numbers = Array.from({ length: 20 }, (_, index) =>
      readFrameNumberStrip(
        (x, y) =>
          stdout[
            index * size + Math.floor(y * RECIPE.heightPx) * RECIPE.widthPx + Math.floor(x * RECIPE.widthPx)
          ]!,
      ),
    );
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0]! + index) % 80));
  });
});

describe('synthetic camera, read by ffprobe', () => {
  it.each([
    ['tcp', ''],
    ['udp', ''],
    ['tcp', 'user:pass@'],
  ])('over %s, credentials %s', async (transport, userInfo) => {
    const credentials = { username: 'user', password: new Secret('pass'), algorithm: 'MD5' as const };
    const camera = await start(userInfo === '' ? {} : { credentials });
    const url = camera.url.replace('rtsp://', `rtsp://${userInfo}`);
    const args = [
      '-v',
      'error',
      '-rtsp_transport',
      transport,
      '-analyzeduration',
      '500000',
      '-read_intervals',
      '%+1',
      '-count_packets',
      '-show_streams',
      '-of',
      'json',
      url,
    ];
    const { stdout, stderr } = await run('ffprobe', args);
    expect(stderr).toBe('');
    const { streams } = JSON.parse(stdout);
    expect(streams).toMatchObject([
      { codec_name: 'h264', width: 320, height: 180, has_b_frames: 0 },
      { codec_name: 'aac', sample_rate: '48000', channels: 2 },
    ]);
    expect(Number(streams[0].nb_read_packets)).toBeGreaterThan(15);
  });
});

describe('synthetic camera, read by the direct source', () => {
  it.each(['tcp', 'udp'] as const)(
    'delivers every frame of both tracks in step over %s',
    async (transport) => {
      const camera = await start();
      const watched = await watch(camera.url, transport, (state) => pictures(state).length >= 30);
      expect(watched.dropped).toEqual([]);
      expect(watched.tracks.map((track) => track.codecString)).toEqual([
        expect.stringMatching(/^avc1\.64/),
        'mp4a.40.2',
      ]);
      const video = pictures(watched);
      expect(video[0]!.isKey).toBe(true);
      expect(video.map((unit) => unit.dtsTicks)).toEqual(video.map((_, index) => index * 3_600));
      const audio = watched.units.filter((unit) => unit.trackIndex === 1);
      expect(audio.length).toBeGreaterThan(40);
      // Audio begins with the second video frame at the latest: the first one is out when the second one arrives.
      expect(audio[0]!.dtsTicks).toBeLessThan(4_096);
      // When reports put them exactly in step, audio frames of 1,024 samples and video frames of 1,920 meet in steps of
      // 128.
      expect(audio[0]!.dtsTicks % 128).toBe(0);
      audio.forEach((unit, index) => {
        if (index > 0)
          expect(Math.abs(unit.dtsTicks - audio[index - 1]!.dtsTicks - 1_024)).toBeLessThanOrEqual(1);
      });
    },
  );

  it.each(['tcp', 'udp'] as const)('delivers every frame of H.265 over %s', async (transport) => {
    const h265 = await loadClip({ ...RECIPE, codec: 'h265', ffmpegPath: 'ffmpeg', cacheDir: folder });
    expect(h265.pictures).toHaveLength(80);
    expect(h265.pictures.filter((picture) => picture.isKey)).toHaveLength(8);
    const camera = await start({ clip: h265 });
    const watched = await watch(camera.url, transport, (state) => pictures(state).length >= 30);
    expect(watched.dropped).toEqual([]);
    expect(watched.tracks).toMatchObject([
      { codec: 'h265', widthPx: 320, heightPx: 180, codecString: expect.stringMatching(/^hvc1\.1\.6\.L60/) },
      { codec: 'aac' },
    ]);
    const video = pictures(watched);
    expect(video.map((unit) => unit.dtsTicks)).toEqual(video.map((_, index) => index * 3_600));
    expect(video.map(({ isKey }) => isKey)).toEqual(video.map((_, index) => index % 10 === 0));
  });

  it('admits clients that know the password: SHA-256', async () => {
    const credentials = { username: 'user', password: new Secret('p:ä'), algorithm: 'SHA-256' as const };
    const camera = await start({ credentials });
    const url = camera.url.replace('rtsp://', `rtsp://user:${encodeURIComponent('p:ä')}@`);
    const watched = await watch(url, 'tcp', (state) => pictures(state).length >= 3);
    expect(watched.endedWith).toBeNull();
    expect((await watch(camera.url, 'tcp', () => true)).endedWith).toBe('RTSP_AUTH_FAILED');
  });

  it('recovers from lost packets at the next key frame', async () => {
    const camera = await start({ faults: { dropEveryNthPacket: 23 } });
    const watched = await watch(camera.url, 'tcp', (state) => pictures(state).length >= 30);
    expect(watched.dropped.length).toBeGreaterThan(0);
    expect(watched.units.some((unit, index) => index > 0 && unit.isKey && unit.trackIndex === 0)).toBe(true);
  });

  it('puts swapped datagrams back in order', async () => {
    const camera = await start({ faults: { reorder: true } });
    const watched = await watch(camera.url, 'udp', (state) => pictures(state).length >= 20);
    expect(watched.dropped).toEqual([]);
  });

  it('ends in one clear error when the camera talks garbage', async () => {
    const camera = await start({ faults: { garbage: 'rtsp' } });
    const watched = await watch(camera.url, 'tcp', () => false);
    expect(['RTSP_FRAMING', 'RTSP_MESSAGE_TOO_LARGE']).toContain(watched.endedWith);
  });

  it('serves many clients the same clip', async () => {
    const camera = await start();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => watch(camera.url, 'tcp', (state) => pictures(state).length >= 10)),
    );
    for (const watched of all) expect(watched.dropped).toEqual([]);
  });

  it('refuses one client too many with 453', async () => {
    const camera = await start({ maxClients: 1 });
    const first = watch(camera.url, 'tcp', (state) => pictures(state).length >= 25);
    await expect.poll(() => camera.playingClients()).toBe(1);
    expect((await watch(camera.url, 'tcp', () => true)).endedWith).toBe('RTSP_BUSY');
    expect((await first).endedWith).toBeNull();
    await expect.poll(() => camera.connectedClients()).toBe(0);
    expect((await watch(camera.url, 'tcp', () => true)).endedWith).toBeNull();
  });
});

describe('synthetic camera, clients that misbehave', () => {
  it('drops one that sends nonsense and one that floods', async () => {
    const camera = await start();
    for (const text of ['\x00\x01\x02', `GET / RTSP/1.0\r\n${'x'.repeat(20_000)}`]) {
      const socket = net.connect(camera.port, '127.0.0.1');
      socket.write(text);
      await new Promise((resolve) => socket.once('close', resolve).resume());
    }
    await expect.poll(() => camera.connectedClients()).toBe(0);
  });

  it('frees its ports when closed, even with clients connected', async () => {
    // An address of its own: at 127.0.0.1 another test could take the port before it is opened again.
    const host = '127.77.0.1';
    const camera = await start({ listen: { host, port: 0 } });
    const watching = watch(camera.url, 'tcp', () => false);
    await expect.poll(() => camera.playingClients()).toBe(1);
    await camera.close();
    expect((await watching).endedWith).toBe('DIRECT_DISCONNECTED');
    const again = await start({ listen: { host, port: camera.port } });
    expect(again.port).toBe(camera.port);
  });
});

it('has the frames of a camera that started earlier', async () => {
  const clock = { monoMs: () => 5_000, epochMs: () => 1_700_000_000_000, after: systemClock.after };
  const camera = await start({ clock, startedAgoMs: 1_234 });
  expect(camera.startEpochMs).toBe(1_700_000_000_000 - 1_234);
});

describe('habits', () => {
  it('are its own description, packets and responses', async () => {
    const methods: string[] = [];
    let largest = 0;
    const camera = await start({
      habits: {
        describe: (sdp) => sdp.replace(/m=audio[\s\S]*/, ''),
        packetize: (nalus) => packetizeH264(nalus, 300, 'none'),
        connection: () => ({
          respond: (request, response) => {
            methods.push(request.method);
            return request.method === 'OPTIONS'
              ? Buffer.from(`RTSP/1.0 501 Not Implemented\r\nCSeq: ${request.headers.get('CSeq')}\r\n\r\n`)
              : response;
          },
          packets: (packets) => {
            for (const packet of packets) largest = Math.max(largest, packet.length);
            return packets;
          },
        }),
      },
    });
    const watched = await watch(camera.url, 'tcp', (seen) => pictures(seen).length >= 12);
    expect(watched).toMatchObject({ endedWith: null, dropped: [] });
    expect(watched.tracks).toHaveLength(1);
    expect(methods).toEqual(expect.arrayContaining(['DESCRIBE', 'SETUP', 'PLAY']));
    expect(largest).toBeLessThanOrEqual(4 + 12 + 300);
  });
});
