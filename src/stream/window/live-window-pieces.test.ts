/** The playlist that a puller gets who opened the camera: its first segment is listed part by part. */

import { expect, it } from 'vitest';
import type { GatewayError } from '../../core/errors.ts';
import type { LiveBody, PlaylistQuery, Waiter } from '../media/live-media.ts';
import { LiveWindowBench, UNUSED } from './live-window-fixture.ts';

const FIRST_MSN = 7;
const NUMBERING = { ...UNUSED, nextMediaSequenceNumber: FIRST_MSN };
const PIECES: PlaylistQuery = { msn: -1, part: -1, skip: false, extension: 'mp4', firstMsn: FIRST_MSN };
const SEGMENT_TICKS = 180_000;

interface Listed {
  readonly number: number;
  readonly uri: string;
}

function textOf(bench: LiveWindowBench, query: Partial<PlaylistQuery> = {}): string {
  return bench.text({ ...PIECES, ...query });
}

/** The listed segments with their Media Sequence Numbers. */
function listed(text: string): Listed[] {
  const first = Number(/^#EXT-X-MEDIA-SEQUENCE:(\d+)$/m.exec(text)![1]);
  return [...text.matchAll(/^[^#\n]+$/gm)].map(([uri], index) => ({ number: first + index, uri }));
}

function targetOf(text: string): number {
  return Number(/^#EXT-X-TARGETDURATION:(\d+)$/m.exec(text)![1]);
}

class Outcome implements Waiter {
  result: string | null = null;

  onReady(body: LiveBody): void {
    this.result = 'text' in body ? body.text : 'media';
  }

  onGone(error: GatewayError): void {
    this.result = error.code;
  }
}

it('exists from the first part on, and says that its segments are not independent', () => {
  const bench = new LiveWindowBench({}, NUMBERING);
  expect(bench.window.playlist(PIECES)).toBe('wait');
  const waiter = new Outcome();
  bench.window.awaitPlaylist(PIECES, waiter);
  bench.part({ isSegmentStart: true });
  expect(waiter.result).toBe(textOf(bench));
  expect(textOf(bench)).toBe(`#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.038,HOLD-BACK=6.000
#EXT-X-PART-INF:PART-TARGET=0.346
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-DISCONTINUITY-SEQUENCE:0
#EXT-X-MAP:URI="seg_init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
#EXT-X-PART:DURATION=0.320000,URI="seg_7.0.mp4",INDEPENDENT=YES
#EXTINF:0.320000,
seg_7.0.mp4
# more to come
`);
});

it('begins with the key frame for a viewer who comes while the first segment grows', () => {
  const bench = new LiveWindowBench({}, NUMBERING);
  for (let part = 0; part < 5; part++) bench.part({ isSegmentStart: part === 0 });
  const uris = (query: Partial<PlaylistQuery>) => listed(textOf(bench, query)).map(({ uri }) => uri);
  const beginning = ['seg_7.0.mp4', 'seg_7.1.mp4', 'seg_7.2.mp4'];
  expect(uris({ isFirst: true })).toEqual(beginning);
  expect(textOf(bench, { isFirst: true })).not.toContain('PRELOAD-HINT');
  expect(uris({})).toEqual([...beginning, 'seg_7.3.mp4', 'seg_7.4.mp4']);
  bench.part({ isSegmentStart: true });
  expect(uris({ isFirst: true })).toEqual(uris({}));
});

it('continues with whole segments when the first one ends in time, and no number names two files', () => {
  const bench = new LiveWindowBench({ windowMs: 6_000 }, NUMBERING);
  const seen = new Map<number, string>();
  const note = () => {
    const list = listed(textOf(bench));
    for (const { number, uri } of list) {
      expect([number, seen.get(number) ?? uri]).toEqual([number, uri]);
      seen.set(number, uri);
    }
  };
  for (let part = 0; part < 6; part++) {
    bench.part({
      durationTicks: SEGMENT_TICKS / 6,
      isSegmentStart: part === 0,
      isSegmentEnd: part === 5,
      isIndependent: part === 0,
    });
    note();
  }
  for (let segment = 0; segment < 8; segment++) {
    bench.segment();
    note();
  }
  expect([...seen.keys()]).toEqual(Array.from({ length: 14 }, (_, index) => FIRST_MSN + index));
  expect([...seen.values()].slice(0, 8).join()).toBe(
    'seg_7.0.mp4,seg_7.1.mp4,seg_7.2.mp4,seg_7.3.mp4,seg_7.4.mp4,seg_7.5.mp4,seg_8.mp4,seg_9.mp4',
  );
  expect(targetOf(textOf(bench))).toBe(2);
});

it('lists every segment part by part when groups of pictures are longer than the target, which stays', () => {
  const bench = new LiveWindowBench({ windowMs: 30_000 }, NUMBERING);
  for (let segment = 0; segment < 3; segment++) bench.segment(30);
  bench.segment(4);
  bench.segment(30);
  const text = textOf(bench);
  expect(targetOf(text)).toBe(2);
  expect(targetOf(bench.text())).toBe(10);
  for (const [, seconds] of text.matchAll(/^#EXTINF:([\d.]+),$/gm)) expect(Number(seconds)).toBeLessThan(2.5);
  expect(listed(text).every(({ uri }) => /^seg_\d+\.\d+\.mp4$/.test(uri))).toBe(true);
  expect(listed(text).at(-1)).toEqual({ number: FIRST_MSN + 4 * 30 + 4 - 1, uri: 'seg_11.29.mp4' });
});

it('responds to directives in its own numbers', () => {
  const bench = new LiveWindowBench({}, NUMBERING).segment(5);
  bench.part({ isSegmentStart: true });
  const isReady = (msn: number, part: number) =>
    typeof bench.window.playlist({ ...PIECES, msn, part }) === 'object';
  // Segment 7 in five parts, of which the last one is number 11, and 8 as number 12.
  expect([isReady(11, -1), isReady(11, 0), isReady(12, 0), isReady(12, 1), isReady(12, -1)].join()).toBe(
    'true,true,true,false,false',
  );
  const [next, whole] = [new Outcome(), new Outcome()];
  bench.window.awaitPlaylist({ ...PIECES, msn: 12, part: 1 }, next);
  bench.window.awaitPlaylist({ ...PIECES, msn: 12 }, whole);
  bench.part();
  expect([next.result, whole.result]).toEqual([textOf(bench), null]);
  bench.part({ isSegmentEnd: true });
  expect(whole.result).toBe(textOf(bench));
  expect(listed(whole.result!).at(-1)).toEqual({ number: 12, uri: 'seg_8.mp4' });
});

it('responds to a wait for the next piece with the part that ends the first segment, and then with the one behind it', () => {
  const bench = new LiveWindowBench({}, NUMBERING).part({ isSegmentStart: true });
  const [last, behind] = [new Outcome(), new Outcome()];
  bench.window.awaitPlaylist({ ...PIECES, msn: 8, part: 0 }, last);
  bench.window.awaitPlaylist({ ...PIECES, msn: 9, part: 0 }, behind);
  bench.part({ isSegmentEnd: true });
  expect([listed(last.result!).length, behind.result]).toEqual([2, null]);
  bench.part({ isSegmentStart: true });
  expect(behind.result).toContain('URI="seg_8.0.mp4",INDEPENDENT=YES');
});

it('is the same at a mirror, which can begin anywhere', () => {
  const bench = new LiveWindowBench({}, NUMBERING).segment(30).segment(30);
  bench.part({ isSegmentStart: true });
  const mirror = new LiveWindowBench();
  mirror.window.become(bench.window.state());
  expect(textOf(mirror)).toBe(textOf(bench));
  mirror.window.isFollowing = true;
  expect(mirror.window.playlist({ ...PIECES, firstMsn: 100 })).toBe('wait');
  expect(bench.window.playlist({ ...PIECES, firstMsn: 100 })).toBe('unknown');
});

it('never goes back when another opening follows at the same URL', () => {
  const bench = new LiveWindowBench({}, NUMBERING);
  for (let segment = 0; segment < 4; segment++) bench.segment(60);
  const before = listed(textOf(bench)).at(-1)!.number;
  bench.window.restart({ ...UNUSED, nextMediaSequenceNumber: 11, nextDiscontinuitySequence: 1 });
  bench.part({ isSegmentStart: true });
  expect(listed(textOf(bench))).toEqual([{ number: expect.any(Number), uri: 'seg_11.0.mp4' }]);
  expect(listed(textOf(bench))[0]!.number).toBeGreaterThan(before);
  expect(textOf(bench, { firstMsn: 11 })).toContain('#EXT-X-MEDIA-SEQUENCE:11\n');
});

it('is offered while a player that begins three segments before the end still finds the key frame', () => {
  const bench = new LiveWindowBench({}, NUMBERING);
  const offered = () => bench.window.beginningMsn;
  expect(offered()).toBeNull();
  bench.part({ isSegmentStart: true });
  expect(offered()).toBe(FIRST_MSN);
  bench.part();
  expect(offered()).toBe(FIRST_MSN);
  bench.part();
  expect(offered()).toBeNull();
  bench.part({ isSegmentEnd: true }).part({ isSegmentStart: true });
  expect(offered()).toBeNull();
});
