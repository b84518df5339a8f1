import { expect, it } from 'vitest';
import type { GatewayError } from '../../core/errors.ts';
import type { LiveBody, Waiter } from '../media/live-media.ts';
import { UNKNOWN } from '../numbering/numbering.ts';
import { FORMER_MS } from './former-numbers.ts';
import { bytesOf, LiveWindowBench, UNUSED } from './live-window-fixture.ts';

const NUMBERS = [3, 4, 5, 99];

it('a window is behind with its open segment and all further ones while another node makes them', () => {
  const { window } = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
  const behind = () => NUMBERS.map((msn) => window.isBehind(msn));
  expect(behind()).toEqual([false, false, false, false]);
  window.isFollowing = true;
  expect(behind()).toEqual([false, true, true, true]);
});

it('so is one that another thread makes of it', () => {
  const { window } = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
  window.isFollowing = true;
  const { window: copy } = new LiveWindowBench();
  copy.become(window.state());
  expect(NUMBERS.map((msn) => copy.isBehind(msn))).toEqual([false, true, true, true]);
});

class Outcome implements Waiter {
  result: string | null = null;

  onReady(body: LiveBody): void {
    this.result = 'bytes' in body ? body.bytes.toString('hex') : body.text;
  }

  onGone(error: GatewayError): void {
    this.result = error.code;
  }
}

function awaited(bench: LiveWindowBench, msn: number): Outcome {
  const outcome = new Outcome();
  bench.window.awaitPart(msn, -1, outcome);
  return outcome;
}

it('a segment that another node has complete already is waited for, up to the one after the next', () => {
  const bench = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
  const coming = () => [3, 4, 5, 6, 99].map((msn) => bench.window.isSegmentComing(msn));
  expect(coming()).toEqual([false, false, false, false, false]);
  bench.window.isFollowing = true;
  expect(coming()).toEqual([false, true, true, false, false]);
  const [open, next] = [awaited(bench, 4), awaited(bench, 5)];
  bench.part({ isSegmentEnd: true });
  expect([open.result, next.result]).toEqual([bytesOf(bench.window.segment(4)).toString('hex'), null]);
  bench.segment();
  expect(next.result).toBe(bytesOf(bench.window.segment(5)).toString('hex'));
});

it('such a wait has an end', () => {
  const bench = new LiveWindowBench().segments(4);
  bench.window.isFollowing = true;
  const [late, lost] = [awaited(bench, 4), awaited(bench, 5)];
  bench.clock.advance(6_000);
  expect([late.result, lost.result]).toEqual(['LIVE_WAIT_TIMEOUT', 'LIVE_WAIT_TIMEOUT']);
});

it('before the window has come, every number is waited for; then what is too far ahead is refused', () => {
  const bench = new LiveWindowBench({}, UNKNOWN);
  bench.window.isFollowing = true;
  const outcomes = [3, 4, 99].map((msn) => awaited(bench, msn));
  const owner = new LiveWindowBench().segments(4);
  bench.window.become({ ...owner.window.state(), isFollowing: true });
  const segment = bytesOf(owner.window.segment(3)).toString('hex');
  expect(outcomes.map(({ result }) => result)).toEqual([segment, null, 'STREAM_BEHIND']);
});

it('a node that takes over before anything has come tells those who waited what there is from now on', () => {
  const bench = new LiveWindowBench({}, UNKNOWN);
  bench.window.isFollowing = true;
  const [former, first, far] = [awaited(bench, 3), awaited(bench, 1_000), awaited(bench, 2_000)];
  const playlist = new Outcome();
  bench.window.awaitPlaylist({ msn: 3, part: 0, skip: false }, playlist);
  bench.window.isFollowing = false;
  bench.window.restart({ ...UNKNOWN, nextMediaSequenceNumber: 1_000 });
  expect([former, first, far, playlist].map(({ result }) => result)).toEqual([null, null, null, null]);
  bench.segment();
  expect([former, far].map(({ result }) => result)).toEqual(['STREAM_BEHIND', 'LIVE_PART_GONE']);
  expect(playlist.result).toContain('seg_1000.0.m4v');
  expect(first.result).toBe('LIVE_PART_GONE');
});

it('what the owner before may have published is not denied, by the next owner and by mirrors, until viewers no longer know of it', () => {
  const mirror = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
  const next = new LiveWindowBench();
  next.window.become({ ...mirror.window.state(), isFollowing: true });
  mirror.window.isFollowing = true;
  next.window.isFollowing = false;
  next.window.restart({ ...UNKNOWN, nextMediaSequenceNumber: 1_000 });
  next.segment();
  mirror.window.become({ ...next.window.state(), isFollowing: true });
  const late = new LiveWindowBench();
  late.window.become({ ...next.window.state(), isFollowing: true });
  const windows = [mirror, next, late].map(({ window }) => window);
  // 3 is here as a whole. Of 4, and of what followed it, the owner before may have had more.
  const behind = () => windows.map((window) => [3, 4, 5, 999].map((msn) => window.isBehind(msn)));
  expect(behind()).toEqual(windows.map(() => [false, true, true, true]));
  expect(next.window.isBehind(1_000)).toBe(false);
  for (const { clock } of [mirror, next, late]) clock.advance(FORMER_MS);
  expect(behind()).toEqual(windows.map(() => [false, false, false, false]));
});

it('a mirror that missed what the owner before published notices it by the numbers of the next one', () => {
  const mirror = new LiveWindowBench().segments(4);
  const { formerNumbers: _unsaid, ...state } = new LiveWindowBench(
    {},
    { ...UNUSED, nextMediaSequenceNumber: 1_000 },
  )
    .segments(2)
    .window.state();
  mirror.window.become({ ...state, isFollowing: true });
  expect([5, 999, 1_001].map((msn) => mirror.window.isBehind(msn))).toEqual([true, true, false]);
});
