import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { systemClock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { WorkerInput } from '../../ffmpeg/command.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../../ffmpeg/jail.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { FfmpegSource } from './ffmpeg-source.ts';

const GRAPH = 'testsrc2=size=320x180:rate=25[out0];sine=sample_rate=8000[out1]';
const WITH_SOUND: WorkerInput = { kind: 'synthetic', graph: GRAPH };
const SILENT: WorkerInput = { kind: 'synthetic', graph: 'testsrc2=size=321x181:rate=10[out0]' };

interface Seen {
  tracks: (readonly Track[])[];
  units: Omit<AccessUnit, 'data'>[];
  /** Access units of the first track in Annex B, for decoding. */
  annexB: Buffer[];
  instance: SourceInstance;
  /** Resolves when `count` units have arrived. */
  until(count: number): Promise<void>;
  ended: Promise<GatewayError>;
}

function open(source: FfmpegSource): Seen {
  const ended = Promise.withResolvers<GatewayError>();
  let wanted = { count: Number.POSITIVE_INFINITY, resolve: () => {} };
  const seen: Omit<Seen, 'instance'> = {
    tracks: [],
    units: [],
    annexB: [],
    ended: ended.promise,
    until: (count) =>
      new Promise((resolve) => {
        wanted = { count, resolve };
      }),
  };
  const instance = source.open(
    new SourceSink({
      onTracks: (tracks) => seen.tracks.push(tracks),
      onAccessUnit: ({ data, ...unit }) => {
        seen.units.push(unit);
        if (unit.trackIndex === 0) seen.annexB.push(withStartCodes(data));
        if (seen.units.length >= wanted.count) wanted.resolve();
      },
      onDropped: (frames, code) => expect.unreachable(`dropped ${frames} ${code}`),
      onEnded: (error) => ended.resolve(error),
    }),
  );
  return Object.assign(seen, { instance });
}

function withStartCodes(data: Uint8Array): Buffer {
  const copy = Buffer.from(data);
  for (let at = 0; at < copy.length; ) {
    const length = copy.readUInt32BE(at);
    copy.writeUInt32BE(1, at);
    at += 4 + length;
  }
  return copy;
}

describe('FfmpegSource', () => {
  let binary: FfmpegBinary;
  let jail: Jail;
  let pool: WorkerPool;
  let server: Server | null = null;
  const commands: string[][] = [];

  beforeAll(async () => {
    binary = await findFfmpeg();
    const real = await createJail();
    jail = {
      hasPictureServer: false,
      describe: () => real.describe(),
      wrap: (command, args, options) => {
        commands.push([...args]);
        return real.wrap(command, args, options);
      },
    };
    pool = new WorkerPool({ maxWorkers: 2, waitTimeoutMs: 5_000, jail, clock: systemClock });
  });
  afterEach(() => {
    server?.close();
    server = null;
    commands.length = 0;
    expect(pool.counts).toEqual({ running: 0, waiting: 0 });
  });
  afterAll(() => pool.close());

  function source(input: WorkerInput, more: object = {}): FfmpegSource {
    return new FfmpegSource({ input, binary, pool, clock: systemClock, log: silentLog, ...more });
  }

  /** A camera that sends `reply` to each client and then falls silent. */
  async function camera(reply: string): Promise<WorkerInput> {
    const listening = createServer((socket) => {
      socket.on('error', () => undefined); // the worker is killed while it reads
      socket.on('data', () => reply !== '' && socket.write(reply));
    }).listen(0, '127.0.0.1');
    server = listening;
    await once(listening, 'listening');
    const address = listening.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return {
      kind: 'rtsp',
      url: new CredentialUrl(`rtsp://admin:hunter2@127.0.0.1:${port}/live`),
      transport: 'tcp',
    };
  }

  it('delivers video and audio as tracks with one zero, decodable from the first frame', async () => {
    const seen = open(source(WITH_SOUND));
    await seen.until(120);
    await seen.instance.close();
    expect(seen.tracks).toHaveLength(1);
    expect(seen.tracks[0]).toMatchObject([
      { codec: 'h264', widthPx: 320, heightPx: 180, timescaleHz: 90_000, codecString: 'avc1.42c02a' },
      { codec: 'aac', sampleRateHz: 48_000, channelCount: 2, codecString: 'mp4a.40.2' },
    ]);
    const firstSec = [0, 1].map((index) => {
      const first = seen.units.find((unit) => unit.trackIndex === index)!;
      return first.ptsTicks / seen.tracks[0]![index]!.timescaleHz;
    });
    expect(Math.abs(firstSec[0]! - firstSec[1]!)).toBeLessThan(0.05);
    const video = seen.units.filter((unit) => unit.trackIndex === 0);
    expect(video[0]!.isKey).toBe(true);
    for (const [index, unit] of video.entries()) {
      expect(unit.dtsTicks - video[0]!.dtsTicks).toBe(index * 3_600);
    }
    const decoded = spawnSync(
      'ffmpeg',
      ['-v', 'error', '-f', 'h264', '-i', 'pipe:0', '-f', 'framemd5', 'pipe:1'],
      {
        input: Buffer.concat([...parameterSets(seen.tracks[0]![0]!), ...seen.annexB]),
        encoding: 'utf8',
      },
    );
    expect(decoded.stderr).toBe('');
    expect(decoded.stdout.match(/^0,/gm)).toHaveLength(video.length);
  });

  it('learns from the first attempt that a camera has no audio and needs encoding, and remembers it', async () => {
    const learning = source(SILENT);
    const seen = open(learning);
    await seen.until(2);
    await seen.instance.close();
    expect(seen.tracks[0]).toMatchObject([{ codec: 'h264', widthPx: 320, heightPx: 180 }]);
    expect(commands).toHaveLength(2);
    const again = open(learning);
    await again.until(2);
    await again.instance.close();
    expect(commands).toHaveLength(3);
    expect(commands[2]).toEqual(commands[1]);
  });

  it('tells a viewer why the camera cannot be opened', async () => {
    const refusing = await camera('RTSP/1.0 404 Not Found\r\nCSeq: 1\r\n\r\n');
    const error = await open(source(refusing)).ended;
    expect([error.kind, error.code]).toEqual(['peer-refused', 'FFMPEG_CAMERA_NOT_FOUND']);
    expect(JSON.stringify(error.context)).not.toContain('hunter2');
    server!.close();
    const error2 = await open(source(refusing)).ended;
    expect([error2.kind, error2.code]).toEqual(['unavailable', 'FFMPEG_CAMERA_UNREACHABLE']);
  });

  it('ends, without a replacement, when no frames arrive though the worker runs', async () => {
    const clock = new FakeClock();
    const silent = await camera('');
    const connected = once(server!, 'connection');
    const seen = open(source(silent, { clock, startMs: 4_000 }));
    await connected;
    clock.advance(3_900);
    expect(pool.counts.running).toBe(1);
    clock.advance(1_100);
    const error = await seen.ended;
    expect([error.kind, error.code, error.context.silentMs]).toEqual(['timeout', 'FFMPEG_STALLED', 4_000]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no process behind when closed, at any moment', async () => {
    const closedAtOnce = open(source(WITH_SOUND));
    await closedAtOnce.instance.close();
    const busy = open(source(WITH_SOUND));
    await busy.until(1);
    const count = busy.units.length;
    await Promise.all([busy.instance.close(), busy.instance.close()]);
    expect(busy.units).toHaveLength(count);
    expect(pool.counts).toEqual({ running: 0, waiting: 0 });
  });

  it('reports that all workers are busy', async () => {
    const none = new WorkerPool({ maxWorkers: 0, waitTimeoutMs: 1, jail, clock: systemClock });
    const error = await open(source(WITH_SOUND, { pool: none })).ended;
    expect([error.kind, error.code]).toEqual(['unavailable', 'FFMPEG_POOL_FULL']);
  });
});

function parameterSets(track: Track): Buffer[] {
  if (track.codec !== 'h264') throw new Error('no video');
  const startCode = Buffer.from([0, 0, 0, 1]);
  return [...track.sps, ...track.pps].flatMap((set) => [startCode, Buffer.from(set)]);
}
