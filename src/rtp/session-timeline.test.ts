/** Places sound whose clock does not run like that of the pictures, on virtual time. */

import { describe, expect, it } from 'vitest';
import { SessionTimeline } from './session-timeline.ts';

const SOUND_HZ = 48_000;
const VIDEO_HZ = 90_000;
const FRAME_SAMPLES = 1_024;
const PICTURE_MS = 40;
const REPORT_EVERY_MS = 5_000;
const NTP_MS = 4e12;
const SETTLED_MS = 60_000;
const MAX_OFF_MS = 100;
/** The first RTP timestamps. They are unrelated and wrap soon. */
const VIDEO_START = 2 ** 32 - 40_000_000;
const SOUND_START = 2 ** 32 - 1_000_000;

interface Camera {
  /** By how much the sound's clock is fast. */
  readonly soundRate: number;
  readonly pictureRate?: number;
  readonly seconds?: number;
  /** How late a frame is that was captured at a time. */
  readonly lateMs?: (atMs: number, track: 'video' | 'sound') => number;
  /** Milliseconds by which the sound's report is wrong; null: it does not come. */
  readonly reportOffMs?: ((atMs: number) => number) | null;
  readonly isOff?: (atMs: number, track: 'video' | 'sound') => boolean;
  /** By how much the RTP timestamps have jumped. */
  readonly jumpMs?: (atMs: number, track: 'video' | 'sound') => number;
}

interface Placed {
  readonly atMs: number;
  /** How much later than its picture a frame is. */
  readonly offMs: number;
  readonly ticks: number;
  /** Where its timestamps alone would put it, up to a constant. */
  readonly stampedTicks: number;
}

interface Moment {
  readonly atMs: number;
  readonly arrivalMs: number;
  readonly track: 'video' | 'sound';
  readonly kind: 'frame' | 'report';
  /** Ticks of the track since the beginning. */
  readonly ticks: number;
}

/** Deterministic and uneven. */
function noise(seed: number): number {
  const value = Math.sin(seed * 12.9898 + 78.233) * 43_758.5453;
  return value - Math.floor(value);
}

/** In the order of arrival, as on a TCP connection per track. */
function momentsOf(camera: Camera): Moment[] {
  const { soundRate, pictureRate = 0, seconds = 120, lateMs = () => 0, reportOffMs = null } = camera;
  const moments: Moment[] = [];
  for (let atMs = 0; atMs < seconds * 1_000; atMs += PICTURE_MS) {
    if (camera.isOff?.(atMs, 'video') === true) continue;
    const ticks = Math.round((atMs * VIDEO_HZ * (1 + pictureRate)) / 1_000);
    moments.push({ atMs, arrivalMs: atMs + lateMs(atMs, 'video'), track: 'video', kind: 'frame', ticks });
  }
  const frameMs = (FRAME_SAMPLES * 1_000) / (SOUND_HZ * (1 + soundRate));
  for (let index = 0; index * frameMs < seconds * 1_000; index++) {
    const atMs = index * frameMs;
    if (camera.isOff?.(atMs, 'sound') === true) continue;
    const ticks = index * FRAME_SAMPLES;
    moments.push({ atMs, arrivalMs: atMs + lateMs(atMs, 'sound'), track: 'sound', kind: 'frame', ticks });
  }
  for (let atMs = 1_000; reportOffMs !== null && atMs < seconds * 1_000; atMs += REPORT_EVERY_MS) {
    for (const track of ['video', 'sound'] as const) {
      const rate = track === 'video' ? VIDEO_HZ * (1 + pictureRate) : SOUND_HZ * (1 + soundRate);
      const ticks = Math.round((atMs * rate) / 1_000);
      moments.push({ atMs, arrivalMs: atMs, track, kind: 'report', ticks });
    }
  }
  // A track's packets do not overtake each other.
  const newest = { video: 0, sound: 0 };
  const ordered = moments
    .sort((left, right) => left.atMs - right.atMs)
    .map((moment) => {
      newest[moment.track] = Math.max(newest[moment.track], moment.arrivalMs);
      return { ...moment, arrivalMs: newest[moment.track] };
    });
  return ordered.sort((left, right) => left.arrivalMs - right.arrivalMs);
}

function place(camera: Camera): Placed[] {
  const { pictureRate = 0, reportOffMs = null, jumpMs = () => 0 } = camera;
  const timeline = new SessionTimeline([VIDEO_HZ, SOUND_HZ], 0);
  const placed: Placed[] = [];
  let pictureShiftMs = 0;
  for (const { atMs, arrivalMs, track, kind, ticks } of momentsOf(camera)) {
    const index = track === 'video' ? 0 : 1;
    const [start, rateHz] = track === 'video' ? [VIDEO_START, VIDEO_HZ] : [SOUND_START, SOUND_HZ];
    const stamp = (start + ticks + Math.round((jumpMs(atMs, track) * rateHz) / 1_000)) >>> 0;
    if (kind === 'report') {
      const offMs = track === 'sound' ? reportOffMs!(atMs) : 0;
      timeline.senderReport(index, { ntpMs: NTP_MS + atMs + offMs, rtpTimestamp: stamp });
    } else {
      if (!timeline.isStarted) {
        if (track === 'sound') continue;
        timeline.start(stamp, 0, arrivalMs);
      }
      const ticksAt = timeline.ticksOf(index, stamp, arrivalMs);
      const shiftMs = (ticksAt * 1_000) / rateHz - atMs * (1 + pictureRate);
      if (track === 'video') {
        pictureShiftMs = shiftMs;
        continue;
      }
      const offMs = shiftMs - pictureShiftMs;
      placed.push({ atMs, offMs, ticks: ticksAt, stampedTicks: ticks });
    }
  }
  return placed;
}

/** The largest error of the frames after the first minute. */
function worstMs(placed: readonly Placed[], fromMs = SETTLED_MS): number {
  const settled = placed.filter(({ atMs }) => atMs >= fromMs);
  expect(settled.length).toBeGreaterThan(1_000);
  return settled.reduce((worst, { offMs }) => Math.max(worst, Math.abs(offMs)), 0);
}

/** Whether the sound is where its timestamps say. */
function expectUntouched(placed: readonly Placed[]): void {
  const [first] = placed;
  const moved = placed.filter(
    (frame) => frame.ticks - frame.stampedTicks !== first!.ticks - first!.stampedTicks,
  );
  expect(moved.slice(0, 3)).toEqual([]);
}

const RATES = [-0.02, -0.01, -0.008, -0.0023, 0.0023, 0.008, 0.01, 0.02];
const HONEST = () => 0;
/** Jitter of up to 80 ms, and more for key frames. */
const uneven: NonNullable<Camera['lateMs']> = (atMs, track) => {
  const isKey = track === 'video' && atMs % 2_000 === 0;
  return noise(atMs + (track === 'video' ? 0 : 0.5)) ** 2 * 80 + (isKey ? 60 : 0);
};
/** The same on a network that stops for a second now and then. */
const jittery: NonNullable<Camera['lateMs']> = (atMs, track) =>
  uneven(atMs, track) + (atMs % 17_000 > 16_000 ? 17_000 - (atMs % 17_000) : 0);

describe('sound that runs faster or slower than the picture', () => {
  describe.each([
    ['without reports', null],
    ['with reports', HONEST],
  ])('%s', (_title, reportOffMs) => {
    it.each(RATES)('stays within 100 ms of it after the first minute at %d', (soundRate) => {
      expect(worstMs(place({ soundRate, reportOffMs }))).toBeLessThan(MAX_OFF_MS);
    });

    it.each(RATES)('stays there when frames arrive unevenly, at %d', (soundRate) => {
      expect(worstMs(place({ soundRate, reportOffMs, lateMs: jittery }))).toBeLessThan(MAX_OFF_MS);
    });

    it.each([-0.02, 0.008])('stays there for twenty minutes at %d', (soundRate) => {
      expect(worstMs(place({ soundRate, reportOffMs, seconds: 1_800 }))).toBeLessThan(MAX_OFF_MS);
    });

    it.each([-0.008, 0.02])('is there again after a pause of the microphone, at %d', (soundRate) => {
      const isOff: Camera['isOff'] = (atMs, track) => track === 'sound' && atMs >= 70_000 && atMs < 110_000;
      const placed = place({ soundRate, reportOffMs, isOff, seconds: 180 });
      expect(worstMs(placed)).toBeLessThan(MAX_OFF_MS);
    });

    it.each([
      ['video', -0.008],
      ['sound', -0.008],
      ['video', 0.02],
      ['sound', 0.02],
    ] as const)('is there after a jump of the %s clock, at %d', (jumping, soundRate) => {
      const jumpMs: Camera['jumpMs'] = (atMs, track) => (atMs >= 80_000 && track === jumping ? 3_600_000 : 0);
      expect(worstMs(place({ soundRate, reportOffMs, jumpMs, seconds: 240 }))).toBeLessThan(MAX_OFF_MS);
    });

    it.each([
      [0.01, 0.01],
      [-0.02, -0.02],
      [0.02, -0.001],
      [-0.001, 0.02],
    ])('follows the picture if both clocks are off: sound %d, picture %d', (soundRate, pictureRate) => {
      const placed = place({ soundRate, pictureRate, reportOffMs });
      expect(worstMs(placed)).toBeLessThan(MAX_OFF_MS);
      if (soundRate === pictureRate) expectUntouched(placed);
    });
  });

  const LIES: Readonly<Record<string, NonNullable<Camera['reportOffMs']>>> = {
    'half a second ahead from a moment on': (atMs) => (atMs < 45_000 ? 0 : 500),
    'nearly a second behind from a moment on': (atMs) => (atMs < 45_000 ? 0 : -900),
    'an hour ahead': () => 3_600_000,
    'an hour behind from a moment on': (atMs) => (atMs < 45_000 ? 0 : -3_600_000),
    'ahead every other time': (atMs) => ((atMs / REPORT_EVERY_MS) % 2 < 1 ? 0 : 400),
    'further ahead each time': (atMs) => atMs * 0.004,
    'wrong by chance': (atMs) => noise(atMs) * 1_500 - 500,
  };

  describe.each(Object.entries(LIES))('reports %s', (_title, reportOffMs) => {
    it.each([-0.008, 0.02])('do not keep it from its picture, at %d', (soundRate) => {
      expect(worstMs(place({ soundRate, reportOffMs, seconds: 300 }))).toBeLessThan(MAX_OFF_MS);
    });
  });

  it.each([-0.008, 0.02])(
    'is beside its picture if reports are computed from timestamps, at %d',
    (soundRate) => {
      // The camera thinks that its sound card is right.
      const reportOffMs = (atMs: number) => atMs * soundRate;
      expect(worstMs(place({ soundRate, reportOffMs, seconds: 300 }))).toBeLessThan(MAX_OFF_MS);
      expect(worstMs(place({ soundRate, reportOffMs, lateMs: jittery }))).toBeLessThan(MAX_OFF_MS);
    },
  );

  it('counts reports while the arrival is too uneven to tell', () => {
    const lateMs: Camera['lateMs'] = (atMs, track) => noise(Math.floor(atMs / 3_000) + track.length) * 400;
    const camera = { soundRate: 0.008, lateMs, seconds: 240 };
    expect(worstMs(place({ ...camera, reportOffMs: HONEST }), 90_000)).toBeLessThan(MAX_OFF_MS);
  });
});

/** Frames of both tracks, or of one, arrive ever later for a minute, or unevenly. */
const NOISY_MINUTES: Readonly<Record<string, NonNullable<Camera['lateMs']>>> = {
  'jitter of half a second': (atMs, track) => inMinute(atMs) * noise(atMs + track.length) * 500,
  'frames that are held up for seconds': (atMs) => inMinute(atMs) * (4_000 - (atMs % 4_000)),
  'a network that gets ever slower': (atMs) => inMinute(atMs) * (atMs - 60_000) * 0.02,
  'pictures a fifth of a second later': (atMs, track) => (track === 'video' ? inMinute(atMs) * 200 : 0),
  'sound a fifth of a second later': (atMs, track) => (track === 'sound' ? inMinute(atMs) * 200 : 0),
  'pictures later by chance, for two seconds each': (atMs, track) =>
    track === 'video' ? inMinute(atMs) * noise(Math.floor(atMs / 2_000)) * 600 : 0,
};

function inMinute(atMs: number): number {
  return atMs >= 60_000 && atMs < 120_000 ? 1 : 0;
}

/** Shifts the lateness so that a session begins with the noise. */
function fromStart(lateMs: NonNullable<Camera['lateMs']>): NonNullable<Camera['lateMs']> {
  return (atMs, track) => lateMs(atMs + 60_000, track);
}

describe('sound whose clock is right', () => {
  describe.each(Object.entries(NOISY_MINUTES))('%s', (_title, lateMs) => {
    it.each([0, 100e-6, -100e-6])('does not move it, at %d', (soundRate) => {
      expectUntouched(place({ soundRate, lateMs, seconds: 300 }));
      expectUntouched(place({ soundRate, lateMs: fromStart(lateMs), seconds: 200 }));
    });
  });

  it('is not moved by jitter, for as long as it lasts', () => {
    expectUntouched(place({ soundRate: 0, lateMs: jittery, seconds: 1_200 }));
  });

  it.each([100e-6, -60e-6])('follows the picture for an hour, at %d', (soundRate) => {
    const placed = place({ soundRate, lateMs: uneven, seconds: 3_600 });
    // The first picture, a large one, is late.
    const fromStartMs = placed.map((frame) => ({ ...frame, offMs: frame.offMs - placed[0]!.offMs }));
    expect(worstMs(fromStartMs)).toBeLessThan(MAX_OFF_MS);
  });
});

describe('a track that stops while the other continues', () => {
  const STOP_MS = 30_000;
  const stops = (['video', 'sound'] as const).flatMap((track) =>
    [1_000, 2_000, 4_000, 8_000].map((forMs) => [track, forMs] as const),
  );

  /** Camera whose `stopped` track is off for `forMs`; its clock is frozen for `stillMs` of that. */
  function stopping(stopped: 'video' | 'sound', forMs: number, stillMs: number): Camera {
    return {
      soundRate: 0,
      seconds: 60,
      isOff: (atMs, track) => track === stopped && atMs >= STOP_MS && atMs < STOP_MS + forMs,
      jumpMs: (atMs, track) => (track === stopped && atMs >= STOP_MS ? -stillMs : 0),
    };
  }

  function offAfterMs(camera: Camera, forMs: number): number {
    const after = place(camera).filter(({ atMs }) => atMs >= STOP_MS + forMs + 1_000);
    expect(after.length).toBeGreaterThan(500);
    return after.reduce((worst, { offMs }) => Math.max(worst, Math.abs(offMs)), 0);
  }

  it.each(stops)('and whose clock stood still: %s, %i ms', (track, forMs) => {
    expect(offAfterMs(stopping(track, forMs, forMs), forMs)).toBeLessThan(50);
    expect(offAfterMs({ ...stopping(track, forMs, forMs), reportOffMs: HONEST }, forMs)).toBeLessThan(50);
    expect(offAfterMs({ ...stopping(track, forMs, forMs), lateMs: uneven }, forMs)).toBeLessThan(150);
  });

  it.each(stops)('and whose clock went on: %s, %i ms', (track, forMs) => {
    expectUntouched(place(stopping(track, forMs, 0)));
    expectUntouched(place({ ...stopping(track, forMs, 0), lateMs: uneven }));
  });

  it.each(stops)('but only because its frames are held up: %s, %i ms', (held, forMs) => {
    const isHeld = (atMs: number, track: string) =>
      track === held && atMs >= STOP_MS && atMs < STOP_MS + forMs;
    const lateMs: Camera['lateMs'] = (atMs, track) => (isHeld(atMs, track) ? STOP_MS + forMs - atMs : 0);
    expectUntouched(place({ soundRate: 0, seconds: 60, lateMs }));
    // Held frames come at twice the usual pace.
    const slowlyMs: Camera['lateMs'] = (atMs, track) =>
      track === held && atMs >= STOP_MS ? Math.max(0, forMs - (atMs - STOP_MS) / 2) : 0;
    expectUntouched(place({ soundRate: 0, seconds: 60, lateMs: slowlyMs }));
  });

  it.each([500, 3_000])('together with it, for %i ms', (forMs) => {
    const camera = stopping('video', forMs, forMs);
    const isOff: Camera['isOff'] = (atMs) => atMs >= STOP_MS && atMs < STOP_MS + forMs;
    const jumpMs: Camera['jumpMs'] = (atMs) => (atMs >= STOP_MS ? -forMs : 0);
    // Where the timestamps are, like those of the pictures: behind what has passed by the pause.
    const movedTicks = place({ ...camera, isOff, jumpMs }).map(
      ({ ticks, stampedTicks }) => ticks - stampedTicks,
    );
    const [first] = movedTicks;
    expect(new Set(movedTicks)).toEqual(new Set([first!, first! - (forMs * SOUND_HZ) / 1_000]));
  });
});
