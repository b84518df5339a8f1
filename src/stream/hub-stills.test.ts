/** Cameras that send JPEGs: still images without video, and video when someone wants it. */

import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { ERRORS, setup as hubSetup, IDLE_STOP_MS, settle, TRACKS, unitAt, waiter } from './hub-fixture.ts';

function setup() {
  const fixture = hubSetup();
  const { clock, main, stream } = fixture;
  const show = (color = 1): void =>
    main.current.onStill!({
      bytes: Buffer.from([color]),
      widthPx: 640,
      heightPx: 360,
      arrivalMonoMs: clock.monoMs(),
    });
  /** Requests still images while it runs, as a page would. */
  const seconds = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second++) {
      stream.touch('silent', 'picture');
      show();
      clock.advance(1_000);
      await settle();
    }
  };
  return { ...fixture, show, seconds };
}

describe('a camera that sends JPEGs', () => {
  it('is live with its first picture, which is what still images wait for', async () => {
    const { stream, show, states, clock } = setup();
    stream.touch('silent', 'picture');
    const [picture, video] = [waiter(), waiter()];
    stream.awaitPicture('silent', picture);
    stream.awaitPlayable('silent', video);
    await settle();
    expect([picture.outcome, stream.status().state, stream.keyFrame()]).toEqual([[], 'starting', null]);
    show(7);
    expect([picture.outcome, video.outcome, states]).toEqual([['ready'], [], ['starting', 'live']]);
    expect(stream.keyFrame()).toMatchObject({
      jpeg: Buffer.from([7]),
      widthPx: 640,
      heightPx: 360,
      atEpochMs: clock.epochMs(),
    });
  });

  it('stays open for stills alone as long as its pictures come', async () => {
    const { main, seconds, stream, clock } = setup();
    stream.touch('silent', 'picture');
    await seconds(180);
    expect([main.opened.length, stream.status().state]).toEqual([1, 'live']);
    for (let second = 0; second < 61; second++) {
      stream.touch('silent', 'picture');
      clock.advance(1_000);
    }
    expect(stream.status()).toMatchObject({ state: 'offline', error: { code: 'STREAM_SILENT' } });
  });

  it('is starting, not live, for someone who waits for video', async () => {
    const { stream, show } = setup();
    stream.touch('sound');
    await settle();
    show();
    expect(stream.status().state).toBe('starting');
    const picture = waiter();
    stream.awaitPicture('sound', picture);
    expect(picture.outcome).toEqual(['ready']);
  });

  it('shows that video waits for a worker', async () => {
    const { stream, show, main } = setup();
    stream.touch('silent', 'picture');
    await settle();
    show();
    stream.touch('sound');
    main.current.onWaiting!({ ahead: 0, running: 4, maxWorkers: 4 });
    expect(stream.status()).toMatchObject({ state: 'starting', waiting: { running: 4 } });
  });

  it('has a worker that does not deliver replaced, whatever pictures come', async () => {
    const { stream, show, clock } = setup();
    stream.touch('sound');
    await settle();
    for (let second = 0; second < 61; second++) {
      stream.touch('sound');
      show();
      clock.advance(1_000);
    }
    expect(stream.status()).toMatchObject({ state: 'offline', error: { code: 'STREAM_SILENT' } });
  });

  it('begins a new timeline when there is video again', async () => {
    const { stream, main, packagers, clock, seconds } = setup();
    stream.touch('silent');
    await settle();
    const play = (): void => {
      main.current.onTracks(TRACKS);
      main.current.onAccessUnit(unitAt(clock.monoMs()));
    };
    play();
    main.current.onStillsOnly!();
    await seconds(30);
    expect(main.opened).toHaveLength(1);
    play();
    expect(packagers[0]!.log.filter((line) => line !== 'unit')).toEqual([
      'discontinuity',
      'tracks',
      'discontinuity',
      'tracks',
    ]);
  });

  it('keeps its last picture across an idle stop, and none is new then', async () => {
    const { stream, show, clock, main } = setup();
    stream.touch('silent', 'picture');
    await settle();
    show(3);
    clock.advance(IDLE_STOP_MS + 1_000);
    await settle();
    expect([stream.status().state, main.openNow]).toEqual(['idle', 0]);
    expect(stream.keyFrame()).toMatchObject({ jpeg: Buffer.from([3]) });
    stream.touch('silent', 'picture');
    const picture = waiter();
    stream.awaitPicture('silent', picture);
    expect(picture.outcome).toEqual([]);
  });

  it('that sends H.264 later shows its key frames', async () => {
    const { stream, show, main, packagers, clock } = setup();
    stream.touch('silent', 'picture');
    await settle();
    show(3);
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    clock.advance(31_000);
    stream.touch('silent', 'picture');
    await settle();
    const key = { fmp4: [], widthPx: 1_280, heightPx: 720, atEpochMs: clock.epochMs() };
    packagers.at(-1)!.key = key;
    expect(stream.keyFrame()).toBe(key);
  });
});
