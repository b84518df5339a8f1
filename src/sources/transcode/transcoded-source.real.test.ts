import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { FAKE_AUDIO } from '../../cmaf/fake-camera.ts';
import type { AccessUnit, Track, VideoTrack } from '../../codec/track.ts';
import { systemClock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../ffmpeg/jail.ts';
import type { Polygon } from '../../ffmpeg/mask-boxes.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { FragmentReader } from '../../isobmff/fragment-reader.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import type { UnitFeed, UnitReader } from '../../stream/source/unit-feed.ts';
import { FrameFile } from './frame-file.ts';
import { MAX_UNREAD_BYTES, TranscodedSource } from './transcoded-source.ts';

const FPS = 25;
const FRAMES = 75;
/** Where the camera's timeline is when the transcoder joins. */
const JOINED_SEC = 1_000;

/** The output of a camera: reordered frames, a key frame each second. */
function film({ size = '320x180', encoder = 'libx265' } = {}): { track: Track; units: AccessUnit[] } {
  const args = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${FPS}`, '-frames:v', String(FRAMES)];
  const x265 = `log-level=error:bframes=2:keyint=${FPS}:min-keyint=${FPS}:open-gop=0`;
  const speed = ['-preset', 'ultrafast', '-g', String(FPS), '-bf', '2', '-pix_fmt', 'yuv420p'];
  const coding = ['-c:v', encoder, ...speed, ...(encoder === 'libx265' ? ['-x265-params', x265] : [])];
  const file = ['-movflags', '+empty_moov+default_base_moof+frag_every_frame', '-f', 'mp4', 'pipe:1'];
  const { stdout } = spawnSync('ffmpeg', ['-loglevel', 'error', ...args, ...coding, ...file], {
    maxBuffer: 1e8,
  });
  let track: Track | null = null;
  const units: AccessUnit[] = [];
  const reader = new FragmentReader({
    onTracks: ([video]) => {
      track = video!;
    },
    onSample: (_index, dtsTicks, ptsTicks, isKey, data) => {
      const shift = { dtsTicks: ticks(dtsTicks, track!), ptsTicks: ticks(ptsTicks, track!) };
      units.push({
        trackIndex: 0,
        ...shift,
        isKey,
        data: Uint8Array.from(data),
        arrivalMonoMs: units.length,
      });
    },
  });
  reader.push(stdout);
  return { track: { ...track!, timescaleHz: 90_000 }, units };
}

function ticks(own: number, { timescaleHz }: Track): number {
  return JOINED_SEC * 90_000 + Math.round((own * 90_000) / timescaleHz);
}

/** The frames of 320 × 180 pixels, as luma. */
function lumaOf(track: Track, units: readonly AccessUnit[]): Buffer[] {
  const video = track as VideoTrack;
  const file = new FrameFile(video, units[0]!.dtsTicks);
  const input = Buffer.concat([file.head, ...units.map((unit) => file.frame(video, unit))]);
  const args = ['-v', 'error', '-f', 'mp4', '-i', 'pipe:0', '-vsync', 'passthrough', '-pix_fmt', 'gray'];
  const { stdout } = spawnSync('ffmpeg', [...args, '-f', 'rawvideo', 'pipe:1'], { input, maxBuffer: 1e8 });
  const frameBytes = 320 * 180;
  return Array.from({ length: stdout.length / frameBytes }, (_, at) =>
    stdout.subarray(at * frameBytes, (at + 1) * frameBytes),
  );
}

class Feed implements UnitFeed {
  readonly readers = new Set<UnitReader>();
  tracks: readonly Track[] = [];

  attach(reader: UnitReader): void {
    this.readers.add(reader);
    if (this.tracks.length > 0) reader.onTracks(this.tracks);
  }

  detach(reader: UnitReader): void {
    this.readers.delete(reader);
  }

  announce(tracks: readonly Track[]): void {
    this.tracks = tracks;
    for (const reader of this.readers) reader.onTracks(tracks);
  }

  push(unit: AccessUnit): void {
    for (const reader of this.readers) reader.onAccessUnit(unit);
  }
}

interface Seen {
  readonly instance: SourceInstance;
  readonly tracks: (readonly Track[])[];
  readonly units: AccessUnit[];
  readonly errors: GatewayError[];
}

describe('TranscodedSource', () => {
  let binary: FfmpegBinary;
  let pool: WorkerPool;
  let feed: Feed;
  const opened: SourceInstance[] = [];

  beforeAll(async () => {
    binary = await findFfmpeg();
    const jail = await createJail();
    pool = new WorkerPool({ maxWorkers: 1, waitTimeoutMs: 5_000, jail, clock: systemClock });
  });
  afterEach(async () => {
    for (const instance of opened.splice(0)) await instance.close();
    expect(feed.readers.size).toBe(0);
    expect(pool.counts.running).toBe(0);
  });
  afterAll(() => pool.close());

  function open(masks: readonly Polygon[] = []): Seen {
    feed = new Feed();
    const source = new TranscodedSource({ feed, masks, pool, binary, clock: systemClock, log: silentLog });
    const seen: Omit<Seen, 'instance'> = { tracks: [], units: [], errors: [] };
    const sink = new SourceSink({
      onTracks: (tracks) => seen.tracks.push(tracks),
      onAccessUnit: (unit) => seen.units.push({ ...unit, data: Uint8Array.from(unit.data) }),
      onDropped: (frames, code) => expect.unreachable(`dropped ${frames} ${code}`),
      onEnded: (error) => seen.errors.push(error),
    });
    const instance = source.open(sink);
    opened.push(instance);
    return { ...seen, instance };
  }

  async function feedAll({ track, units }: ReturnType<typeof film>): Promise<void> {
    feed.announce([track, FAKE_AUDIO]);
    await vi.waitUntil(() => pool.counts.running === 1, PATIENCE);
    // Promises of the start.
    await new Promise(setImmediate);
    for (const unit of units) feed.push(unit);
  }

  it('gives each frame its time and the moment at which it arrived', async () => {
    const camera = film();
    const seen = open();
    await feedAll(camera);
    // In the decoder, which puts frames in order, and in the muxer.
    const inside = 5;
    await vi.waitUntil(() => seen.units.length >= FRAMES - inside, PATIENCE);
    const shown = [...camera.units].sort((a, b) => a.ptsTicks - b.ptsTicks);
    seen.units.forEach((unit, index) => {
      expect(Math.abs(unit.ptsTicks - shown[index]!.ptsTicks)).toBeLessThanOrEqual(2);
      expect(unit.arrivalMonoMs).toBe(shown[index]!.arrivalMonoMs);
    });
    expect(seen.units[0]!.isKey).toBe(true);
    expect(seen.tracks[0]).toMatchObject([{ codec: 'h264', widthPx: 320, heightPx: 180 }, FAKE_AUDIO]);
    expect(seen.errors).toEqual([]);
  });

  it('passes audio on as it is, once there is video', async () => {
    const seen = open();
    const audio = { trackIndex: 1, dtsTicks: 5, ptsTicks: 5, isKey: true, data: Uint8Array.of(7) };
    const camera = film();
    feed.announce([camera.track, FAKE_AUDIO]);
    feed.push({ ...audio, arrivalMonoMs: 1 });
    await feedAll(camera);
    await vi.waitUntil(() => seen.units.length > 10, PATIENCE);
    feed.push({ ...audio, arrivalMonoMs: 2 });
    expect(seen.units.filter((unit) => unit.trackIndex === 1)).toEqual([{ ...audio, arrivalMonoMs: 2 }]);
  });

  it('has frames and audio that come before the worker, from the first key frame on', async () => {
    const { track, units } = film();
    const seen = open();
    const audio = { trackIndex: 1, dtsTicks: 5, ptsTicks: 5, isKey: true, data: Uint8Array.of(7) };
    feed.announce([track, FAKE_AUDIO]);
    // Useless: it comes before the key frame.
    feed.push({ ...audio, arrivalMonoMs: 1 });
    for (const unit of units) feed.push(unit);
    feed.push({ ...audio, arrivalMonoMs: 2 });
    await vi.waitUntil(() => seen.units.length > 10, PATIENCE);
    await seen.instance.finish!();
    expect(seen.units.filter(({ trackIndex }) => trackIndex === 0)).toHaveLength(FRAMES);
    expect(Math.abs(seen.units[0]!.ptsTicks - units[0]!.ptsTicks)).toBeLessThanOrEqual(2);
    expect(seen.units[1]).toEqual({ ...audio, arrivalMonoMs: 2 });
  });

  it('gives out all that is inside when it finishes, and takes nothing more', async () => {
    const camera = film();
    const seen = open();
    await feedAll(camera);
    const finished = seen.instance.finish!();
    feed.push(camera.units[0]!);
    await finished;
    const shown = camera.units.map(({ ptsTicks }) => ptsTicks).sort((a, b) => a - b);
    expect(seen.units).toHaveLength(FRAMES);
    seen.units.forEach(({ ptsTicks }, index) => {
      expect(Math.abs(ptsTicks - shown[index]!)).toBeLessThanOrEqual(2);
    });
    expect([seen.errors, pool.counts.running]).toEqual([[], 0]);
  });

  it('does not wait for a worker when it finishes', async () => {
    const seen = open();
    feed.announce([film().track]);
    await seen.instance.finish!();
    expect([seen.units, seen.errors, pool.counts.running]).toEqual([[], [], 0]);
  });

  it('begins with a key frame', async () => {
    const camera = film();
    const seen = open();
    await feedAll({ ...camera, units: camera.units.slice(1) });
    await vi.waitUntil(() => seen.units.length > 10, PATIENCE);
    const firstKey = camera.units.find(
      ({ isKey, dtsTicks }) => isKey && dtsTicks > camera.units[0]!.dtsTicks,
    )!;
    expect(Math.abs(seen.units[0]!.ptsTicks - firstKey.ptsTicks)).toBeLessThanOrEqual(2);
  });

  it('ends when the size of the picture changes, not for other parameter sets of that size', async () => {
    const small = film();
    const seen = open();
    await feedAll(small);
    await vi.waitUntil(() => seen.units.length > 10, PATIENCE);
    feed.announce([{ ...small.track }, FAKE_AUDIO]);
    expect(feed.readers.size).toBe(1);
    feed.announce([film({ size: '640x360' }).track, FAKE_AUDIO]);
    await vi.waitUntil(() => seen.errors.length > 0, PATIENCE);
    expect(seen.errors.map(({ code }) => code)).toEqual(['FFMPEG_PICTURE_CHANGED']);
  });

  it('ends with its feed', async () => {
    const seen = open();
    await feedAll(film());
    await vi.waitUntil(() => seen.units.length > 10, PATIENCE);
    const gone = new GatewayError(STREAM_ERRORS.STREAM_OFFLINE);
    for (const reader of feed.readers) reader.onGone(gone);
    await vi.waitUntil(() => seen.errors.length > 0, PATIENCE);
    expect(seen.errors).toEqual([gone]);
  });

  it('ends with its feed before there were any tracks', () => {
    const seen = open();
    const gone = new GatewayError(STREAM_ERRORS.STREAM_OFFLINE);
    for (const reader of feed.readers) reader.onGone(gone);
    expect(seen.errors).toEqual([gone]);
  });

  it('passes H.264 on as it is, without a worker', () => {
    const { track, units } = film({ encoder: 'libx264' });
    const seen = open();
    feed.announce([track, FAKE_AUDIO]);
    for (const unit of units) feed.push(unit);
    expect(seen.tracks).toEqual([[track, FAKE_AUDIO]]);
    expect(seen.units).toEqual(units);
    expect(pool.counts.running).toBe(0);
    feed.announce([film().track, FAKE_AUDIO]);
    expect(seen.errors.map(({ code }) => code)).toEqual(['FFMPEG_PICTURE_CHANGED']);
  });

  it.each(['libx264', 'libx265'])(
    'fills masks in every frame of %s, and passes nothing without a worker',
    async (encoder) => {
      const left = [0, 0, 4_000, 0, 4_000, 10_000, 0, 10_000];
      const mask = [0, 2, 4, 6].map((at) => ({ xPermyriad: left[at]!, yPermyriad: left[at + 1]! }));
      const camera = film({ encoder });
      const seen = open([mask]);
      feed.announce([camera.track]);
      for (const unit of camera.units) feed.push(unit);
      expect(seen.units).toEqual([]);
      await vi.waitUntil(() => pool.counts.running === 1, PATIENCE);
      await vi.waitUntil(() => seen.units.length > 0, PATIENCE);
      await seen.instance.finish!();
      const frames = lumaOf(seen.tracks[0]![0]!, seen.units);
      expect(frames).toHaveLength(FRAMES);
      for (const frame of frames) {
        const brightest = (fromPx: number, toPx: number): number =>
          frame.reduce(
            (most, luma, at) => (at % 320 >= fromPx && at % 320 < toPx ? Math.max(most, luma) : most),
            0,
          );
        expect(brightest(0, 128)).toBeLessThan(24);
        expect(brightest(136, 320)).toBeGreaterThan(150);
      }
    },
  );

  it('waits in line for a worker with the urgency of its viewers, and says so', async () => {
    const holder = open();
    await feedAll(film());
    const held = feed;
    const waits: (number | null)[] = [];
    feed = new Feed();
    const source = new TranscodedSource({ feed, pool, binary, clock: systemClock, log: silentLog });
    const sink = new SourceSink({
      onTracks: () => undefined,
      onAccessUnit: () => undefined,
      onDropped: () => undefined,
      onEnded: (error) => expect.unreachable(error.code),
      urgency: () => 'alarm',
      onWaiting: (wait) => waits.push(wait === null ? null : wait.ahead),
    });
    opened.push(source.open(sink));
    feed.announce([film().track]);
    await vi.waitUntil(() => waits.length > 0, PATIENCE);
    expect([waits, pool.sample.waiting.alarm]).toEqual([[0], 1]);
    await holder.instance.close();
    await vi.waitUntil(() => waits.at(-1) === null, PATIENCE);
    expect([held.readers.size, pool.sample.cores > 0]).toEqual([0, true]);
  });

  it('with masks, gives way to the first worker of another organization', async () => {
    const jail = await createJail();
    const shared = new WorkerPool({ maxWorkers: 2, waitTimeoutMs: 20_000, jail, clock: systemClock });
    const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
    const masks = [[corner(0, 0), corner(4_000, 0), corner(0, 4_000)]];
    const camera = film({ encoder: 'libx264' });
    const openFor = (orgUuid: Ruuid) => {
      const own = new Feed();
      const seen = { units: 0, ended: [] as string[] };
      const owner = { uuid: newRuuid(), orgUuid };
      const source = new TranscodedSource({
        feed: own,
        masks,
        camera: owner,
        pool: shared,
        binary,
        clock: systemClock,
        log: silentLog,
      });
      const sink = new SourceSink({
        onTracks: () => undefined,
        onAccessUnit: () => void seen.units++,
        onDropped: () => undefined,
        onEnded: (error) => void seen.ended.push(error.code),
        urgency: () => 'viewer',
      });
      const instance = source.open(sink);
      own.announce([camera.track]);
      for (const unit of camera.units) own.push(unit);
      return { seen, instance };
    };
    const [greedy, other] = [newRuuid(), newRuuid()];
    const all = [openFor(greedy), openFor(greedy)];
    await vi.waitUntil(() => all.every(({ seen }) => seen.units > 0), PATIENCE);
    const late = openFor(other);
    await vi.waitUntil(() => late.seen.units > 0, PATIENCE);
    const ended = all.flatMap(({ seen }) => seen.ended);
    // Without room, it waits in line again.
    expect(ended).toEqual(['FFMPEG_POOL_FULL']);
    for (const { instance } of [...all, late]) await instance.close();
    await shared.close();
    open();
  });

  it('ends when the worker reads too slowly', async () => {
    const seen = open();
    const { track, units } = film();
    await feedAll({ track, units: units.slice(0, 1) });
    const data = new Uint8Array(MAX_UNREAD_BYTES);
    feed.push({ ...units[1]!, data });
    await vi.waitUntil(() => seen.errors.length > 0, PATIENCE);
    expect(seen.errors.map(({ code }) => code)).toEqual(['FFMPEG_TOO_SLOW']);
  });
});
