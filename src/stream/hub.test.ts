import { describe, expect, it } from 'vitest';
import type { AccessUnit, H264Track } from '../codec/track.ts';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { CameraReport } from './camera-connection.ts';
import { SUB_WAIT_MS } from './camera-stream.ts';
import { type HubCamera, StreamHub } from './hub.ts';
import type { LiveRendition } from './live-media.ts';
import type { Numbering } from './numbering.ts';
import type { CreatePackager, RenditionPackager } from './packaging.ts';
import type { Source, SourceEvents } from './source.ts';

const ERRORS = defineErrors({ REFUSED: { kind: 'peer-refused', message: 'refused' } });
const IDLE_STOP_MS = 30_000;

class FakeSource implements Source {
  readonly engine = 'fake';
  readonly opened: SourceEvents[] = [];
  openNow = 0;
  open(events: SourceEvents) {
    this.opened.push(events);
    this.openNow++;
    let isOpen = true;
    return {
      close: async () => {
        if (isOpen) this.openNow--;
        isOpen = false;
      },
    };
  }
  get current(): SourceEvents {
    return this.opened.at(-1)!;
  }
}

class FakePackager implements RenditionPackager {
  readonly rendition = {} as LiveRendition;
  readonly options: Parameters<CreatePackager>[0];
  readonly log: string[] = [];
  lastWait = () => Number.NEGATIVE_INFINITY;
  published = 0;
  /** Published of each unit; in these tests one comes every second. */
  unitMs = 1_000;
  constructor(options: Parameters<CreatePackager>[0]) {
    this.options = options;
  }
  setTracks() {
    this.log.push('tracks');
  }
  push() {
    this.log.push('unit');
    this.published += this.unitMs;
  }
  discontinuity() {
    this.log.push('discontinuity');
  }
  failWaiters(error: GatewayError) {
    this.log.push(`failed ${error.code}`);
  }
  close() {
    this.log.push('closed');
  }
  publishedMs() {
    return this.published;
  }
  properties() {
    const size = { widthPx: 640, heightPx: 360, frameRateHz: 25 };
    return { peakBitsPerSec: 1_200, averageBitsPerSec: 1_000, codecs: ['avc1.42c01e'], ...size };
  }
  keyFrame() {
    return null;
  }
  lastWaitMonoMs() {
    return this.lastWait();
  }
  stats() {
    return { frames: 0, droppedFrames: 0, segments: 0, windowBytes: 0, overdueBytes: 0 };
  }
}

interface Line {
  readonly camera?: string;
  readonly name?: string;
  readonly message: string;
}

/** Keeps warnings and lifecycle of cameras, with the fields of the logs they went through. */
function recordingLog(lines: Line[], bound: object = {}): Log {
  const write = (fields: object, message: string) => void lines.push({ ...bound, ...fields, message });
  return {
    ...{ debug: () => undefined, info: write, warn: write, error: write },
    child: (fields) => recordingLog(lines, { ...bound, ...fields }),
  };
}

function setup(hasSub = false) {
  const clock = new FakeClock();
  const packagers: FakePackager[] = [];
  const saved: Numbering[] = [];
  const states: string[] = [];
  const reports: CameraReport[] = [];
  const lines: Line[] = [];
  const hub = new StreamHub({
    clock,
    log: recordingLog(lines),
    limits: { backoffMinMs: 1_000, backoffMaxMs: 30_000, startMs: 60_000, silenceMs: 10_000 },
    idleStopMs: IDLE_STOP_MS,
    numberingStore: { find: async () => null, save: async (entry) => void saved.push(entry) },
    createPackager: (options) => {
      const packager = new FakePackager(options);
      packagers.push(packager);
      return packager;
    },
    onStatusChange: (_camera, state) => states.push(state.state),
    onReport: (_uuid, report) => reports.push(report),
  });
  const main = new FakeSource();
  const sub = hasSub ? new FakeSource() : null;
  const camera: HubCamera = { uuid: newRuuid(), name: 'Lobby', fingerprint: 'a', main, sub };
  hub.put(camera);
  return {
    clock,
    hub,
    camera,
    stream: hub.get(camera.uuid)!,
    main,
    sub,
    packagers,
    saved,
    states,
    reports,
    lines,
  };
}

const settle = () => new Promise(setImmediate);
const TRACKS = [{ kind: 'video' } as H264Track];

function unitAt(arrivalMonoMs: number): AccessUnit {
  return { trackIndex: 0, dtsTicks: 0, ptsTicks: 0, isKey: true, data: new Uint8Array(1), arrivalMonoMs };
}

function waiter() {
  const outcome: string[] = [];
  return {
    outcome,
    onReady: () => void outcome.push('ready'),
    onGone: (error: GatewayError) => void outcome.push(error.code),
  };
}

describe('StreamHub', () => {
  it('opens a camera once, on demand, however many ask', async () => {
    const { stream, main, packagers, states } = setup();
    expect(main.opened).toHaveLength(0);
    for (let viewer = 0; viewer < 100; viewer++) stream.touch('sound');
    await settle();
    expect([main.opened.length, packagers.length, states]).toEqual([1, 1, ['starting']]);
  });

  it('becomes live with the first part and tells who waits', async () => {
    const { stream, main, packagers, states } = setup();
    const early = waiter();
    stream.touch('sound');
    stream.awaitPlayable('sound', early);
    await settle();
    main.current.onTracks(TRACKS);
    expect(stream.multivariantPlaylist('', 'sound', 'stream.m3u8')).toBeNull();
    packagers[0]!.options.onPlayable();
    expect([early.outcome, states]).toEqual([['ready'], ['starting', 'live']]);
    expect(stream.multivariantPlaylist('../g/', 'sound', 'stream.m3u8')).toContain('\n../g/stream.m3u8\n');
    const late = waiter();
    stream.awaitPlayable('sound', late);
    expect(late.outcome).toEqual(['ready']);
  });

  it('closes a camera nobody touched for the idle time, and opens it again', async () => {
    const { clock, stream, main, states } = setup();
    stream.touch('sound');
    await settle();
    clock.advance(IDLE_STOP_MS - 5_000);
    main.current.onTracks(TRACKS);
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    stream.touch('sound');
    clock.advance(5_100);
    expect(main.openNow).toBe(1);
    for (let second = 0; second < 30; second++) {
      main.current.onAccessUnit(unitAt(clock.monoMs()));
      clock.advance(1_000);
    }
    await settle();
    expect([main.openNow, stream.status().state, states.at(-1)]).toEqual([0, 'idle', 'idle']);
    stream.touch('sound');
    await settle();
    expect(main.openNow).toBe(1);
  });

  it('does not close a camera that somebody waits for', async () => {
    const { clock, stream, main } = setup();
    const viewer = waiter();
    stream.touch('sound');
    stream.awaitPlayable('sound', viewer);
    await settle();
    main.current.onTracks(TRACKS);
    for (let second = 0; second < IDLE_STOP_MS / 1_000 + 10; second++) {
      main.current.onAccessUnit(unitAt(clock.monoMs()));
      clock.advance(1_000);
    }
    expect([main.openNow, viewer.outcome]).toEqual([1, []]);
    stream.cancelWait(viewer);
    clock.advance(IDLE_STOP_MS + 1_000);
    await settle();
    expect(main.openNow).toBe(0);
  });

  it('does not close a camera under viewers who hold a request for longer than the idle time', async () => {
    const { clock, stream, main, packagers } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    packagers[0]!.options.onPlayable();
    let lastHoldMonoMs = Number.POSITIVE_INFINITY;
    packagers[0]!.lastWait = () => Math.min(clock.monoMs(), lastHoldMonoMs);
    const watchFor = (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        main.current.onAccessUnit(unitAt(clock.monoMs()));
        clock.advance(1_000);
      }
    };
    watchFor((3 * IDLE_STOP_MS) / 1_000);
    lastHoldMonoMs = clock.monoMs();
    // Answered a moment ago: the viewer is about to ask for the next part.
    watchFor(IDLE_STOP_MS / 1_000 - 1);
    expect(main.openNow).toBe(1);
    watchFor(5);
    await settle();
    expect(main.openNow).toBe(0);
  });

  it('does not close a camera whose first picture was just handed to who waited for it', async () => {
    const { clock, stream, main, packagers } = setup();
    stream.touch('sound');
    await settle();
    clock.advance(IDLE_STOP_MS / 2);
    const viewer = waiter();
    stream.awaitPlayable('sound', viewer);
    clock.advance(IDLE_STOP_MS / 2 - 1);
    main.current.onTracks(TRACKS);
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    packagers[0]!.options.onPlayable();
    clock.advance(1_000);
    await settle();
    expect([viewer.outcome, main.openNow]).toEqual([['ready'], 1]);
  });

  it('reports what is known of the connection, over an idle stop and for each stream', async () => {
    const { clock, stream, main, sub, packagers, reports } = setup(true);
    expect(stream.report()).toMatchObject({ main: { state: 'not-checked' }, sub: { state: 'not-checked' } });
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    packagers[0]!.options.onPlayable();
    sub!.current.onEnded(new GatewayError(ERRORS.REFUSED, { host: '192.0.2.1', port: 554 }));
    const refused = { reason: 'refused', code: 'REFUSED', host: '192.0.2.1', port: 554 };
    expect(reports.at(-1)).toMatchObject({
      ...{ streamState: 'live', main: { state: 'live' } },
      sub: { state: 'offline', fault: refused },
    });
    for (let second = 0; second < 40; second++) {
      main.current.onAccessUnit(unitAt(clock.monoMs()));
      clock.advance(1_000);
    }
    await settle();
    expect(reports.at(-1)).toMatchObject({ streamState: 'idle', main: { state: 'reachable' } });
    expect(stream.report()).toEqual(reports.at(-1));
  });

  it('tries a camera at once that a probe saw deliver, and forgets nothing when it was closed', async () => {
    const { stream, main, reports } = setup();
    stream.probed({ fault: null });
    expect(reports).toMatchObject([{ main: { state: 'reachable' } }]);
    stream.touch('sound');
    await settle();
    const paused = new GatewayError(ERRORS.REFUSED, { loginPauseMs: 360_000 });
    main.current.onEnded(paused);
    expect(reports.at(-1)).toMatchObject({ main: { state: 'offline', fault: { code: 'REFUSED' } } });
    expect(main.opened).toHaveLength(1);
    stream.probed({ fault: null });
    expect(main.opened).toHaveLength(2);
  });

  it('carries uuid and name on every line of a camera, the new name after a rename', async () => {
    const { hub, camera, stream, main, lines } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    hub.put({ ...camera, name: 'Entrance' });
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(lines.map(({ name, message }) => [name, message])).toEqual([
      ['Lobby', 'camera streaming'],
      ['Entrance', 'camera offline'],
    ]);
    expect(new Set(lines.map((line) => line.camera))).toEqual(new Set([camera.uuid]));
    expect([hub.get(camera.uuid), stream.name]).toEqual([stream, 'Entrance']);
  });

  it('lets the source that takes the place of another know it', () => {
    const { hub, camera } = setup();
    const replaced: string[] = [];
    const changed = (fingerprint: string): HubCamera => {
      return { ...camera, fingerprint, onReplacing: () => replaced.push(fingerprint) };
    };
    hub.put(changed('a'));
    hub.put(changed('b'));
    expect(replaced).toEqual(['b']);
    expect(hub.get(camera.uuid)?.report().main.state).toBe('not-checked');
  });

  it('feeds silent viewers from the same connection, and drops their packager when they are gone', async () => {
    const { clock, stream, main, packagers } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    stream.touch('silent');
    await settle();
    expect([main.opened.length, packagers.map((each) => each.options.rendition)]).toEqual([
      1,
      ['main', 'main-silent'],
    ]);
    expect(packagers[1]!.log).toEqual(['tracks']);
    for (let second = 0; second < 31; second++) {
      main.current.onAccessUnit(unitAt(clock.monoMs()));
      stream.touch('sound');
      clock.advance(1_000);
    }
    expect(stream.rendition('main-silent')).toBeNull();
    expect(stream.rendition('main')).not.toBeNull();
    expect(packagers[1]!.log.slice(-2)).toEqual(['failed STREAM_CLOSED', 'closed']);
  });

  it('answers who waits when the camera goes away, and recovers behind a discontinuity', async () => {
    const { clock, stream, main, packagers, states } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    packagers[0]!.options.onPlayable();
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(packagers[0]!.log.at(-1)).toBe('failed STREAM_OFFLINE');
    const impatient = waiter();
    const silent = waiter();
    stream.awaitPlayable('silent', silent);
    stream.awaitPlayable('sound', impatient);
    expect([impatient.outcome, silent.outcome]).toEqual([['ready'], ['STREAM_OFFLINE']]);
    clock.advance(2_000);
    main.current.onTracks(TRACKS);
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    expect(packagers[0]!.log.slice(-3)).toEqual(['discontinuity', 'tracks', 'unit']);
    expect(states).toEqual(['starting', 'live', 'offline', 'live']);
  });

  it('stays offline while a camera is opened again and its picture still stands', async () => {
    const { clock, stream, main, packagers, states } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    packagers[0]!.options.onPlayable();
    const seconds = (count: number): void => {
      for (let second = 0; second < count; second++) {
        stream.touch('sound');
        main.current.onAccessUnit(unitAt(clock.monoMs()));
        clock.advance(1_000);
      }
    };
    seconds(5);
    packagers[0]!.unitMs = 0;
    seconds(11);
    expect(states).toEqual(['starting', 'live', 'offline']);
    clock.advance(1_000);
    main.current.onTracks(TRACKS);
    seconds(5);
    expect([main.opened.length, stream.status().state]).toEqual([2, 'offline']);
    packagers[0]!.unitMs = 1_000;
    seconds(1);
    expect(states).toEqual(['starting', 'live', 'offline', 'live']);
  });

  it('gives an audience that joins amid a long group of pictures the time of a start', async () => {
    const { clock, stream, main, packagers } = setup();
    stream.touch('silent');
    await settle();
    main.current.onTracks(TRACKS);
    stream.touch('sound');
    await settle();
    const startedMonoMs = clock.monoMs();
    packagers[1]!.unitMs = 0;
    const watch = (seconds: number): void => {
      for (let second = 0; second < seconds; second++) {
        stream.touch('sound');
        main.current.onAccessUnit(unitAt(clock.monoMs()));
        clock.advance(1_000);
      }
    };
    watch(IDLE_STOP_MS / 1_000 + 20);
    expect([stream.rendition('main-silent'), main.opened.length, stream.status().state]).toEqual([
      null,
      1,
      'starting',
    ]);
    // 60 s to start and 10 s of silence.
    while (stream.status().state === 'starting' && clock.monoMs() < startedMonoMs + 75_000) watch(1);
    expect(stream.status()).toMatchObject({ state: 'offline', error: { code: 'STREAM_FROZEN' } });
  });

  it('fails a viewer of a camera that never came up', async () => {
    const { stream, main } = setup();
    const viewer = waiter();
    stream.touch('sound');
    stream.awaitPlayable('sound', viewer);
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(viewer.outcome).toEqual(['STREAM_OFFLINE']);
  });

  it('pulls main and sub stream as two variants, on one timeline for each opening', async () => {
    const { clock, stream, main, sub, packagers } = setup(true);
    clock.advance(500);
    const openedMonoMs = clock.monoMs();
    stream.touch('sound');
    await settle();
    clock.advance(700);
    stream.touch('silent');
    await settle();
    const origins = packagers.map(({ options }) => options.originMonoMs);
    expect(origins).toEqual([openedMonoMs, openedMonoMs, openedMonoMs, openedMonoMs]);
    expect([main.openNow, sub!.openNow]).toEqual([1, 1]);
    for (const packager of packagers) packager.options.onPlayable();
    expect(stream.multivariantPlaylist('', 'sound', 'stream.m3u8')).toMatch(
      /stream\.m3u8\n[^\n]*\nsub\/stream\.m3u8/,
    );
  });

  describe('the Multivariant Playlist of a camera with a sub stream', () => {
    async function opened() {
      const all = setup(true);
      const { stream, packagers } = all;
      stream.touch('sound');
      await settle();
      const page = waiter();
      stream.awaitMultivariant('sound', page);
      const [main, sub] = ['main', 'sub'].map(
        (name) => packagers.find(({ options }) => options.rendition === name)!,
      );
      const variants = () =>
        stream.multivariantPlaylist('', 'sound', 'stream.m3u8')?.match(/^[^#].*$/gm) ?? null;
      return {
        ...all,
        page,
        variants,
        play: { main: main!.options.onPlayable, sub: sub!.options.onPlayable },
      };
    }
    const BOTH = ['stream.m3u8', 'sub/stream.m3u8'];

    it.each([
      ['main', 'sub'],
      ['sub', 'main'],
    ] as const)('waits for both: %s comes before %s', async (first, second) => {
      const { stream, page, variants, play, clock } = await opened();
      const media = waiter();
      stream.awaitPlayable('sound', media);
      play[first]();
      expect([page.outcome, variants()]).toEqual([[], null]);
      expect(media.outcome).toEqual(first === 'main' ? ['ready'] : []);
      clock.advance(SUB_WAIT_MS - 1);
      play[second]();
      expect([page.outcome, variants()]).toEqual([['ready'], BOTH]);
    });

    it('does not wait longer for a sub stream that is late, and names it to those who come later', async () => {
      const { stream, page, variants, play, clock } = await opened();
      play.main();
      clock.advance(SUB_WAIT_MS - 1_000);
      const later = waiter();
      stream.awaitMultivariant('sound', later);
      clock.advance(999);
      expect([page.outcome, later.outcome, variants()]).toEqual([[], [], null]);
      clock.advance(1);
      expect([page.outcome, later.outcome, variants()]).toEqual([['ready'], ['ready'], ['stream.m3u8']]);
      play.sub();
      expect(variants()).toEqual(BOTH);
    });

    it('does not wait for a sub stream that is offline, nor again for one that never came', async () => {
      const { stream, sub, page, variants, play, clock, packagers } = await opened();
      play.main();
      sub!.current.onEnded(new GatewayError(ERRORS.REFUSED));
      expect([page.outcome, variants()]).toEqual([['ready'], ['stream.m3u8']]);
      clock.advance(IDLE_STOP_MS);
      await settle();
      stream.touch('sound');
      await settle();
      const again = waiter();
      stream.awaitMultivariant('sound', again);
      packagers.findLast(({ options }) => options.rendition === 'main')!.options.onPlayable();
      expect(again.outcome).toEqual(['ready']);
    });

    it('is not there while the main stream is offline, whatever the sub stream shows', async () => {
      const { main, page, variants, play } = await opened();
      play.sub();
      main.current.onEnded(new GatewayError(ERRORS.REFUSED));
      expect([page.outcome, variants()]).toEqual([['STREAM_OFFLINE'], null]);
    });

    it('leaves no timer behind', async () => {
      const { hub, play, clock, page } = await opened();
      play.main();
      await hub.close();
      expect([page.outcome, clock.pendingTimers]).toEqual([['STREAM_CLOSED'], 0]);
    });
  });

  it('keeps an unchanged camera open and replaces a changed one', async () => {
    const { hub, camera, stream, main } = setup();
    stream.touch('sound');
    await settle();
    hub.put({ ...camera });
    expect(hub.get(camera.uuid)).toBe(stream);
    hub.put({ ...camera, fingerprint: 'b' });
    await settle();
    expect(hub.get(camera.uuid)).not.toBe(stream);
    expect(main.openNow).toBe(0);
    const viewer = waiter();
    stream.awaitPlayable('sound', viewer);
    expect(viewer.outcome).toEqual(['STREAM_CLOSED']);
  });

  it('saves numbers and leaves nothing open when it closes', async () => {
    const { clock, hub, stream, main, packagers, saved } = setup();
    stream.touch('sound');
    await settle();
    packagers[0]!.options.onNumbering({
      nextMediaSequenceNumber: 7,
      nextDiscontinuitySequence: 2,
      initFingerprint: 'ff',
    });
    await hub.close();
    expect([main.openNow, clock.pendingTimers]).toEqual([0, 0]);
    expect(saved.at(-1)).toMatchObject({ nextMediaSequenceNumber: 7, nextDiscontinuitySequence: 2 });
  });
});
