import { expect, it } from 'vitest';
import type { LiveBody, Waiter } from '../media/live-media.ts';
import { LiveWindowBench } from './live-window-fixture.ts';

class Outcome implements Waiter {
  body: LiveBody | null = null;
  code: string | null = null;
  onReady(body: LiveBody): void {
    this.body = body;
  }
  onGone({ code }: { code: string }): void {
    this.code = code;
  }
}

const PART_MS = 346;

it('of a late stream, as much is awaited as a player reckons from the age of its playlist', () => {
  const bench = new LiveWindowBench().segments(2);
  const playlist = (msn: number, part: number) => bench.window.playlist({ msn, part, skip: false });
  expect([playlist(2, 3), playlist(3, 3), playlist(4, 0)]).toEqual(['rejected', 'rejected', 'rejected']);
  bench.clock.advance(PART_MS * 4);
  expect([playlist(2, 5), playlist(2, 6), playlist(3, 5), playlist(4, 0)]).toEqual([
    'wait',
    'rejected',
    'wait',
    'rejected',
  ]);
  bench.clock.advance(PART_MS * 3);
  expect([playlist(4, 0), playlist(5, 0)]).toEqual(['wait', 'rejected']);
});

it('a wait that began while the stream was late goes on when its next part comes', () => {
  const bench = new LiveWindowBench().segments(2);
  bench.clock.advance(PART_MS * 4);
  const outcome = new Outcome();
  bench.window.awaitPlaylist({ msn: 3, part: 4, skip: false }, outcome);
  bench.part({ isSegmentStart: true });
  expect(outcome).toEqual({ body: null, code: null });
  bench.part({ isSegmentEnd: true }).segments(1);
  expect(outcome.body).toHaveProperty('text');
});
