import { describe, expect, it } from 'vitest';
import type { AacTrack, AccessUnit, H264Track, Track } from '../../codec/track.ts';
import { defineErrors, GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { Source } from './source.ts';
import type { SourceEvents } from './source-events.ts';
import { SourceSupervisor, type SupervisorEvents } from './supervisor.ts';

const ERRORS = defineErrors({
  GONE: { kind: 'peer-refused', message: 'gone' },
  TOO_MUCH: { kind: 'limit', message: 'too much' },
});
const LIMITS = { backoffMinMs: 1_000, backoffMaxMs: 30_000, startMs: 20_000, silenceMs: 10_000 };

class ScriptedSource implements Source {
  readonly engine = 'scripted';
  readonly opened: SourceEvents[] = [];
  closed = 0;
  open(events: SourceEvents) {
    this.opened.push(events);
    return { close: async () => void this.closed++ };
  }
  get current(): SourceEvents {
    return this.opened.at(-1)!;
  }
}

function unitAt(arrivalMonoMs: number, trackIndex = 0): AccessUnit {
  return { trackIndex, dtsTicks: 0, ptsTicks: 0, isKey: true, data: new Uint8Array(1), arrivalMonoMs };
}

function setup(random = () => 0) {
  const clock = new FakeClock();
  const source = new ScriptedSource();
  const seen: string[] = [];
  const retries: number[] = [];
  const errors: GatewayError[] = [];
  const published = { ms: 0 as number | null };
  const events: SupervisorEvents = {
    onInstance: () => seen.push('instance'),
    onTracks: () => seen.push('tracks'),
    onAccessUnit: () => seen.push('unit'),
    onDropped: (frames, code) => seen.push(`dropped ${frames} ${code}`),
    publishedMs: () => published.ms,
    onDown: (error, retryAtEpochMs) => {
      errors.push(error);
      seen.push(`down ${error.code}`);
      retries.push(retryAtEpochMs - clock.epochMs());
    },
  };
  const supervisor = new SourceSupervisor({ source, events, clock, limits: LIMITS, random });
  /** A second with a unit of each of these tracks, of which `publishedMs` was published. */
  const second = (publishedMs: number, trackIndexes: readonly number[] = [0]): void => {
    for (const trackIndex of trackIndexes) source.current.onAccessUnit(unitAt(clock.monoMs(), trackIndex));
    if (published.ms !== null) published.ms += publishedMs;
    clock.advance(1_000);
  };
  return { clock, source, seen, retries, errors, published, second, supervisor };
}

const NO_TRACKS: readonly Track[] = [];

describe('SourceSupervisor', () => {
  it('announces an instance once, before its first tracks', () => {
    const { source, seen, supervisor, clock } = setup();
    supervisor.start();
    source.current.onTracks(NO_TRACKS);
    source.current.onAccessUnit(unitAt(clock.monoMs()));
    source.current.onTracks(NO_TRACKS);
    expect(seen).toEqual(['instance', 'tracks', 'unit', 'tracks']);
  });

  it('replaces an instance that ended, with growing pauses up to the longest', () => {
    const { clock, source, retries, supervisor } = setup();
    supervisor.start();
    for (let attempt = 1; attempt <= 8; attempt++) {
      source.current.onEnded(new GatewayError(ERRORS.GONE));
      clock.advance(retries.at(-1)!);
      expect(source.opened).toHaveLength(attempt + 1);
    }
    expect(retries).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    expect(source.closed).toBe(8);
  });

  it('never pauses longer than the longest with full jitter', () => {
    const { clock, source, retries, supervisor } = setup(() => 0.999_999);
    supervisor.start();
    for (let attempt = 1; attempt <= 8; attempt++) {
      source.current.onEnded(new GatewayError(ERRORS.GONE));
      clock.advance(retries.at(-1)!);
    }
    expect(Math.max(...retries)).toBeLessThanOrEqual(30_000);
    expect(Math.max(...retries)).toBeGreaterThan(29_000);
  });

  it('starts over with the shortest pause after an instance that streamed long enough', () => {
    const { clock, source, retries, second, supervisor } = setup();
    supervisor.start();
    for (let failures = 0; failures < 5; failures++) {
      source.current.onEnded(new GatewayError(ERRORS.GONE));
      clock.advance(retries.at(-1)!);
    }
    source.current.onTracks(NO_TRACKS);
    for (let count = 0; count < 12; count++) second(1_000);
    source.current.onEnded(new GatewayError(ERRORS.GONE));
    expect(retries.at(-1)).toBe(1_000);
  });

  it('reads what arrived while the thread was busy before it calls a source silent', () => {
    const { clock, source, seen, published, supervisor } = setup();
    supervisor.start();
    source.current.onTracks(NO_TRACKS);
    clock.advance(9_500);
    // Its timer ends after that of the supervisor, at the same time.
    clock.after(500, () => {
      published.ms = 10_000;
      source.current.onAccessUnit(unitAt(clock.monoMs() - 500));
    });
    clock.advance(2_500);
    expect(seen.at(-1)).toBe('unit');
    clock.advance(12_000);
    expect(seen.at(-1)).toBe('down STREAM_SILENT');
  });

  it('replaces an instance once whose end arrived while the thread was busy', () => {
    const { clock, source, errors, supervisor } = setup();
    supervisor.start();
    source.current.onTracks(NO_TRACKS);
    clock.advance(9_500);
    clock.after(500, () => source.current.onEnded(new GatewayError(ERRORS.GONE)));
    clock.advance(1_000);
    expect(errors.map(({ code }) => code)).toEqual(['GONE']);
    expect(source.closed).toBe(1);
  });

  it('replaces an instance that is connected but silent, and only then', () => {
    const { clock, source, seen, supervisor } = setup();
    supervisor.start();
    clock.advance(9_000);
    source.current.onTracks(NO_TRACKS);
    source.current.onAccessUnit(unitAt(clock.monoMs()));
    clock.advance(9_900);
    expect(seen).not.toContain('down STREAM_SILENT');
    clock.advance(1_100);
    expect(seen.at(-1)).toBe('down STREAM_SILENT');
    expect(source.closed).toBe(1);
  });

  it('does not take the next owner of a camera for silent because the one before it was (simulated: 1 s without video)', () => {
    const { clock, source, seen, published, supervisor } = setup();
    supervisor.start();
    const mirror = {
      isMirror: true,
      packagingSwitch: null,
      package: () => ({ close: () => undefined }),
      passUnits: () => undefined,
    };
    source.current.onTracks(NO_TRACKS, mirror);
    source.current.onAccessUnit(unitAt(clock.monoMs()));
    clock.advance(9_800);
    source.current.onTracks(NO_TRACKS, mirror);
    published.ms = 10_000;
    clock.advance(1_000);
    expect(seen.filter((line) => line.startsWith('down'))).toEqual([]);
    clock.advance(10_000);
    expect(seen).toContain('down STREAM_SILENT');
  });

  it('allows more time for a start than for silence', () => {
    const { clock, source, seen, supervisor } = setup();
    supervisor.start();
    clock.advance(19_900);
    expect(seen).toEqual([]);
    clock.advance(100);
    expect(seen).toEqual(['down STREAM_SILENT']);
    expect(source.closed).toBe(1);
  });

  it('honors Retry-After within the longest pause', () => {
    const { source, retries, supervisor } = setup();
    supervisor.start();
    source.current.onEnded(new GatewayError(ERRORS.GONE, { retryAfterSec: 12 }));
    expect(retries.at(-1)).toBe(12_000);
  });

  it('ignores events of a replaced instance', () => {
    const { clock, source, seen, supervisor } = setup();
    supervisor.start();
    const replaced = source.current;
    replaced.onEnded(new GatewayError(ERRORS.GONE));
    clock.advance(1_000);
    replaced.onTracks(NO_TRACKS);
    replaced.onAccessUnit(unitAt(clock.monoMs()));
    replaced.onEnded(new GatewayError(ERRORS.GONE));
    expect(seen).toEqual(['down GONE']);
  });

  it('leaves no timer and no instance when stopped, in every state', async () => {
    const { clock, source, supervisor } = setup();
    supervisor.start();
    await supervisor.stop();
    expect([clock.pendingTimers, source.closed]).toEqual([0, 1]);
    supervisor.start();
    source.current.onEnded(new GatewayError(ERRORS.GONE));
    await supervisor.stop();
    expect([clock.pendingTimers, source.closed]).toEqual([0, 2]);
    clock.advance(60_000);
    expect(source.opened).toHaveLength(2);
  });
});

/** Video is track 1. */
const SOUND_FIRST: readonly Track[] = [{ kind: 'audio' } as AacTrack, { kind: 'video' } as H264Track];

describe('SourceSupervisor, progress', () => {
  const TICK_MS = 1 / 90;
  const FPS = 25;

  it.each([
    ['timestamps do not advance', 0, [0, 1]],
    ['the output creeps by one tick per frame', FPS * TICK_MS, [0, 1]],
    ['only audio arrives', 0, [0]],
  ])('replaces a stream as frozen after the silence limit when %s', (_when, publishedMs, tracks) => {
    const { seen, second, source, supervisor, errors } = setup();
    supervisor.start();
    source.current.onTracks(SOUND_FIRST);
    for (let count = 0; count < 30; count++) second(1_000, [0, 1]);
    for (let count = 0; count < 9; count++) second(publishedMs, tracks);
    expect(seen).not.toContain('down STREAM_FROZEN');
    for (let count = 0; count < 2 && errors.length === 0; count++) second(publishedMs, tracks);
    expect(seen.at(-1)).toBe('down STREAM_FROZEN');
    const pictures = tracks.includes(1) ? expect.any(Number) : 0;
    expect(errors[0]!.context).toEqual({ stillMs: expect.any(Number), pictures, engine: 'scripted' });
    expect(errors[0]!.context.stillMs).toBeGreaterThanOrEqual(LIMITS.silenceMs);
    expect(source.closed).toBe(1);
  });

  it('counts what is published, not what is sent: frames that are all dropped do not count', () => {
    const { seen, second, source, supervisor } = setup();
    supervisor.start();
    source.current.onTracks(SOUND_FIRST);
    for (let count = 0; count < 10; count++) second(0, [0, 1]);
    expect(seen.at(-1)).toBe('down STREAM_FROZEN');
  });

  it.each([
    ['one frame in nine seconds', 9, 9_000],
    ['a clock at half speed', 1, 500],
    ['nine of ten groups of pictures lost', 10, 1_000],
  ])('does not replace a bad stream that moves: %s', (_what, everySec, publishedMs) => {
    const { seen, second, source, supervisor } = setup();
    supervisor.start();
    source.current.onTracks(SOUND_FIRST);
    for (let count = 1; count <= 120; count++) second(count % everySec === 0 ? publishedMs : 0, [0, 1]);
    expect(seen.filter((event) => event.startsWith('down'))).toEqual([]);
  });

  it('does not judge while nothing can be published', () => {
    const { seen, second, source, supervisor, published } = setup();
    published.ms = null;
    supervisor.start();
    source.current.onTracks(SOUND_FIRST);
    for (let count = 0; count < 60; count++) second(0, [0, 1]);
    expect(seen.filter((event) => event.startsWith('down'))).toEqual([]);
    published.ms = 5_000;
    for (let count = 0; count < 12; count++) second(0, [0, 1]);
    expect(seen).toContain('down STREAM_FROZEN');
  });

  it('waits longer and longer for a stream that was frozen from the start, but not for one that had moved', () => {
    const { clock, source, retries, second, supervisor } = setup();
    supervisor.start();
    for (let attempt = 1; attempt <= 5; attempt++) {
      source.current.onTracks(SOUND_FIRST);
      while (retries.length < attempt) second(0, [0, 1]);
      clock.advance(retries.at(-1)!);
    }
    expect(retries).toEqual([1_000, 1_000, 2_000, 4_000, 8_000]);
    source.current.onTracks(SOUND_FIRST);
    for (let count = 0; count < 20; count++) second(1_000, [0, 1]);
    while (retries.length < 6) second(0, [0, 1]);
    expect(retries.at(-1)).toBe(1_000);
  });

  it('waits longer and longer for a camera that exceeds a limit, however long it streamed before', () => {
    const { clock, source, retries, second, supervisor } = setup();
    supervisor.start();
    for (let attempt = 1; attempt <= 4; attempt++) {
      source.current.onTracks(SOUND_FIRST);
      for (let count = 0; count < 20; count++) second(1_000, [0, 1]);
      source.current.onEnded(new GatewayError(ERRORS.TOO_MUCH));
      clock.advance(retries.at(-1)!);
    }
    expect(retries).toEqual([1_000, 1_000, 2_000, 4_000]);
  });
});
