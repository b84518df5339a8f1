import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { RTP_ERRORS } from '../rtp/errors.ts';
import type { HubCamera } from './hub.ts';
import { ERRORS, IDLE_STOP_MS, settle, setup, TRACKS, unitAt, waiter } from './hub-fixture.ts';

describe('StreamHub', () => {
  it('opens a camera once, on demand, however many viewers ask', async () => {
    const { stream, main, packagers, states } = setup();
    expect(main.opened).toHaveLength(0);
    for (let viewer = 0; viewer < 100; viewer++) stream.touch('sound');
    await settle();
    expect([main.opened.length, packagers.length, states]).toEqual([1, 1, ['starting']]);
  });

  it('becomes live with the first part and calls the waiters', async () => {
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

  it('lets viewers of one link wait, however many those of another one are', () => {
    const { stream } = setup();
    stream.touch('sound');
    // As many as the pool of waiting requests lets one link have.
    const { total, levels } = LIMITS.waitingRequests;
    const greedy = total * levels.organization.share * levels.link.share;
    for (let count = 0; count < greedy; count++) stream.awaitPlayable('sound', waiter());
    const own = waiter();
    stream.awaitPlayable('sound', own);
    expect(own.outcome).toEqual([]);
  });

  it('reports whether there is an audio track as soon as the first part exists', async () => {
    const { stream, packagers } = setup(true);
    expect(stream.hasAudio()).toBeNull();
    stream.touch('silent');
    stream.touch('sound');
    await settle();
    const of = (rendition: string) => packagers.find(({ options }) => options.rendition === rendition)!;
    of('main-silent').audio = false;
    of('sub').audio = true;
    expect(stream.hasAudio()).toBeNull();
    of('main').audio = false;
    expect(stream.hasAudio()).toBe(true);
    of('sub').audio = null;
    expect(stream.hasAudio()).toBe(false);
    of('main').audio = true;
    expect(stream.hasAudio()).toBe(true);
  });

  it('closes a camera that no one touched for the idle time, and reopens it', async () => {
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

  it('does not close a camera that someone waits for', async () => {
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

  it('does not close a camera while viewers hold a request for longer than the idle time', async () => {
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
    // Called a moment ago: the viewer is about to request the next part.
    watchFor(IDLE_STOP_MS / 1_000 - 1);
    expect(main.openNow).toBe(1);
    watchFor(5);
    await settle();
    expect(main.openNow).toBe(0);
  });

  it('does not close a camera whose first part was just handed to its waiter', async () => {
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

  it('counts frames before the first key frame separately from losses, and logs only the losses', async () => {
    const { stream, main, lines } = setup();
    stream.touch('sound');
    await settle();
    main.current.onDropped(3, RTP_ERRORS.RTP_JOINING.code);
    main.current.onDropped(4, RTP_ERRORS.RTP_JOINING.code);
    main.current.onTracks(TRACKS);
    const [profile] = [...stream.profiles()];
    expect(profile!.drops.joiningFrames).toBe(7);
    expect(lines.filter(({ message }) => message === 'frames dropped')).toEqual([]);
    main.current.onDropped(2, RTP_ERRORS.RTP_PACKET_LOSS.code);
    expect(lines.at(-1)).toMatchObject({ message: 'frames dropped', frames: 2, code: 'RTP_PACKET_LOSS' });
    expect(profile!.drops.joiningFrames).toBe(7);
  });

  it('reports what is known about the connection, across an idle stop and for each stream', async () => {
    const { clock, stream, main, sub, packagers, reports } = setup(true);
    expect(stream.report()).toMatchObject({ main: { state: 'not-checked' }, sub: { state: 'not-checked' } });
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    packagers[0]!.options.onPlayable();
    sub!.current.onEnded(new GatewayError(ERRORS.REFUSED, { host: '192.0.2.1', port: 554 }));
    const refused = { reason: 'refused', code: 'REFUSED', host: '192.0.2.1', port: 554 };
    expect(reports.at(-1)).toMatchObject({
      streamState: 'live',
      main: { state: 'live' },
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

  it('immediately tries a camera that streamed to a probe, and forgets nothing if it was closed', async () => {
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

  it('notifies a source that replaces another', () => {
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

  it('feeds silent viewers from the same connection, and drops their packager when they have left', async () => {
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

  it('shows the newest key frame that any packager has, also when one lags behind or is closed', async () => {
    const { clock, stream, main, packagers } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    stream.touch('silent');
    await settle();
    const keyAt = (atEpochMs: number) => ({ fmp4: [], widthPx: 640, heightPx: 360, atEpochMs });
    packagers[0]!.key = keyAt(3_000);
    packagers[1]!.key = keyAt(2_000);
    expect(stream.keyFrame()?.atEpochMs).toBe(3_000);
    packagers[1]!.key = keyAt(4_000);
    expect(stream.keyFrame()?.atEpochMs).toBe(4_000);
    packagers[0]!.key = null;
    packagers[1]!.key = null;
    clock.advance(IDLE_STOP_MS);
    expect(stream.keyFrame()?.atEpochMs).toBe(4_000);
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
