import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { ERRORS, IDLE_STOP_MS, settle, setup, TRACKS, unitAt, waiter } from './hub-fixture.ts';
import { MAX_ABSENT_PAUSE_MS } from './source/retry-pause.ts';

describe('StreamHub', () => {
  it('fails waiters when the camera goes offline, and recovers after a discontinuity', async () => {
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

  it('stays offline while a camera is reopened and its video is still frozen', async () => {
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

  it('allows the start timeout for an audience that joins in the middle of a long group of pictures', async () => {
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

  it('fails a viewer of a camera that never came online', async () => {
    const { stream, main } = setup();
    const viewer = waiter();
    stream.touch('sound');
    stream.awaitPlayable('sound', viewer);
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(viewer.outcome).toEqual(['STREAM_OFFLINE']);
  });

  it('looks for a camera that is away every second or two, and says so twice a minute', async () => {
    const { clock, stream, main, lines } = setup();
    const codes = defineErrors({ DIRECT_UNREACHABLE: { kind: 'unavailable', message: 'away' } });
    const away = new GatewayError(codes.DIRECT_UNREACHABLE, { errno: 'EHOSTUNREACH' });
    stream.touch('sound');
    await settle();
    main.current.onTracks(TRACKS);
    for (let second = 0; second < 600; second++) {
      stream.touch('sound');
      main.current.onEnded(away);
      clock.advance(MAX_ABSENT_PAUSE_MS);
    }
    const offline = lines.filter(({ message }) => message === 'camera offline');
    expect(main.opened.length).toBeGreaterThan(500);
    expect(offline.length).toBeLessThanOrEqual((600 * MAX_ABSENT_PAUSE_MS) / 30_000 + 2);
    expect(offline.length).toBeGreaterThan(20);
    main.current.onTracks(TRACKS);
    main.current.onEnded(away);
    expect(lines.at(-1)?.message).toBe('camera offline');
    expect(lines.filter(({ message }) => message === 'camera offline')).toHaveLength(offline.length + 1);
  });
});
