/** Cameras that describe sound and no video. */

import { describe, expect, it } from 'vitest';
import type { AacTrack } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import type { TimedRendition } from './dash/dash-periods.ts';
import { ERRORS, settle, setup, TRACKS, unitAt, waiter } from './hub-fixture.ts';

const SOUND = [{ kind: 'audio', codec: 'aac' } as AacTrack];

describe('a camera that sends only sound', () => {
  it('is live for viewers who may not hear it, and has a coded reason for each of their waits', async () => {
    const { stream, main, packagers, states, reports } = setup();
    stream.touch('silent');
    await settle();
    const timing = { ...packagers[0]!.timing, isFed: false, segmentRevision: 0 };
    packagers[0]!.timing = timing satisfies TimedRendition;
    const waits = [waiter(), waiter(), waiter(), waiter()];
    stream.awaitPlayable('silent', waits[0]!);
    stream.awaitMultivariant('silent', waits[1]!);
    stream.awaitManifest('silent', waits[2]!);
    main.current.onTracks(SOUND);
    stream.awaitPlayable('silent', waits[3]!);
    expect(waits.map(({ outcome }) => outcome)).toEqual(Array(4).fill(['STREAM_SOUND_ONLY']));
    expect([stream.status(), stream.hasPicture(), states]).toEqual([
      { state: 'live' },
      false,
      ['starting', 'live'],
    ]);
    expect(reports.at(-1)).toMatchObject({ streamState: 'live', main: { state: 'live', fault: null } });
  });

  it('is live again after an outage', async () => {
    const { stream, main, clock } = setup();
    stream.touch('silent');
    await settle();
    main.current.onTracks(SOUND);
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(stream.status().state).toBe('offline');
    clock.advance(2_000);
    main.current.onTracks(SOUND);
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    expect(stream.status().state).toBe('live');
  });

  it('is starting for those who may hear it until its first part', async () => {
    const { stream, main, packagers } = setup();
    stream.touch('sound');
    await settle();
    main.current.onTracks(SOUND);
    expect(stream.status().state).toBe('starting');
    packagers[0]!.options.onPlayable();
    expect(stream.status().state).toBe('live');
    stream.touch('silent');
    await settle();
    expect(stream.status().state).toBe('live');
  });

  it('is live for a viewer who may not hear it and comes when it is open already', async () => {
    const { stream, main, hub, camera } = setup();
    const reader = { onTracks: () => undefined, onAccessUnit: () => undefined, onGone: () => undefined };
    hub.get(camera.uuid)!.profiles()[0]!.attach(reader);
    main.current.onTracks(SOUND);
    expect(stream.status().state).toBe('starting');
    stream.touch('silent');
    await settle();
    expect(stream.status().state).toBe('live');
  });

  it('plays its video when a later connection has some', async () => {
    const { stream, main, packagers, clock } = setup();
    stream.touch('silent');
    await settle();
    main.current.onTracks(SOUND);
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    clock.advance(2_000);
    main.current.onTracks(TRACKS);
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    const playing = waiter();
    stream.awaitPlayable('silent', playing);
    packagers[0]!.options.onPlayable();
    expect([playing.outcome, stream.hasPicture(), stream.status().state]).toEqual([['ready'], true, 'live']);
  });
});
