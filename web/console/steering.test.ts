/** Both ends of the messages that keep players in step: which messages they accept, and what they do. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Steered, type SteeredState, Steering } from '../steering.ts';
import { StepPlayer } from './step-player.ts';

const CONSOLE = 'https://console.example';
const MEDIA = 'https://media.example';
const ELSEWHERE = 'https://elsewhere.example';

type Listener = (event: { source: unknown; origin: string; data: unknown }) => void;

let hear: Listener;
const parentPage = { postMessage: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal('addEventListener', (_kind: string, listener: Listener) => {
    hear = listener;
  });
  vi.stubGlobal('removeEventListener', () => {});
  vi.stubGlobal('parent', parentPage);
  vi.stubGlobal('window', {});
  parentPage.postMessage.mockClear();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a steered page', () => {
  const done: unknown[] = [];
  let state: SteeredState;
  let steering: Steering;
  const page: Steered = {
    show: (...given) => done.push(['show', ...given]),
    pace: (rate) => done.push(['pace', rate]),
    goLive: () => done.push('live'),
    peek: (epochMs) => done.push(['peek', epochMs]),
    state: () => state,
    setSound: (isOn) => done.push(['sound', isOn]),
    sound: () => 'muted',
  };
  const say = (data: unknown, origin = CONSOLE, source: unknown = parentPage) =>
    hear({ source, origin, data });
  const show = { kind: 'show', epochMs: 5_000, isPlaying: false, rate: 2 };

  beforeEach(() => {
    done.length = 0;
    state = { kind: 'waiting' };
    steering = new Steering(page);
  });

  test('hears only the page around it, if the gateway named its origin', () => {
    say({ kind: 'live' });
    expect(steering.opened([CONSOLE])).toBe('steered');
    say({ kind: 'live' }, ELSEWHERE);
    say({ kind: 'live' }, CONSOLE, {});
    expect(done).toEqual([]);
    say(show);
    expect(done).toEqual([
      ['show', 5_000, false],
      ['pace', 2],
    ]);
    say({ kind: 'live' });
    expect(done.at(-1)).toBe('live');
  });

  test('turns sound on and off, and goes on with what it shows', () => {
    steering.opened([CONSOLE]);
    say(show);
    say({ kind: 'sound', isOn: 'yes' });
    expect(done).toHaveLength(2);
    say({ kind: 'sound', isOn: true });
    expect(done.at(-1)).toEqual(['sound', true]);
    expect(parentPage.postMessage.mock.lastCall?.[0]).toMatchObject({ sluice: 'steered', sound: 'muted' });
    expect(steering.opened([CONSOLE])).toBe('steered');
    expect(done.at(-2)).toEqual(['show', 5_000, false]);
  });

  test('shows a thumbnail above what it shows, which stays', () => {
    steering.opened([CONSOLE]);
    say(show);
    say({ kind: 'peek', epochMs: 7_000 });
    expect(done.at(-1)).toEqual(['peek', 7_000]);
    say({ kind: 'peek', epochMs: null });
    expect(done.at(-1)).toEqual(['peek', null]);
    expect(steering.opened([CONSOLE])).toBe('steered');
    expect(done.at(-2)).toEqual(['show', 5_000, false]);
  });

  test('tells its state to the named origins alone', () => {
    vi.advanceTimersByTime(1_000);
    expect(parentPage.postMessage).not.toHaveBeenCalled();
    steering.opened([CONSOLE]);
    vi.advanceTimersByTime(1_000);
    const origins = new Set(parentPage.postMessage.mock.calls.map(([, origin]) => origin));
    expect(origins).toEqual(new Set([CONSOLE]));
  });

  test.each([
    null,
    'live',
    { kind: 'open' },
    { ...show, epochMs: '5' },
    { ...show, epochMs: Number.NaN },
    { ...show, epochMs: -1 },
    { ...show, epochMs: Number.POSITIVE_INFINITY },
    { ...show, rate: 0 },
    { ...show, rate: 1e9 },
    { ...show, isPlaying: 1 },
    { kind: 'peek' },
    { kind: 'peek', epochMs: -1 },
  ])('ignores what is no command: %o', (data) => {
    steering.opened([CONSOLE]);
    say(data);
    expect(done).toEqual([]);
  });

  test('keeps pace with the others: a little faster or slower, or by a seek', () => {
    steering.opened([CONSOLE]);
    const pace = (epochMs: number) => {
      done.length = 0;
      state = { kind: 'playing', epochMs: 10_000 };
      say({ kind: 'pace', epochMs, rate: 1 });
      return done;
    };
    expect(pace(10_030)).toEqual([['pace', 1]]);
    expect(pace(10_200)).toEqual([['pace', 1.1]]);
    expect(pace(9_000)).toEqual([['pace', 0.75]]);
    expect(pace(14_000)).toEqual([
      ['show', 14_000, true],
      ['pace', 1],
    ]);
  });

  test('goes on where the others are after it was opened again', () => {
    steering.opened([CONSOLE]);
    say(show);
    say({ kind: 'pace', epochMs: 9_000, rate: 1 });
    done.length = 0;
    steering.opened([CONSOLE]);
    expect(done[0]).toEqual(['show', 9_000, true]);
    say({ kind: 'live' });
    expect(steering.opened([CONSOLE])).toBe('live');
  });
});

describe('players in step', () => {
  const NOW_MS = 900_000;
  /** The gate has a gap from 100 s to 200 s, the dock from 150 s on. */
  const recording = {
    nowMs: () => NOW_MS,
    isRecorded: (uuid: string, atMs: number) =>
      uuid === 'dock' ? atMs < 150_000 : atMs < 100_000 || atMs >= 200_000,
    next: () => 200_000,
  };
  const windows = { dock: { postMessage: vi.fn() }, gate: { postMessage: vi.fn() } };
  let player: StepPlayer;
  const tell = (name: keyof typeof windows, state: unknown, origin = MEDIA) =>
    hear({ source: windows[name], origin, data: { sluice: 'steered', state } });
  const told = (name: keyof typeof windows) =>
    windows[name].postMessage.mock.calls.map(([command]) => command);
  const atMs = () => {
    const head = player.head.value;
    return head.kind === 'live' ? null : head.atMs;
  };

  beforeEach(() => {
    player = new StepPlayer(recording);
    for (const name of ['dock', 'gate'] as const) {
      windows[name].postMessage.mockClear();
      const frame = { src: `${MEDIA}/preview?steered#x`, contentWindow: windows[name] };
      player.add(name, frame as unknown as HTMLIFrameElement);
    }
  });
  afterEach(() => player.close());

  test('begin together, once all of them found the instant', () => {
    player.seek(50_000);
    vi.advanceTimersByTime(10);
    player.setPlaying(true);
    tell('dock', { kind: 'paused', epochMs: 50_000 });
    vi.advanceTimersByTime(1_000);
    expect(atMs()).toBe(50_000);
    tell('gate', { kind: 'paused', epochMs: 50_000 }, ELSEWHERE);
    vi.advanceTimersByTime(1_000);
    expect(atMs()).toBe(50_000);
    tell('gate', { kind: 'paused', epochMs: 50_040 });
    vi.advanceTimersByTime(1_000);
    for (const name of ['dock', 'gate'] as const) {
      expect(told(name)).toContainEqual({ kind: 'show', epochMs: 50_000, isPlaying: true, rate: 1 });
    }
    expect(atMs()).toBeGreaterThan(50_500);
    expect(new Set(windows.dock.postMessage.mock.calls.map(([, origin]) => origin))).toEqual(
      new Set([MEDIA]),
    );
  });

  test('one that never finds it does not hold up the others', () => {
    player.seek(50_000);
    player.setPlaying(true);
    tell('dock', { kind: 'paused', epochMs: 50_000 });
    vi.advanceTimersByTime(7_000);
    expect(atMs()).toBeGreaterThan(51_000);
  });

  test('a camera that was not recorded is told nothing; time without any is skipped; the present is live', () => {
    player.seek(120_000);
    vi.advanceTimersByTime(10);
    expect(told('dock')).toHaveLength(1);
    expect(told('gate')).toEqual([]);
    player.rate.value = 8;
    player.setPlaying(true);
    tell('dock', { kind: 'paused', epochMs: 120_000 });
    vi.advanceTimersByTime(5_000);
    expect(atMs()).toBeGreaterThanOrEqual(200_000);
    player.seek(NOW_MS);
    expect(player.head.value).toEqual({ kind: 'live' });
  });

  test('show thumbnails of the time under a mouse that moves, where there was a recording', () => {
    player.seek(50_000);
    vi.advanceTimersByTime(10);
    player.peek(120_000);
    expect(told('dock').at(-1)).toEqual({ kind: 'peek', epochMs: 120_000 });
    expect(told('gate').at(-1)).toEqual({ kind: 'peek', epochMs: null });
    // It rests.
    vi.advanceTimersByTime(3_000);
    expect(told('dock').at(-1)).toEqual({ kind: 'peek', epochMs: null });
    expect(atMs()).toBe(50_000);
  });

  test('dragging sends an instant now and then, and the last one always', () => {
    for (let ms = 0; ms <= 400; ms += 20) {
      player.seek(50_000 + ms, true);
      vi.advanceTimersByTime(20);
    }
    vi.advanceTimersByTime(200);
    const shown = told('dock').filter(({ kind }) => kind === 'show');
    expect(shown.length).toBeLessThan(8);
    expect(shown.at(-1)).toMatchObject({ epochMs: 50_400 });
  });
});
