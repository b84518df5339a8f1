import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { LiveCamera } from '../stream/media/live-media.ts';
import { LATE_EVENT_MS, LEAD_MS, RecordedCameras } from './recorded-cameras.ts';
import { CurrentSchedule, demandAt, NO_RULE, type RecordingRule } from './recording-rule.ts';
import type { RecordingRequest, StreamTurn } from './recording-turn.ts';
import type { RecordedStream } from './segment-index.ts';

const IDLE_STOP_MS = 1_000;
/** A Thursday. */
const BASE_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const ALWAYS: RecordingRule = { ...NO_RULE, choice: 'always' };
const EVENTS: RecordingRule = { ...NO_RULE, choice: 'events' };

/** On Thursdays from 00:10 to 00:20. */
const TEN_MINUTES = new CurrentSchedule(
  {
    uuid: newRuuid(),
    orgUuid: newRuuid(),
    name: '',
    mutable: false,
    oneTimeUse: false,
    createdAtMs: 0,
    updatedAtMs: 0,
    strategy: 'WEEKLY_REPEATING_MINUTES',
    intervals: [{ minuteOfWeekStart: 3 * 1_440 + 10, minuteOfWeekStop: 3 * 1_440 + 20 }],
  },
  'UTC',
);

function setup() {
  const clock = new FakeClock(BASE_MS);
  const running = new Map<Ruuid, LiveCamera>();
  const touches = new Map<Ruuid, number[]>();
  const requests = new Map<Ruuid, RecordingRequest[]>();
  const kept: [number, number][] = [];
  /** How each camera was recorded when what had come of it was taken. */
  const taken: [Ruuid, string | undefined][] = [];
  const rules = new Map<Ruuid, RecordingRule>();
  /** Cameras with a substream, and what is recorded of it. */
  const withSub = new Set<Ruuid>();
  const subRequests: [Ruuid, string][] = [];
  let starts = 0;
  const add = (rule: RecordingRule | null = null) => {
    const uuid = newRuuid();
    touches.set(uuid, []);
    const touch = () => void touches.get(uuid)!.push(clock.monoMs());
    const mediaEpochMs = () => BASE_MS + clock.monoMs();
    const rendition = () => {
      taken.push([uuid, mode(uuid)]);
      return null;
    };
    const hasSubStream = () => withSub.has(uuid);
    running.set(uuid, { uuid, touch, mediaEpochMs, rendition, hasSubStream } as unknown as LiveCamera);
    if (rule !== null) rules.set(uuid, rule);
    return uuid;
  };
  const recorded = new RecordedCameras({
    cameras: running,
    rules: {
      cameras: () => new Set(rules.keys()),
      ruleOf: (camera) => rules.get(camera) ?? NO_RULE,
      demandAt: (camera, atEpochMs) =>
        demandAt({ rule: rules.get(camera) ?? NO_RULE, schedule: TEN_MINUTES, shares: [], atEpochMs }),
    },
    recorder: {
      start: () => void starts++,
      follow: ({ cameraUuid, rendition }: RecordedStream, wanted) =>
        rendition === 'sub'
          ? void subRequests.push([cameraUuid, wanted.turn.mode])
          : void requests.set(cameraUuid, [...(requests.get(cameraUuid) ?? []), wanted]),
      keep: (_, fromMs, toMs) => void kept.push([fromMs - BASE_MS, toMs - BASE_MS]),
    },
    clock,
    idleStopMs: IDLE_STOP_MS,
    streams: 'both',
    preRollMs: 10_000,
    postRollMs: 30_000,
  });
  const mode = (uuid: Ruuid) => requests.get(uuid)?.at(-1)?.turn.mode;
  const starting = () => starts;
  const subMode = (uuid: Ruuid) => subRequests.findLast(([camera]) => camera === uuid)?.[1];
  const streams = { clock, running, touches, requests, kept, taken, rules, withSub };
  return { ...streams, add, recorded, mode, subMode, starting };
}

describe('RecordedCameras', () => {
  it('keeps recorded cameras open, and no others', () => {
    const { clock, touches, mode, add, recorded } = setup();
    const [camera, other] = [add(ALWAYS), add()];
    recorded.look();
    clock.advance(10_000);
    const times = touches.get(camera)!;
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    expect(times.length).toBeGreaterThan(10);
    expect(Math.max(...pauses)).toBeLessThan(IDLE_STOP_MS / 2);
    expect([touches.get(other), mode(camera), mode(other)]).toEqual([[], 'write', undefined]);
  });

  it('records the streams that the camera says, and has', () => {
    const { rules, add, recorded, mode, withSub, subMode } = setup();
    const choices = [null, 'both', 'main', 'sub'] as const;
    const cameras = choices.map((streams) => add({ ...ALWAYS, streams }));
    const withoutSub = add({ ...ALWAYS, streams: 'sub' });
    for (const uuid of cameras) withSub.add(uuid);
    recorded.look();
    expect(cameras.map((uuid) => [mode(uuid), subMode(uuid)])).toEqual([
      ['write', 'write'],
      ['write', 'write'],
      ['write', undefined],
      [undefined, 'write'],
    ]);
    expect([mode(withoutSub), subMode(withoutSub)]).toEqual(['write', undefined]);
    rules.set(cameras[0]!, { ...ALWAYS, streams: 'sub' });
    recorded.look();
    expect([mode(cameras[0]!), subMode(cameras[0]!)]).toEqual(['off', 'write']);
    rules.delete(cameras[0]!);
    recorded.look();
    expect(subMode(cameras[0]!)).toBe('off');
  });

  it('keeps both streams of an event', () => {
    const { add, recorded, kept, withSub } = setup();
    const camera = add(EVENTS);
    withSub.add(camera);
    recorded.look();
    recorded.recordAround(camera, BASE_MS, BASE_MS + 1_000);
    expect(kept).toEqual([
      [-10_000, 31_000],
      [-10_000, 31_000],
    ]);
  });

  it('ends the recording of a camera that is no longer to be recorded, or that is gone', () => {
    const { clock, running, touches, rules, mode, add, recorded } = setup();
    const [camera, other] = [add(ALWAYS), add(ALWAYS)];
    recorded.look();
    rules.delete(camera);
    recorded.look();
    expect([mode(camera), mode(other)]).toEqual(['off', 'write']);
    const { length } = touches.get(camera)!;
    running.delete(other);
    clock.advance(2_000);
    expect([mode(other), touches.get(camera)!.length]).toEqual(['off', length]);
  });

  it('records what has come of a camera when its recording ends', () => {
    const { clock, rules, taken, add, recorded } = setup();
    const [camera, scheduled, off] = [add(ALWAYS), add({ ...NO_RULE, choice: 'schedule' }), add(ALWAYS)];
    recorded.look();
    rules.delete(camera);
    rules.set(off, { ...NO_RULE, choice: 'off' });
    recorded.look();
    expect(taken).toEqual([
      [camera, 'write'],
      [off, 'write'],
    ]);
    clock.advance(21 * MINUTE_MS);
    expect(taken.slice(2)).toEqual([[scheduled, 'write']]);
  });

  it('records a camera that comes later', () => {
    const { clock, running, mode, add, recorded } = setup();
    const camera = add(ALWAYS);
    const stream = running.get(camera)!;
    running.delete(camera);
    recorded.look();
    expect(mode(camera)).toBe('off');
    running.set(camera, stream);
    clock.advance(2_000);
    expect(mode(camera)).toBe('write');
  });

  it('looks once at many changes', () => {
    const { clock, requests, add, recorded } = setup();
    const camera = add(ALWAYS);
    for (let i = 0; i < 1_000; i++) recorded.lookSoon();
    expect(requests.size).toBe(0);
    clock.advance(100);
    expect(requests.get(camera)).toHaveLength(1);
    recorded.lookSoon();
    recorded.close();
    clock.advance(10_000);
    expect([requests.get(camera)!.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('does nothing without a camera to record', () => {
    const { clock, recorded, starting } = setup();
    recorded.look();
    expect([starting(), clock.pendingTimers]).toEqual([0, 0]);
  });

  it('opens a camera before its scheduled time, records from the very start, and ends in time', () => {
    const { clock, touches, requests, mode, add, recorded } = setup();
    const camera = add({ ...NO_RULE, choice: 'schedule' });
    recorded.look();
    clock.advance(10 * MINUTE_MS - LEAD_MS - 1_000);
    expect([mode(camera), touches.get(camera)!.length]).toEqual(['off', 0]);
    expect(requests.get(camera)!.at(-1)).toMatchObject({
      isWaiting: true,
      reasons: ['schedule'],
      code: null,
    });
    clock.advance(2_000);
    expect(mode(camera)).toBe('hold');
    expect(touches.get(camera)!.length).toBeGreaterThan(0);
    clock.advance(LEAD_MS - 1_001);
    expect(mode(camera)).toBe('hold');
    clock.advance(2);
    const { turn } = requests.get(camera)!.at(-1)!;
    expect(turn).toMatchObject({ mode: 'write', purpose: 'camera' });
    expect(begunMs(turn) - 10 * MINUTE_MS).toBeCloseTo(0, -1);
    clock.advance(10 * MINUTE_MS - 3);
    expect(mode(camera)).toBe('write');
    clock.advance(3);
    expect(mode(camera)).toBe('off');
    const { length } = touches.get(camera)!;
    clock.advance(MINUTE_MS);
    expect(touches.get(camera)!.length).toBe(length);
  });

  it('follows the wall clock when it is set back, by the time of the media', () => {
    const { clock, requests, mode, add, recorded } = setup();
    const camera = add({ ...NO_RULE, choice: 'schedule' });
    recorded.look();
    clock.advance(15 * MINUTE_MS);
    expect(mode(camera)).toBe('write');
    clock.stepWallClock(-60 * MINUTE_MS);
    clock.advance(2_000);
    expect(mode(camera)).toBe('off');
    clock.advance(55 * MINUTE_MS);
    // The media's clock still is that of the opening: an hour ahead.
    const { turn } = requests.get(camera)!.at(-1)!;
    expect(turn).toMatchObject({ mode: 'write' });
    expect(begunMs(turn)).toBeGreaterThan(clock.monoMs() - 5 * MINUTE_MS);
    expect(begunMs(turn)).toBeLessThanOrEqual(clock.monoMs());
  });

  it('says that a schedule is missing', () => {
    const { requests, rules, add } = setup();
    const camera = add({ ...NO_RULE, choice: 'schedule' });
    const { recorder, recorded } = { recorder: requests, recorded: lookWithoutSchedule(rules, requests) };
    recorded();
    expect(recorder.get(camera)!.at(-1)).toMatchObject({ code: 'RECORDING_SCHEDULE_MISSING' });
  });

  it('holds the pre-roll of cameras that record events, and keeps what happens', () => {
    const { clock, touches, requests, kept, add, recorded } = setup();
    const camera = add({ ...EVENTS, postRollMs: 5_000 });
    const other = add(ALWAYS);
    recorded.look();
    expect(requests.get(camera)!.at(-1)!.turn).toEqual({ mode: 'hold', holdMs: 10_000 + LATE_EVENT_MS });
    expect(touches.get(camera)!.length).toBeGreaterThan(0);
    clock.advance(60_000);
    const at = BASE_MS + 58_000;
    expect(recorded.recordAround(camera, at, at + 1_000)).not.toBeNull();
    expect(kept.flat()).toEqual([48_000, 64_000].map((ms) => expect.closeTo(ms, -1)));
    expect(recorded.recordAround(other, at, at)).toBeNull();
    expect(recorded.recordAround(newRuuid(), at, at)).toBeNull();
    // History that is imported, and a device whose clock is far ahead.
    expect(recorded.recordAround(camera, BASE_MS - 86_400_000, BASE_MS - 86_400_000)).toBeNull();
    expect(recorded.recordAround(camera, BASE_MS + 86_400_000, BASE_MS + 86_400_000)).toBeNull();
    expect(kept).toHaveLength(1);
  });

  it('keeps an event that is reported after the clock was set back', () => {
    const { clock, kept, add, recorded } = setup();
    const camera = add(EVENTS);
    recorded.look();
    clock.advance(100_000);
    clock.stepWallClock(-3_600_000);
    recorded.recordAround(camera, clock.epochMs(), clock.epochMs());
    expect(kept.flat()).toEqual([90_000, 130_000].map((ms) => expect.closeTo(ms, -1)));
  });
});

/** Since BASE_MS, by the time of the media. */
function begunMs(turn: StreamTurn): number {
  return turn.mode === 'write' ? turn.fromEpochMs - BASE_MS : Number.NaN;
}

function lookWithoutSchedule(
  rules: ReadonlyMap<Ruuid, RecordingRule>,
  requests: Map<Ruuid, RecordingRequest[]>,
): () => void {
  const recorded = new RecordedCameras({
    cameras: new Map<Ruuid, LiveCamera>(),
    rules: {
      cameras: () => new Set(rules.keys()),
      ruleOf: (camera) => rules.get(camera) ?? NO_RULE,
      demandAt: (camera, atEpochMs) =>
        demandAt({ rule: rules.get(camera)!, schedule: null, shares: [], atEpochMs }),
    },
    recorder: {
      start: () => undefined,
      follow: ({ cameraUuid }, wanted) => void requests.set(cameraUuid, [wanted]),
      keep: () => undefined,
    },
    clock: new FakeClock(BASE_MS),
    idleStopMs: IDLE_STOP_MS,
    streams: 'both',
    preRollMs: 0,
    postRollMs: 0,
  });
  return () => recorded.look();
}
