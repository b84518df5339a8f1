import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { SUB_WAIT_MS } from './camera-stream.ts';
import { ERRORS, IDLE_STOP_MS, settle, setup, waiter } from './hub-fixture.ts';

describe('StreamHub', () => {
  it('pulls main stream and substream as two variants, on one timeline for each opening', async () => {
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

  describe('the Multivariant Playlist of a camera with a substream', () => {
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

    it('of the main stream alone waits for no other one, and leads who comes first to the piecewise playlist', async () => {
      const { stream, variants, play, packagers } = await opened();
      const alone = () => stream.multivariantPlaylist('', 'sound', 'stream.m3u8', 'main') ?? '';
      expect(alone()).toBe('');
      const main = packagers.find(({ options }) => options.rendition === 'main')!;
      main.beginningMsn = 12;
      play.main();
      expect([variants(), alone().split('\n').at(-2)]).toEqual([null, 'stream.m3u8?first=12']);
      expect(alone()).not.toContain('INDEPENDENT');
      expect(stream.multivariantPlaylist('', 'sound', 'file.m3u8', 'main')).toMatch(/\nfile\.m3u8\n$/);
      main.beginningMsn = null;
      expect(alone()).toMatch(/#EXT-X-INDEPENDENT-SEGMENTS\n[^\n]*\nstream\.m3u8\n$/);
    });

    it.each([
      ['main', 'sub'],
      ['sub', 'main'],
    ] as const)('waits for both: %s starts before %s', async (first, second) => {
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

    it('does not wait longer for a late substream, and names it in later responses', async () => {
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

    it('waits neither for an offline substream nor again for one that never started', async () => {
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

    it('does not exist while the main stream is offline, whatever the state of the substream', async () => {
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
});
