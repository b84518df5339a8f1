/** Devices that push RTMP into a whole gateway: ffmpeg as the encoder, our own publisher for what ffmpeg does not do. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type FlvTagBytes, flvTags } from '../support/flv-file.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { encodeH265, shownAt } from '../support/h265-streams.ts';
import { type H265Form, h265Tags } from '../support/h265-tags.ts';
import { fetchOk, fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { pushInRealTime } from '../support/paced-push.ts';
import { freePort } from '../support/ports.ts';
import { type EncoderOptions, RtmpEncoder } from '../support/rtmp-encoder.ts';
import { RtmpPublisher } from '../support/rtmp-publisher.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

/** One per test, so that none sees what another left in the live window. */
const NAMES = [
  'Yard',
  'Gate',
  'Pole',
  'Roof',
  'Dock',
  'Ramp',
  'Hall',
  'Shop',
  'Park',
  'Lane',
  'Barn',
  'Mill',
] as const;
type Name = (typeof NAMES)[number];
const keyOf = (name: Name): string => `${name}-0123456789abcdefghij`;

let camera: SyntheticCamera;
let gateway: TestGateway;
let port: number;
let encoders: RtmpEncoder[] = [];
let publishers: RtmpPublisher[] = [];
let viewers: TestViewer[] = [];

beforeAll(async () => {
  camera = await startCamera();
  port = await freePort();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '15s' },
    sources: { backoffMin: '200ms', backoffMax: '20s', silenceTimeout: '15s' },
    rtmp: { listen: `127.0.0.1:${port}` },
    cameras: [
      ...NAMES.map((name) => ({ name, publishKey: keyOf(name) })),
      { name: 'Lobby', rtsp: camera.url },
    ],
  });
});

afterEach(async () => {
  for (const viewer of viewers) await viewer.stop();
  for (const publisher of publishers) publisher.close();
  for (const encoder of encoders) await encoder.end();
  encoders = [];
  publishers = [];
  viewers = [];
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

function push(name: Name, options: EncoderOptions = {}): RtmpEncoder {
  const encoder = new RtmpEncoder(`rtmp://127.0.0.1:${port}/live/${keyOf(name)}`, options);
  encoders.push(encoder);
  return encoder;
}

async function publish(key: string): Promise<RtmpPublisher> {
  const publisher = await RtmpPublisher.publish(port, `live/${key}`);
  publishers.push(publisher);
  return publisher;
}

const stateOf = async (name: string): Promise<Json> => {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  return cameraStates.find((state: Json) => state.name === name);
};

/** The media playlist, as soon as the camera plays. */
async function playlistOf(share: TestShare): Promise<string> {
  return until('the camera to play', () => openShare(share.m3u8Url));
}

async function metric(name: string): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const newestSegment = async (url: string): Promise<number> => {
  const { mediaSequence, segments } = await fetchPlaylist(url);
  return mediaSequence + segments.length;
};

describe('an encoder that pushes H.264 and AAC', () => {
  it.each([
    ['without B-frames', 'Yard', 0],
    ['with B-frames', 'Gate', 2],
  ] as const)('%s plays as Low-Latency HLS, decodes and keeps time', async (_title, name, bFrames) => {
    const encoder = push(name, { bFrames });
    const share = await gateway.share(name);
    const url = await playlistOf(share);
    const { text, segments } = await until('four segments', async () => {
      const playlist = await fetchPlaylist(url);
      return playlist.segments.length >= 4 && playlist;
    });
    expect(text).toContain('#EXT-X-PART:');
    expect(text).toContain('#EXT-X-PRELOAD-HINT:');
    for (const { duration } of segments.slice(1)) expect(duration).toBeCloseTo(1, 1);
    const runs = await fetchRuns(url);
    expect(runs).toHaveLength(1);
    const { media } = runs[0]!;
    expect(await decodeErrors(media)).toBe('');
    const streams = await probeStreams(media);
    expect(streams.map(({ codec_name }) => codec_name).sort()).toEqual(['aac', 'h264']);
    for (const kind of ['v', 'a'] as const) {
      const packets = await probePackets(media, kind);
      const times = packets.map(({ dts_time }) => Number(dts_time));
      expect(times.length).toBeGreaterThan(50);
      const stepSec = kind === 'v' ? 0.04 : 1_024 / 48_000;
      for (let i = 1; i < times.length; i++) {
        expect(Math.abs(times[i]! - times[i - 1]! - stepSec)).toBeLessThan(0.003);
      }
    }
    expect(encoder.errors).toBe('');
    expect(await metric('sluice_rtmp_publishers')).toBe(1);
  });
});

/** x265 with B-frames and a key frame every second, and AAC. */
function h265WithAac(form: H265Form, seconds: number): FlvTagBytes[] {
  const units = encodeH265(seconds * 25, 25, 'bframes=2:open-gop=0');
  const audio = flvTags(seconds).filter(({ kind }) => kind === 'audio');
  return [...h265Tags(units, shownAt(units, 25), form), ...audio].sort(
    (a, b) => a.timestampMs - b.timestampMs,
  );
}

describe('a device that pushes H.265 and AAC', () => {
  it.each([
    ['in enhanced RTMP', 'Barn', 'enhanced'],
    ['with the codec number of recorders', 'Mill', 'legacy'],
  ] as const)('%s plays as hvc1, decodes and keeps time, and as H.264', async (_title, name, form) => {
    pushInRealTime(await publish(keyOf(name)), h265WithAac(form, 40));
    const share = await gateway.share(name);
    const url = await playlistOf(share);
    await until('four segments', async () => (await fetchPlaylist(url)).segments.length >= 4);
    const runs = await fetchRuns(url);
    expect(runs).toHaveLength(1);
    const { media } = runs[0]!;
    expect(await decodeErrors(media, ['-err_detect', 'explode'])).toBe('');
    expect(await probeStreams(media)).toMatchObject([
      { codec_name: 'hevc', codec_tag_string: 'hvc1', width: 160, height: 120 },
      { codec_name: 'aac' },
    ]);
    const packets = await probePackets(media, 'v');
    expect(packets.length).toBeGreaterThan(70);
    for (const kind of ['dts_time', 'pts_time'] as const) {
      const times = packets.map((packet) => Number(packet[kind]));
      const inOrder = times.toSorted((a, b) => a - b);
      if (kind === 'dts_time') expect(times).toEqual(inOrder);
      else expect(times).not.toEqual(inOrder);
      for (let i = 1; i < times.length; i++) {
        expect(Math.abs(inOrder[i]! - inOrder[i - 1]! - 0.04)).toBeLessThan(0.003);
      }
    }
    const text = (await fetchOk(`${share.m3u8Url}?video=all`)).toString();
    expect(text).toMatch(/CODECS="hvc1\.1\.6\.L\d+\.90,mp4a\.40\.2"/);
    expect(text).toMatch(/CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2"/);
    const compatibleUrl = `${share.m3u8Url}?video=h264`;
    expect((await fetchOk(compatibleUrl)).toString()).not.toContain('hvc1');
    const compatible = await openShare(compatibleUrl);
    const whole = await until('a segment in H.264', async () => {
      const [run] = await fetchRuns(compatible);
      return run !== undefined && run.media.length > 1 && run.media;
    });
    expect(await decodeErrors(whole)).toBe('');
    const codecs = (await probeStreams(whole)).map(({ codec_name }) => codec_name);
    expect(codecs).toEqual(['h264', 'aac']);
  });
});

describe('G.711, which no browser plays,', () => {
  it.each([
    ['pcm_alaw', 'Pole'],
    ['pcm_mulaw', 'Roof'],
  ] as const)('is transcoded: %s', async (audio, name) => {
    push(name, { audio });
    const share = await gateway.share(name);
    const url = await playlistOf(share);
    const streams = await until('sound in the segments', async () => {
      const runs = await fetchRuns(url);
      const found = await probeStreams(runs.at(-1)!.media);
      return found.length === 2 && found;
    });
    expect(streams.map(({ codec_type }) => codec_type).sort()).toEqual(['audio', 'video']);
  });
});

describe('a camera without a publisher', () => {
  it('is offline with the reason, and plays once something publishes, whatever the pause', async () => {
    const share = await gateway.share('Dock');
    await until('the camera to be offline', async () => {
      await fetch(share.m3u8Url);
      return (await stateOf('Dock')).connectionStatus === 'RED';
    });
    const { connectionDetail } = await stateOf('Dock');
    expect(connectionDetail).toMatchObject({ state: 'offline', code: 'RTMP_NO_PUBLISHER' });
    // Long enough for pauses of several seconds between attempts.
    await until('the third failure', async () => {
      await fetch(share.m3u8Url);
      return (
        gateway.child.lines.filter((line) => line.includes('camera offline') && line.includes('"Dock"'))
          .length >= 3
      );
    });
    push('Dock');
    const url = await until('the camera to play', () => openShare(share.m3u8Url));
    expect((await fetchPlaylist(url)).segments.length).toBeGreaterThan(0);
  });
});

describe('one key', () => {
  it('has one publisher: a second one is refused, and the first goes on', async () => {
    push('Ramp');
    const share = await gateway.share('Ramp');
    const url = await playlistOf(share);
    const second = await publish(keyOf('Ramp'));
    expect(second.received).toContain('NetStream.Publish.BadName');
    await until('the second connection to close', () => second.isClosed);
    const other = push('Ramp');
    await until('the second encoder to give up', () => !other.isRunning);
    const before = await newestSegment(url);
    await until('two more segments', async () => (await newestSegment(url)) >= before + 2);
    const { segments } = await fetchPlaylist(url);
    expect(segments.filter(({ discontinuity }) => discontinuity === true)).toEqual([]);
    expect(await metric('sluice_rtmp_refused_total{code="RTMP_KEY_IN_USE"}')).toBe(2);
  });

  it('is free again when its publisher was killed: the camera is back', async () => {
    const first = push('Hall');
    const share = await gateway.share('Hall');
    const url = await playlistOf(share);
    const before = await newestSegment(url);
    await first.end('SIGKILL');
    await until('the camera to be offline', async () => (await stateOf('Hall')).connectionStatus === 'RED');
    expect((await stateOf('Hall')).connectionDetail).toMatchObject({ state: 'offline' });
    push('Hall');
    await until('a further segment', async () => (await newestSegment(url)) > before);
    expect((await fetchPlaylist(url)).text).toContain('#EXT-X-DISCONTINUITY');
  });

  it('is free again when its publisher hangs without a word', async () => {
    const first = push('Shop');
    const share = await gateway.share('Shop');
    const url = await playlistOf(share);
    const before = (await newestSegment(url)) + 1;
    first.signal('SIGSTOP');
    let second = push('Shop');
    await until('a device with the same key to take over', async () => {
      if (!second.isRunning) second = push('Shop');
      return (await newestSegment(url)) > before;
    });
    expect(first.isRunning).toBe(true);
  });
});

describe('the listener', () => {
  it('refuses wrong keys slowly, and says nothing about them', async () => {
    const startedMonoMs = performance.now();
    const wrong = await publish('a-key-that-no-camera-has-1');
    expect(wrong.received).toContain('NetStream.Publish.BadName');
    expect(performance.now() - startedMonoMs).toBeGreaterThan(900);
    await until('the end', () => wrong.isClosed);
    const logged = gateway.child.lines.join('\n');
    expect(logged).not.toContain('a-key-that-no-camera-has-1');
    expect(logged).not.toContain(keyOf('Yard'));
    const state = JSON.stringify(await gateway.call('camera/getMinimalCameraStateList'));
    expect(state).not.toContain(keyOf('Yard'));
  });

  it('refuses AV1 with the reason, in the state of the camera too', async () => {
    const share = await gateway.share('Park');
    const device = await publish(keyOf('Park'));
    expect(device.isPublishing).toBe(true);
    // Enhanced RTMP: a key frame, SequenceStart, av01.
    device.video(0, Buffer.concat([Buffer.of(0x90), Buffer.from('av01'), Buffer.alloc(40)]));
    await until('the refusal', () => device.received.includes('NetStream.Publish.Rejected'));
    await until('the reason in the state', async () => {
      await fetch(share.m3u8Url);
      const { connectionDetail } = await stateOf('Park');
      return connectionDetail.code === 'RTMP_UNSUPPORTED_VIDEO' && connectionDetail.reason === 'unsupported';
    });
  });

  it('stays up under hostile clients, and other cameras notice nothing', async () => {
    push('Lane');
    const [yard, lobby] = [await gateway.share('Lane'), await gateway.share('Lobby')];
    const urls = [await playlistOf(yard), await playlistOf(lobby)];
    const before = await Promise.all(urls.map(newestSegment));
    // Someone watches both all the time, however long the rounds take: without a viewer, a camera is closed after `idleStop`.
    viewers = urls.map((url) => new TestViewer(url, { isPatient: true }));
    // What the first round takes, the second one uses again.
    const residentMiBs: number[] = [];
    for (let round = 0; round < 2; round++) {
      const stop = performance.now() + 5_000;
      const hostile: Promise<void>[] = [crowds(8)];
      for (const attack of ATTACKS) for (let i = 0; i < 4; i++) hostile.push(repeat(attack, stop));
      await Promise.all(hostile);
      residentMiBs.push((await metric('process_resident_memory_bytes')) / 1_048_576);
    }
    for (const [i, url] of urls.entries()) {
      await until('more segments', async () => (await newestSegment(url)) >= before[i]! + 4);
      const { segments } = await fetchPlaylist(url);
      expect(segments.filter(({ discontinuity }) => discontinuity === true)).toEqual([]);
    }
    expect(viewers.map(({ discontinuities }) => discontinuities)).toEqual([0, 0]);
    expect(residentMiBs[1]! - residentMiBs[0]!).toBeLessThan(MAX_GROWTH_MIB);
    expect(await metric('sluice_rtmp_pending')).toBeLessThanOrEqual(16);
    await until('all of them to be gone', async () => (await metric('sluice_rtmp_pending')) === 0);
    expect(gateway.child.lines.filter((line) => line.includes('uncaught'))).toEqual([]);
  });
});

type Attack = (publisher: RtmpPublisher) => Promise<void>;

let seed = 20_261_123;
/** A linear congruential generator: the same bytes in each run. */
function randomByte(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed >>> 24;
}

const ATTACKS: readonly Attack[] = [
  // A handshake that never ends.
  async ({ socket }) => {
    socket.write(Buffer.of(3));
    for (let i = 0; i < 20; i++) socket.write(Buffer.of(0));
  },
  // A huge chunk size, and a message that claims 16 MiB.
  async (publisher) => {
    await publisher.handshake();
    publisher.message(2, 1, 0, Buffer.of(0x7f, 0xff, 0xff, 0xff), 128);
    publisher.socket.write(Buffer.of(6, 0, 0, 0, 0xff, 0xff, 0xff, 9, 1, 0, 0, 0));
    publisher.socket.write(Buffer.alloc(60_000));
  },
  // Messages begun on many chunk streams, none finished.
  async (publisher) => {
    await publisher.handshake();
    for (let i = 3; i < 60; i++) publisher.socket.write(Buffer.of(i, 0, 0, 0, 0, 0x1f, 0, 20, 0, 0, 0, 0));
  },
  // Commands of nested objects.
  async (publisher) => {
    await publisher.handshake();
    publisher.message(3, 20, 0, Buffer.alloc(8_000, Buffer.of(3, 0, 1, 0x61)));
  },
  // Garbage, with and without a handshake.
  async (publisher) => {
    publisher.socket.write(Buffer.from(Array.from({ length: 4_000 }, randomByte)));
  },
  async (publisher) => {
    await publisher.handshake();
    for (let i = 0; i < 50; i++) {
      const payload = Buffer.from(Array.from({ length: 60 }, randomByte));
      publisher.message(3 + (randomByte() & 7), randomByte() & 31, 0, payload);
    }
  },
  // Nothing at all.
  async () => undefined,
];

/** More than the collector leaves lying around; 64 KiB kept of each connection of a round would be more. */
const MAX_GROWTH_MIB = 160;

/** Below the kernel's backlog for connections that are not accepted yet: beyond it, they hang on their side alone. */
const CROWD = 250;

/** Connections that say nothing, all at once. */
async function crowds(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const crowd = await Promise.all(Array.from({ length: CROWD }, () => RtmpPublisher.connect(port)));
    await until(
      'most of them to be turned away',
      () => crowd.filter(({ isClosed }) => !isClosed).length <= 16,
    );
    for (const publisher of crowd) publisher.close();
  }
}

async function repeat(attack: Attack, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    const publisher = await RtmpPublisher.connect(port);
    await attack(publisher).catch(() => undefined);
    await until('a moment', () => publisher.isClosed, 300).catch(() => undefined);
    publisher.close();
  }
}
