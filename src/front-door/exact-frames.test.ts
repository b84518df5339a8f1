import { beforeEach, describe, expect, it } from 'vitest';
import { FAKE_VIDEO, FakeCamera } from '../cmaf/fake-camera.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { StillRequest } from '../devices/camera-stills.ts';
import type { RecordingSpan } from '../store/recording.ts';
import type { Interest, LiveCamera, LiveState, RenditionName } from '../stream/media/live-media.ts';
import { Packager } from '../stream/packaging/packager.ts';
import type { Still, Stills } from '../thumbnails/stills.ts';
import { ApiStills } from './api-stills.ts';
import { EXACT_WAIT_MS } from './exact-frames.ts';

const FRAME_MS = 40;
const FRAME_TICKS = 3_600;
const GROUP = 50;
const uuid = newRuuid();
const REQUEST: StillRequest = {
  widthPx: null,
  format: 'jpeg',
  qualityPercent: null,
  crop: null,
  downscaleFactor: 1,
  isOnlyLive: false,
  isHeld: false,
  atEpochMs: null,
};

/** A camera with live windows. Nothing of it is recorded unless a test requests it. */
class Bench {
  readonly clock = new FakeClock();
  readonly source = new FakeCamera();
  readonly windows = new Map<RenditionName, Packager>();
  readonly touches: Interest[] = [];
  state: LiveState['state'] = 'live';
  isClustered = false;
  hasPicture = true;
  recorded: RecordingSpan[] = [];
  recordingLooks = 0;
  frames = 0;
  onTouch: () => void = () => undefined;
  readonly stills: ApiStills;

  constructor() {
    const camera = {
      uuid,
      touch: (interest: Interest) => {
        this.touches.push(interest);
        this.onTouch();
      },
      status: () => ({ state: this.state }),
      rendition: (name: RenditionName) => this.windows.get(name)?.published.window ?? null,
      keyFrame: () => null,
      hasPicture: () => this.hasPicture,
    } as unknown as LiveCamera;
    Object.defineProperty(camera, 'isClustered', { get: () => this.isClustered });
    const stillAt = (takenAtEpochMs: number): Still => {
      const bytes = Buffer.from('x');
      return { bytes, format: 'jpeg', widthPx: 1, heightPx: 1, takenAtEpochMs, digest: '' };
    };
    const pastStill: Stills['pastStill'] = async (_uuid, _name, _wanted, find) => {
      const frame = await find();
      return frame === null ? null : stillAt(frame.atEpochMs);
    };
    this.stills = new ApiStills({
      clock: this.clock,
      mediaUrl: 'http://media.example',
      cameras: { get: () => camera },
      stills: { still: async () => stillAt(this.clock.epochMs() - 900), pastStill },
      media: {
        seek: async () => {
          this.recordingLooks++;
          return null;
        },
        read: async () => Buffer.alloc(0),
        spans: async () => this.recorded,
      },
      held: {} as never,
    });
  }

  open(name: RenditionName = 'main'): this {
    const packager = new Packager({
      clock: this.clock,
      content: 'video',
      isContinuation: false,
      numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
      onNumbering: () => undefined,
      onPlayable: () => undefined,
    });
    packager.setTracks([FAKE_VIDEO]);
    this.windows.set(name, packager);
    return this;
  }

  /** Frames at 25 Hz, each as it is taken. */
  play(ms: number): this {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      const at = this.frames++;
      const picture = this.source.picture({
        dtsTicks: at * FRAME_TICKS,
        isKey: at % GROUP === 0,
        arrivalMonoMs: this.clock.monoMs(),
      });
      for (const window of this.windows.values()) window.push(picture);
      this.clock.advance(FRAME_MS);
    }
    return this;
  }

  at(agoMs: number, fields: Partial<StillRequest> = {}) {
    const atEpochMs = this.clock.epochMs() - agoMs;
    return { atEpochMs, taken: this.stills.take(uuid, { ...REQUEST, ...fields, atEpochMs }) };
  }

  /** The outcome of a call while time passes, with or without frames. */
  async outcome<T>(call: Promise<T>, isPlaying: boolean): Promise<T> {
    let isOver = false;
    const ended = call.finally(() => {
      isOver = true;
    });
    ended.catch(() => undefined);
    await eventually('the end of the call', () => {
      if (!isOver && this.clock.pendingTimers > 0) {
        if (isPlaying) this.play(FRAME_MS);
        else this.clock.advance(FRAME_MS);
      }
      return isOver;
    });
    return ended;
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

describe('the frame of a moment ago', () => {
  it.each([2_000, 4_000, 6_000, 9_000, 12_000])(
    'of %i ms is that one, watched and not recorded',
    async (agoMs) => {
      bench.open().play(14_000);
      const { atEpochMs, taken } = bench.at(agoMs);
      const { takenAtEpochMs } = await taken;
      expect(atEpochMs - takenAtEpochMs).toBeGreaterThanOrEqual(-1);
      expect(atEpochMs - takenAtEpochMs).toBeLessThan(FRAME_MS);
      expect(bench.recordingLooks).toBe(0);
    },
  );

  it('that has not arrived is waited for, and the disk is left alone', async () => {
    bench.open().play(4_000);
    const { atEpochMs, taken } = bench.at(-100);
    const { takenAtEpochMs } = await bench.outcome(taken, true);
    expect(Math.abs(atEpochMs - takenAtEpochMs)).toBeLessThanOrEqual(FRAME_MS);
    expect(bench.recordingLooks).toBe(0);
  });

  it('of a camera that froze is refused when the wait ends, with the last moment that has one', async () => {
    bench.open().play(4_000);
    bench.clock.advance(1_500);
    const startMonoMs = bench.clock.monoMs();
    const { atEpochMs, taken } = bench.at(1_100);
    await expect(bench.outcome(taken, false)).rejects.toMatchObject({
      code: 'FRAME_NOT_RECORDED',
      context: { beforeMs: expect.any(Number) },
    });
    expect(bench.clock.monoMs() - startMonoMs).toBeGreaterThanOrEqual(EXACT_WAIT_MS);
    // The moment that it names has a frame.
    const { context } = (await taken.catch((error: unknown) => error)) as { context: { beforeMs: number } };
    expect(context.beforeMs).toBeLessThan(atEpochMs);
    const { taken: named } = bench.at(bench.clock.epochMs() - context.beforeMs);
    const { takenAtEpochMs } = await bench.outcome(named, false);
    expect(context.beforeMs - takenAtEpochMs).toBeLessThan(FRAME_MS);
  });

  it('from before the camera was opened is refused without a wait, with the first moment that has one', async () => {
    bench.clock.advance(5_000);
    const openedMs = bench.clock.epochMs();
    bench.open().play(4_000);
    const { taken } = bench.at(6_000);
    await expect(taken).rejects.toMatchObject({ code: 'FRAME_NOT_RECORDED', context: { afterMs: openedMs } });
    const first = await bench.at(bench.clock.epochMs() - openedMs).taken;
    expect(first.takenAtEpochMs).toBe(openedMs);
  });

  it('of a camera that is not open is refused: it is not opened for a moment that is over', async () => {
    bench.state = 'idle';
    await expect(bench.at(2_000).taken).rejects.toMatchObject({ code: 'FRAME_NOT_RECORDED', context: {} });
    expect(bench.touches).toEqual([]);
  });

  it.each([0, 2_000])('of a camera that sends only sound is refused as such, %i ms ago', async (agoMs) => {
    bench.open().play(4_000);
    bench.hasPicture = false;
    const { taken } = bench.at(agoMs, { isOnlyLive: agoMs === 0 });
    await expect(taken).rejects.toMatchObject({ code: 'CAMERA_HAS_NO_PICTURE' });
  });

  it('is looked for again while its segment is on the way to the disk', async () => {
    bench.clock.advance(20_000);
    bench.open().play(2_000);
    const { atEpochMs, taken } = bench.at(4_000);
    bench.recorded = [{ startMs: atEpochMs - 8_000, endMs: atEpochMs - 1_000 }];
    await expect(bench.outcome(taken, true)).rejects.toMatchObject({ code: 'FRAME_NOT_RECORDED' });
    expect(bench.recordingLooks).toBeGreaterThan(10);
  });

  it('comes from the substream, or the transcoded video, if only that is watched', async () => {
    for (const name of ['sub', 'h264-silent'] as const) {
      bench = new Bench();
      bench.state = name === 'sub' ? 'idle' : 'live';
      bench.open(name).play(6_000);
      const { atEpochMs, taken } = bench.at(3_000);
      const { takenAtEpochMs } = await taken;
      expect(Math.abs(atEpochMs - takenAtEpochMs)).toBeLessThanOrEqual(FRAME_MS);
    }
  });

  it('comes from the mirror at a node of a cluster that does not own the camera', async () => {
    bench.play(8_000);
    bench.isClustered = true;
    bench.state = 'idle';
    // The owner's frames arrive immediately.
    bench.onTouch = () => {
      if (bench.windows.size > 0) return;
      bench.state = 'live';
      bench.open();
      for (let at = 100; at < bench.frames; at++) {
        const arrivalMonoMs = at * FRAME_MS;
        const fields = { dtsTicks: at * FRAME_TICKS, isKey: at % GROUP === 0, arrivalMonoMs };
        bench.windows.get('main')!.push(bench.source.picture(fields));
      }
    };
    const { atEpochMs, taken } = bench.at(2_000);
    const { takenAtEpochMs } = await taken;
    expect(Math.abs(atEpochMs - takenAtEpochMs)).toBeLessThanOrEqual(FRAME_MS);
  });
});

describe('the frame of now', () => {
  it('of a camera that streams is that one, not the newest key frame', async () => {
    bench.open().play(5_000);
    const { atEpochMs, taken } = bench.at(0, { isOnlyLive: true });
    const { takenAtEpochMs, isLive } = await bench.outcome(taken, true);
    expect([isLive, Math.abs(atEpochMs - takenAtEpochMs) <= FRAME_MS]).toEqual([true, true]);
  });

  it('of a camera that has just been opened is its first image', async () => {
    bench.clock.advance(5_000);
    bench.open().play(400);
    const { taken } = bench.at(900, { isOnlyLive: true });
    expect((await taken).takenAtEpochMs).toBe(bench.clock.epochMs() - 900);
  });
});
