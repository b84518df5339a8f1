/** Streams whose frames are not published, with the real packager: which ones are replaced. */

import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../cmaf/fake-camera.ts';
import type { AccessUnit } from '../codec/track.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { LiveState } from './media/live-media.ts';
import { Packager } from './packaging/packager.ts';
import { ProfileStream } from './profile-stream.ts';
import type { SourceEvents } from './source/source-events.ts';

const TICKS_PER_MS = 90;
const GOP = 50;
const SOUND_FRAME_MS = 1_024 / 48;
const STEP_MS = 40;
const WELL_MS = 20_000;

/** The frame that arrives at `ms` of the stream's time; `index` counts frames. */
type Behaviour = (camera: FakeCamera, index: number, ms: number) => AccessUnit | null;

const well: Behaviour = (camera, index, ms) =>
  camera.picture({ dtsTicks: ms * TICKS_PER_MS, isKey: index % GOP === 0, arrivalMonoMs: ms });

/** A frame every `intervalMs`, and a key frame every `gopMs`. */
function slow(intervalMs: number, gopMs: number): Behaviour {
  return (camera, _index, ms) =>
    ms % intervalMs === 0
      ? camera.picture({ dtsTicks: ms * TICKS_PER_MS, isKey: ms % gopMs === 0, arrivalMonoMs: ms })
      : null;
}

class Stage {
  readonly clock = new FakeClock();
  readonly camera = new FakeCamera();
  readonly #sound = new FakeCamera();
  readonly stream: ProfileStream;
  opened: SourceEvents[] = [];
  #soundMs = 0;
  #index = 0;

  constructor() {
    this.stream = new ProfileStream({
      cameraUuid: newRuuid(),
      profile: 'main',
      source: {
        engine: 'scripted',
        open: (events) => {
          this.opened.push(events);
          return { close: async () => undefined };
        },
      },
      clock: this.clock,
      log: silentLog,
      limits: { backoffMinMs: 1_000, backoffMaxMs: 30_000, startMs: 20_000, silenceMs: 10_000 },
      numberingStore: { find: async () => null, save: async () => undefined },
      createPackager: (options) => new Packager({ ...options, clock: this.clock }),
      onStateChange: () => undefined,
      urgency: () => 'viewer',
      epochMinusMonoMs: () => 0,
      onPublished: () => undefined,
      openedMonoMs: () => 0,
      other: () => null,
    });
  }

  async open(): Promise<void> {
    this.stream.want('sound');
    await new Promise(setImmediate);
    this.opened[0]!.onTracks([FAKE_VIDEO, FAKE_AUDIO]);
  }

  /** Audio all the time; stops when the stream goes down. Returns when that was, or null. */
  play(behaviour: Behaviour, forMs: number): number | null {
    const startMonoMs = this.clock.monoMs();
    while (this.clock.monoMs() < startMonoMs + forMs) {
      const nowMonoMs = this.clock.monoMs();
      const picture = behaviour(this.camera, this.#index++, nowMonoMs);
      if (picture !== null) this.opened[0]!.onAccessUnit(picture);
      for (; this.#soundMs <= nowMonoMs; this.#soundMs += SOUND_FRAME_MS) {
        const ticks = Math.round(this.#soundMs * 48);
        this.opened[0]!.onAccessUnit(this.#sound.audio(ticks, { arrivalMonoMs: nowMonoMs }));
      }
      this.clock.advance(STEP_MS);
      if (this.stream.state().state === 'offline') return this.clock.monoMs() - startMonoMs;
    }
    return null;
  }

  get state(): LiveState {
    return this.stream.state();
  }
}

describe('a stream with audio is frozen ten seconds after', () => {
  const frozenMs = WELL_MS * TICKS_PER_MS;
  it.each<[string, Behaviour]>([
    ['frames stop', () => null],
    [
      'frames creep by one tick',
      (camera, index) => camera.picture({ dtsTicks: frozenMs + index, isKey: index % GOP === 0 }),
    ],
    [
      'timestamps do not advance',
      (camera, index) => camera.picture({ dtsTicks: frozenMs, isKey: index % GOP === 0 }),
    ],
    [
      'presentation times are nonsense',
      (camera, index, ms) =>
        camera.picture({
          dtsTicks: ms * TICKS_PER_MS,
          ptsTicks: (ms + 60_000) * TICKS_PER_MS,
          isKey: index % GOP === 0,
        }),
    ],
    [
      'no key frame arrives after a break',
      (camera, index, ms) =>
        camera.picture({ dtsTicks: (ms + (index % 2) * 20_000) * TICKS_PER_MS, isKey: false }),
    ],
    ['frames are empty', (camera, index, ms) => ({ ...well(camera, index, ms)!, data: new Uint8Array(0) })],
  ])('%s', async (_what, behaviour) => {
    const stage = new Stage();
    await stage.open();
    expect(stage.play(well, WELL_MS)).toBeNull();
    expect(stage.state.state).toBe('live');
    const downMs = stage.play(behaviour, 40_000);
    expect(stage.state).toMatchObject({ state: 'offline', error: { code: 'STREAM_FROZEN' } });
    expect(downMs).toBeGreaterThanOrEqual(9_000);
    // Ten seconds, plus the second between two checks, plus what an open segment of two jumps holds.
    expect(downMs).toBeLessThanOrEqual(12_000);
  });
});

describe('a stream is not frozen when', () => {
  it.each([
    ['it sends one frame per second', slow(1_000, 4_000)],
    ['it sends one frame in nine seconds', slow(9_000, 9_000)],
    ['key frames are fifteen seconds apart', slow(STEP_MS, 15_000)],
  ])('%s', async (_what, behaviour) => {
    const stage = new Stage();
    await stage.open();
    expect(stage.play(behaviour, 120_000)).toBeNull();
    expect(stage.state.state).toBe('live');
  });
});
