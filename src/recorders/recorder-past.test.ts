import { describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import type { AccessUnit, Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { RecordedFile, RecordedSegment } from '../recording/segment-index.ts';
import { CameraSoundPaths } from '../sources/sound/camera-sound.ts';
import { NOW_MS, testChannel, testClock } from './archive-fixture.ts';
import { RECORDER_ERRORS } from './errors.ts';
import { type ArchiveSpan, NO_REPLAY_FIELDS } from './recorder-archive.ts';
import { RecorderPast, type RecorderPastOptions } from './recorder-past.ts';
import type { RecordedChannel } from './recorder-settings.ts';
import type { ReplayOptions } from './replay-session.ts';

const HOUR_MS = 3_600_000;
const FRAME_MS = 40;
const GOP_MS = 1_000;
const START_MS = NOW_MS - HOUR_MS;
const TRACKS: readonly Track[] = [FAKE_VIDEO];

/** A recorder whose frames are their times. */
class FakeReplay {
  readonly options: ReplayOptions;
  isOpen = true;
  isPaused = false;
  isExact = true;
  /** Its pictures are those of an earlier time by this much. */
  lateMs = 0;
  #atMs: number;

  constructor(options: ReplayOptions) {
    this.options = options;
    this.#atMs = options.fromMs - (options.fromMs % GOP_MS);
    queueMicrotask(() => {
      if (this.isOpen) options.events.onTracks(TRACKS);
    });
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  async close(): Promise<void> {
    this.isOpen = false;
  }

  /** Plays up to this time, or until it is paused or closed. */
  play(untilMs: number): void {
    for (; this.#atMs < untilMs && this.isOpen && !this.isPaused; this.#atMs += FRAME_MS) {
      const ticks = ((this.#atMs - START_MS) * 90_000) / 1_000;
      const data = new Uint8Array(16);
      new DataView(data.buffer).setUint32(0, 12);
      data[4] = this.#atMs % GOP_MS === 0 ? 0x65 : 0x41;
      new DataView(data.buffer).setFloat64(8, this.#atMs - this.lateMs);
      const unit: AccessUnit = {
        trackIndex: 0,
        dtsTicks: ticks,
        ptsTicks: ticks,
        isKey: this.#atMs % GOP_MS === 0,
        data,
        arrivalMonoMs: this.#atMs,
      };
      this.options.events.onUnit(unit);
    }
  }
}

interface World {
  readonly clock: ReturnType<typeof testClock>;
  readonly past: RecorderPast;
  readonly replays: FakeReplay[];
  /** `camera/number`. */
  readonly removed: string[];
  readonly forgotten: Ruuid[];
  /** How many bytes each file counts. */
  fileBytes: number;
}

function world(spans: readonly ArchiveSpan[], more: Partial<RecorderPastOptions> = {}): World {
  const clock = testClock();
  const replays: FakeReplay[] = [];
  const removed: string[] = [];
  const forgotten: Ruuid[] = [];
  const numbers = new Map<Ruuid, number>();
  const open = new Map<string, RecordedSegment[]>();
  const past = new RecorderPast({
    openArchive: (channel) => ({
      list: async () => spans,
      replay: async () => ({ url: channel.rtspUrl, fields: NO_REPLAY_FIELDS, offsetMs: 0 }),
      close: () => undefined,
    }),
    imports: {
      reserve: async (camera) => {
        const number = numbers.get(camera) ?? 0;
        numbers.set(camera, number + 1);
        return number;
      },
      append: async (camera, number, { part }) => {
        const segments = open.get(`${camera}/${number}`) ?? [];
        segments.push({ ...part, offset: 0, byteLength: 1, init: { offset: 0, byteLength: 1 } });
        open.set(`${camera}/${number}`, segments);
      },
      finish: async (cameraUuid, number): Promise<RecordedFile> => ({
        cameraUuid,
        rendition: 'pulled',
        number,
        byteLength: result.fileBytes,
        segments: open.get(`${cameraUuid}/${number}`)!,
      }),
      cancel: async () => undefined,
    },
    remove: async (files) =>
      void removed.push(...files.map(({ cameraUuid, number }) => `${cameraUuid}/${number}`)),
    ownSpans: async () => [],
    onForgotten: (camera) => forgotten.push(camera),
    sound: new CameraSoundPaths(clock, null),
    clock,
    log: silentLog,
    open: (options) => {
      const replay = new FakeReplay(options);
      replays.push(replay);
      return replay;
    },
    ...more,
  });
  const result: World = { clock, past, replays, removed, forgotten, fileBytes: 1_000 };
  return result;
}

const SPANS = [{ fromMs: START_MS, toMs: START_MS + 600_000 }];

async function nthReplay({ replays }: World, index: number): Promise<FakeReplay> {
  await eventually('a session', () => replays.length > index);
  return replays[index]!;
}

/** The result of `look`, while time passes and the recorder plays. */
async function looked(
  of: World,
  camera: Ruuid,
  looker: object,
  play: () => void = () => of.replays.at(-1)?.play(START_MS + 5_000),
  durationMs = 60_000,
) {
  let result: Awaited<ReturnType<RecorderPast['look']>> | null = null;
  void of.past.look(camera, START_MS, START_MS + durationMs, looker).then((settled) => {
    result = settled;
  });
  return eventually('a look', () => {
    play();
    of.clock.advance(50);
    return result;
  }) as Promise<Awaited<ReturnType<RecorderPast['look']>>>;
}

describe('what a viewer looks at', () => {
  it('is pulled from its start, and known up to what was pulled', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    const settled = await looked(of, channel.cameraUuid, {});
    expect(settled).toMatchObject({ isGrowing: true, error: null });
    expect(settled.untilMs).toBeGreaterThan(START_MS);
    expect(settled.untilMs).toBeLessThanOrEqual(START_MS + 5_000);
    expect(of.past.status(channel.cameraUuid).state).toBe('pulling');
    await of.past.close();
  });

  it('is pulled only some way ahead of the viewer', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    const viewer = {};
    await looked(of, channel.cameraUuid, viewer, undefined, 600_000);
    const replay = await nthReplay(of, 0);
    replay.play(START_MS + 600_000);
    expect(replay.isPaused).toBe(true);
    of.past.watched(channel.cameraUuid, START_MS + 10_000, viewer);
    expect(replay.isPaused).toBe(false);
    await of.past.close();
  });

  it('is no longer pulled when the viewer has left', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    await looked(of, channel.cameraUuid, {});
    await eventually('the end of the session', () => {
      of.clock.advance(1_000);
      return !of.replays[0]!.isOpen;
    });
    expect(of.past.status(channel.cameraUuid).state).toBe('idle');
    await of.past.close();
  });

  it('is not pulled twice', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    await Promise.all([looked(of, channel.cameraUuid, {}), looked(of, channel.cameraUuid, {})]);
    expect(of.replays).toHaveLength(1);
    await of.past.close();
  });
});

describe('a recorder with one session', () => {
  it('lets the second camera wait, says so, and serves it next', async () => {
    const of = world(SPANS);
    const recorderUuid = newRuuid();
    const [one, two] = [
      testChannel('onvif', { recorderUuid }),
      testChannel('onvif', { recorderUuid }),
    ] as const;
    await of.past.configure([one, two]);
    const first = {};
    await looked(of, one.cameraUuid, first);
    const waiting = looked(of, two.cameraUuid, {}, () => {
      // The first viewer stays.
      of.past.watched(one.cameraUuid, START_MS, first);
    });
    await eventually('the queue', () => of.past.status(two.cameraUuid).state === 'waiting');
    expect(of.past.status(two.cameraUuid).waiting).toBe(1);
    expect(await waiting).toMatchObject({ isGrowing: true, error: { code: 'RECORDER_BUSY' } });
    await eventually('the second session', () => {
      of.clock.advance(1_000);
      void of.past.look(two.cameraUuid, START_MS, START_MS + 60_000, waiting);
      return of.replays.length === 2;
    });
    expect(of.replays.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    await of.past.close();
  });
});

describe('the recorders of two organizations', () => {
  it('are shared out: one that pulls from many leaves room for the other', async () => {
    const of = world(SPANS);
    const orgUuid = newRuuid();
    const greedy = Array.from({ length: 12 }, () => testChannel('onvif', { orgUuid }));
    const other = testChannel('onvif');
    await of.past.configure([...greedy, other]);
    for (const { cameraUuid } of greedy) void of.past.look(cameraUuid, START_MS, START_MS + 60_000, {});
    const most = LIMITS.recorderPulls.levels.organization.max;
    await eventually('the sessions of the first', () => of.replays.length === most);
    void of.past.look(other.cameraUuid, START_MS, START_MS + 60_000, {});
    await eventually('the session of the other', () => of.replays.length === most + 1);
    expect(of.past.status(other.cameraUuid).state).toBe('pulling');
    expect(greedy.filter(({ cameraUuid }) => of.past.status(cameraUuid).state === 'waiting')).toHaveLength(
      12 - most,
    );
    await of.past.close();
  });
});

describe('a recorder that fails', () => {
  it('hides nothing else, and is tried again later', async () => {
    const of = world(SPANS, {
      open: () => {
        throw new GatewayError(RECORDER_ERRORS.RECORDER_REFUSED, {});
      },
    });
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    expect(await looked(of, channel.cameraUuid, {})).toMatchObject({
      untilMs: START_MS + 60_000,
      isGrowing: false,
      error: { code: 'RECORDER_REFUSED' },
    });
    expect(of.past.status(channel.cameraUuid)).toMatchObject({ state: 'failed' });
    of.clock.advance(10_000);
    expect(of.past.status(channel.cameraUuid)).toMatchObject({ state: 'idle', error: null });
    await of.past.close();
  });

  it('to play the requested time leaves no copy of what it played, however much comes at once', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif', { maxSessions: 2 });
    await of.past.configure([channel]);
    let played = 0;
    const playFrom = (fromMs: number) => () => {
      for (const replay of of.replays.slice(played)) {
        played++;
        replay.isExact = false;
        replay.lateMs = fromMs - START_MS;
        replay.options.events.onTracks(TRACKS);
        replay.play(fromMs + 20_000);
      }
    };
    await looked(of, channel.cameraUuid, {}, playFrom(START_MS));
    const copied = await eventually('copies', () => of.past.coveredMs(channel.cameraUuid));
    const laterMs = START_MS + 300_000;
    let failed = false;
    void of.past.look(channel.cameraUuid, laterMs, laterMs + 60_000, {}).then(({ error }) => {
      failed = error?.code === RECORDER_ERRORS.RECORDER_OTHER_TIME.code;
    });
    await eventually('the failure', () => {
      playFrom(laterMs)();
      of.clock.advance(50);
      return failed;
    });
    expect(of.past.coveredMs(channel.cameraUuid) - copied).toBeLessThan(1);
    await of.past.close();
  });

  it('to list is a reason, not a failure of the call', async () => {
    const failure = new GatewayError(RECORDER_ERRORS.RECORDER_LOGIN_REFUSED, {});
    const of = world(SPANS, {
      openArchive: () => ({
        list: () => Promise.reject(failure),
        replay: () => Promise.reject(failure),
        close: () => undefined,
      }),
    });
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    expect(await of.past.footage(channel.cameraUuid, START_MS, NOW_MS)).toMatchObject({
      state: 'failed',
      problem: { code: 'RECORDER_LOGIN_REFUSED' },
    });
    await of.past.close();
  });

  it('to respond is given up after a while', async () => {
    const of = world(SPANS, {
      openArchive: () => ({
        list: (_from, _to, signal) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        replay: () => Promise.reject(new Error()),
        close: () => undefined,
      }),
    });
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    const listing = of.past.footage(channel.cameraUuid, START_MS, NOW_MS);
    await eventually('the timer', () => of.clock.pendingTimers > 1);
    of.clock.advance(20_000);
    expect(await listing).toMatchObject({ state: 'failed', problem: { code: 'RECORDER_UNREACHABLE' } });
    await of.past.close();
  });
});

describe('copies', () => {
  const pulled = async (of: World, channel: RecordedChannel): Promise<void> => {
    const before = of.replays.length;
    void of.past.look(channel.cameraUuid, START_MS, START_MS + 60_000, channel);
    const replay = await nthReplay(of, before);
    await eventually('a copy', () => {
      replay.play(START_MS + 5_000);
      of.clock.advance(50);
      return of.past.coveredMs(channel.cameraUuid) > 0;
    });
  };

  it('of a camera are deleted when its recorder leaves the configuration', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    await pulled(of, channel);
    await of.past.configure([]);
    await eventually('deletion', () => of.removed.includes(`${channel.cameraUuid}/0`));
    expect(of.forgotten).toContain(channel.cameraUuid);
    expect(of.past.has(channel.cameraUuid)).toBe(false);
    await of.past.close();
  });

  it('are deleted after a day', async () => {
    const of = world(SPANS);
    const channel = testChannel('onvif');
    await of.past.configure([channel]);
    await pulled(of, channel);
    of.clock.advance(25 * HOUR_MS);
    await eventually('deletion', () => of.removed.length > 0);
    await of.past.close();
  });

  it('of an organization that has many make room for those of another, not the other way around', async () => {
    const of = world(SPANS);
    const [greedy, other] = [testChannel('onvif'), testChannel('onvif')] as const;
    await of.past.configure([greedy, other]);
    of.fileBytes = LIMITS.pulledFiles.bytes / 4;
    await pulled(of, other);
    of.fileBytes = LIMITS.pulledFiles.bytes / 3;
    await pulled(of, greedy);
    of.replays.at(-1)!.play(START_MS + 60_000);
    await eventually('deletion', () => of.removed.length > 0);
    expect(of.removed.every((name) => name.startsWith(greedy.cameraUuid))).toBe(true);
    expect(of.past.coveredMs(other.cameraUuid)).toBeGreaterThan(0);
    await of.past.close();
  });
});
