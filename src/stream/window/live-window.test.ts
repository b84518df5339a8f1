import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { GatewayError } from '../../core/errors.ts';
import { LIVE_ERRORS } from '../media/errors.ts';
import type { LentMedia, LiveBody, Unready, Waiter } from '../media/live-media.ts';
import { playlistText } from '../media/playlist-fixture.ts';
import { bytesOf, LiveWindowBench, NEWEST, OTHER_TRACKS, TRACKS, UNUSED } from './live-window-fixture.ts';
import { FIRST_SEGMENT_WAIT_MS } from './live-window-limits.ts';

/** The outcome of a wait: `null` while it lasts. */
function waiting(start: (waiter: Waiter) => void): { result: string | null; body: LiveBody | null } {
  const outcome: { result: string | null; body: LiveBody | null } = { result: null, body: null };
  start({
    onReady: (body) => {
      outcome.result = 'ready';
      outcome.body = body;
    },
    onGone: (error) => {
      outcome.result = error.code;
    },
  });
  return outcome;
}

const short = (body: LiveBody | Unready) => (typeof body === 'string' ? body : 'ready');

describe('playlists', () => {
  it('wait until there is a part', () => {
    const bench = new LiveWindowBench();
    expect(bench.text()).toBe('wait');
    expect(bench.text({ msn: 0, part: 0 })).toBe('wait');
    expect(bench.text({ msn: 2 })).toBe('rejected');
    bench.part({ isSegmentStart: true });
    expect(bench.parsed()).toMatchObject({ mediaSequence: 0, targetDuration: 2, partTargetDuration: 0.346 });
  });

  it('are read correctly by a parser', () => {
    const parsed = new LiveWindowBench().segments(3).part({ isSegmentStart: true }).parsed();
    expect(parsed.segments.map(({ uri, duration }) => [uri, duration])).toEqual([
      ['seg_0.m4v', 2],
      ['seg_1.m4v', 2],
      ['seg_2.m4v', 2],
    ]);
    expect(parsed.serverControl).toMatchObject({
      canBlockReload: true,
      partHoldBack: 1.038,
      canSkipUntil: 12,
      holdBack: 6,
    });
    expect(parsed.segments[2]!.parts).toHaveLength(6);
    expect(parsed.segments[0]!.map.uri).toBe('seg_init.mp4');
  });

  it('are the same bytes for all until the next part', () => {
    const bench = new LiveWindowBench().segments(8);
    const { window } = bench;
    const before = [window.playlist(NEWEST), window.playlist({ ...NEWEST, skip: true })];
    expect(window.playlist({ msn: 3, part: -1, skip: false })).toBe(before[0]);
    expect(window.playlist({ msn: 3, part: 1, skip: true })).toBe(before[1]);
    expect(before[0]).not.toBe(before[1]);
    bench.part({ isSegmentStart: true });
    expect(window.playlist(NEWEST)).not.toBe(before[0]);
  });

  it('list the window, and parts of the last three target durations', () => {
    const bench = new LiveWindowBench().segments(20).part({ isSegmentStart: true });
    const parsed = bench.parsed();
    expect([parsed.mediaSequence, parsed.segments.length]).toEqual([12, 8]);
    const withParts = parsed.segments.filter(({ parts }) => parts !== undefined).map(({ uri }) => uri);
    expect(withParts).toEqual(['seg_17.m4v', 'seg_18.m4v', 'seg_19.m4v']);
    expect(bench.text()).toContain('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="seg_20.1.m4v"');
  });

  it('hint at the first part of the next segment when one has ended', () => {
    expect(new LiveWindowBench().segments(2).text()).toMatch(
      /seg_1\.m4v\n#EXT-X-PRELOAD-HINT:TYPE=PART,URI="seg_2\.0\.m4v"\n$/,
    );
  });

  it('let the target duration grow with a long segment, never shrink', () => {
    const bench = new LiveWindowBench().segments(2);
    bench.segment(6, { durationTicks: 60_000 }).segments(3);
    expect(bench.parsed().targetDuration).toBe(4);
    expect(bench.parsed().serverControl).toMatchObject({ canSkipUntil: 24, holdBack: 12 });
  });

  it('never list parts again after leaving them out, even if the target duration grows', () => {
    const bench = new LiveWindowBench().segments(6);
    const listed = new Set<string>();
    const gone = new Set<string>();
    for (const parts of [6, 6, 13, 6, 20, 6, 6, 27, 6, 6]) {
      for (let at = 0; at < parts; at++) {
        bench.part({ isSegmentStart: at === 0, isSegmentEnd: at === parts - 1 });
        const now = new Set(bench.text().match(/(?<=EXT-X-PART:.*URI=")[^"]+/g));
        for (const uri of listed) if (!now.has(uri)) gone.add(uri);
        for (const uri of now) listed.add(uri);
        expect([...now].filter((uri) => gone.has(uri))).toEqual([]);
      }
    }
    expect(bench.parsed().targetDuration).toBe(9);
  });

  it('are full when there is nothing to skip', () => {
    const bench = new LiveWindowBench().segments(6);
    expect(bench.window.playlist({ ...NEWEST, skip: true })).toBe(bench.window.playlist(NEWEST));
  });
});

describe('delta updates', () => {
  it('together with an older full playlist give the new one', () => {
    const step = fc.constantFrom('part', 'part', 'part', 'end', 'end', 'break');
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), fc.nat(30), (steps, age) => {
        const bench = new LiveWindowBench().segments(10);
        const fulls = [bench.text()];
        let isStart = true;
        let isBreak = false;
        for (const kind of steps) {
          const hasDiscontinuity = isStart && isBreak;
          const tracks = hasDiscontinuity ? OTHER_TRACKS : TRACKS;
          const isSegmentEnd = kind !== 'part';
          bench.part({
            isSegmentStart: isStart,
            isSegmentEnd,
            hasDiscontinuity,
            tracks,
            isIndependent: isStart,
          });
          isStart = isSegmentEnd;
          isBreak = kind === 'break';
          fulls.push(bench.text());
        }
        const older = fulls.at(-1 - Math.min(age, fulls.length - 1))!;
        const delta = bench.text({ skip: true });
        if (canApply(delta, older)) expect(merged(delta, older)).toEqual(segmentsOf(bench.text()));
      }),
      randomRuns(50),
    );
  });

  const sequenceOf = (text: string) => Number(/MEDIA-SEQUENCE:(\d+)/.exec(text)![1]);
  const skippedIn = (text: string) => Number(/SKIPPED-SEGMENTS=(\d+)/.exec(text)?.[1] ?? 0);

  /** Text of each complete segment with its map in force, without parts. */
  function segmentsOf(text: string, initUri = ''): string[] {
    const body = text.replace(/#EXT-X-(PART|PRELOAD-HINT):.*\n/g, '');
    const start = body.search(/#EXT-X-(DISCONTINUITY\n|MAP|PROGRAM)/);
    let map = initUri;
    return body
      .slice(start)
      .split(/(?<=\.m4v\n)/)
      .map((lines) => {
        map = /#EXT-X-MAP:URI="(.+)"/.exec(lines)?.[1] ?? map;
        return `${map}\n${lines.replace(/#EXT-X-MAP.*\n/, '')}`;
      });
  }

  function canApply(delta: string, older: string): boolean {
    const lastSkipped = sequenceOf(delta) + skippedIn(delta);
    return sequenceOf(older) <= sequenceOf(delta) && older.includes(`\nseg_${lastSkipped - 1}.m4v`);
  }

  function merged(delta: string, older: string): string[] {
    const offset = sequenceOf(delta) - sequenceOf(older);
    const kept = segmentsOf(older).slice(offset, offset + skippedIn(delta));
    return [...kept, ...segmentsOf(delta, kept.at(-1)?.split('\n')[0])];
  }
});

describe('blocking reload', () => {
  it.each<[number, number, string]>([
    [3, -1, 'ready'],
    [4, -1, 'wait'],
    [5, -1, 'wait'],
    [6, -1, 'rejected'],
    [4, 1, 'ready'],
    [4, 2, 'wait'],
    [4, 4, 'wait'],
    [4, 5, 'rejected'],
    [5, 0, 'wait'],
    [5, 3, 'rejected'],
    [3, 6, 'ready'],
    [3, 99, 'ready'],
    [0, 0, 'ready'],
  ])('with segment 4 open and two parts of it, msn %i part %i: %s', (msn, part, expected) => {
    const bench = new LiveWindowBench().segments(4).part({ isSegmentStart: true }).part();
    expect(short(bench.window.playlist({ msn, part, skip: false }))).toBe(expected);
  });

  it('takes a part beyond the end of its segment as the first of the next', () => {
    const bench = new LiveWindowBench().segments(4);
    const query = { msn: 3, part: 6, skip: false };
    expect(bench.window.playlist(query)).toBe('wait');
    const outcome = waiting((waiter) => bench.window.awaitPlaylist(query, waiter));
    bench.part({ isSegmentStart: true });
    expect(outcome.result).toBe('ready');
    expect(outcome.body).toMatchObject({ text: expect.stringContaining('seg_4.0.m4v') });
  });

  it('gives everyone who requested the same one buffer with the requested content', () => {
    const bench = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
    const query = { msn: 4, part: 1, skip: false };
    const outcomes = [1, 2, 3].map(() => waiting((waiter) => bench.window.awaitPlaylist(query, waiter)));
    const later = waiting((waiter) => bench.window.awaitPlaylist({ ...query, part: 2 }, waiter));
    bench.part();
    expect(outcomes.map(({ result }) => result)).toEqual(['ready', 'ready', 'ready']);
    expect(new Set(outcomes.map(({ body }) => body)).size).toBe(1);
    expect(playlistText(outcomes[0]!.body!)).toContain('URI="seg_4.1.m4v"\n');
    expect(later.result).toBeNull();
  });

  it('for the first whole segment may take the longest group of pictures', () => {
    const bench = new LiveWindowBench().part({ isSegmentStart: true });
    const puller = waiting((waiter) => bench.window.awaitPlaylist({ ...NEWEST, extension: 'mp4' }, waiter));
    const reload = { msn: 0, part: -1, skip: false };
    const blocking = waiting((waiter) => bench.window.awaitPlaylist(reload, waiter));
    const part = waiting((waiter) => bench.window.awaitPlaylist({ msn: 0, part: 1, skip: false }, waiter));
    for (let second = 0; second < 20; second++) {
      bench.clock.advance(1_000);
      bench.part();
    }
    expect([puller.result, blocking.result, part.result]).toEqual([null, null, 'ready']);
    bench.part({ isSegmentEnd: true });
    expect([puller.result, blocking.result]).toEqual(['ready', 'ready']);
    expect(playlistText(puller.body!)).toMatch(/^seg_0\.mp4$/m);
  });

  it('for the first whole segment ends when that does not arrive, or the camera goes offline', () => {
    const bench = new LiveWindowBench().part({ isSegmentStart: true });
    const query = { ...NEWEST, extension: 'mp4' } as const;
    const first = waiting((waiter) => bench.window.awaitPlaylist(query, waiter));
    bench.clock.advance(FIRST_SEGMENT_WAIT_MS - 1);
    const second = waiting((waiter) => bench.window.awaitPlaylist(query, waiter));
    expect([first.result, bench.window.waiterCount]).toEqual([null, 2]);
    bench.clock.advance(1);
    expect([first.result, second.result]).toEqual(['LIVE_WAIT_TIMEOUT', null]);
    bench.window.failWaiters(new GatewayError(LIVE_ERRORS.LIVE_PART_GONE));
    expect([second.result, bench.clock.pendingTimers]).toEqual(['LIVE_PART_GONE', 0]);
  });

  it('ends after three target durations', () => {
    const bench = new LiveWindowBench().segments(1);
    const outcome = waiting((waiter) => bench.window.awaitPlaylist({ msn: 1, part: 0, skip: false }, waiter));
    bench.clock.advance(5_999);
    expect(outcome.result).toBeNull();
    bench.clock.advance(1);
    expect(outcome.result).toBe('LIVE_WAIT_TIMEOUT');
  });

  it('always contains the requested part, whenever it is requested', () => {
    const ask = fc.record({ msn: fc.nat(6), part: fc.integer({ min: -1, max: 8 }) });
    fc.assert(
      fc.property(
        fc.array(ask, { maxLength: 20 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        (asks, ends) => {
          const bench = new LiveWindowBench();
          const open = asks.map((query) => ({ query, outcome: null as null | ReturnType<typeof waiting> }));
          let isStart = true;
          for (const isEnd of ends) {
            for (const entry of open) {
              const query = { ...entry.query, skip: false };
              if (bench.window.playlist(query) !== 'wait') continue;
              entry.outcome ??= waiting((waiter) => bench.window.awaitPlaylist(query, waiter));
            }
            bench.part({ isSegmentStart: isStart, isSegmentEnd: isEnd });
            isStart = isEnd;
            for (const { query, outcome } of open) {
              if (outcome?.body)
                expect(contains(playlistText(outcome.body), query.msn, query.part)).toBe(true);
              else if (outcome !== null) expect(contains(bench.text(), query.msn, query.part)).toBe(false);
            }
          }
        },
      ),
      randomRuns(200),
    );
  });

  /** Whether a playlist has the segment, or the part, or anything later. */
  function contains(text: string, msn: number, part: number): boolean {
    const complete = [...text.matchAll(/^seg_(\d+)\.m4v$/gm)].map((match) => Number(match[1]));
    const parts = [...text.matchAll(/#EXT-X-PART:.*"seg_(\d+)\.(\d+)\.m4v"/g)];
    if (part < 0) return complete.some((number) => number >= msn);
    return parts.some(
      ([, number, index]) => Number(number) > msn || (Number(number) === msn && Number(index) >= part),
    );
  }
});

describe('bytes', () => {
  it('parts concatenate to the segment', () => {
    const { window } = new LiveWindowBench().segments(3);
    const parts = [0, 1, 2, 3, 4, 5].map((index) => bytesOf(window.part(1, index)));
    expect(bytesOf(window.segment(1))).toEqual(Buffer.concat(parts));
    expect(bytesOf(window.segment(1))).toBe(bytesOf(window.segment(1)));
    expect([0, 1, 2, 3, 4, 5].map((index) => bytesOf(window.part(1, index)))).toEqual(parts);
    expect(window.part(1, 6)).toBe('unknown');
  });

  it('of the next parts are waited for, those further ahead are not', () => {
    const bench = new LiveWindowBench().segments(2);
    const next = [0, 1, 2, 3].map((part) => bench.window.part(2, part));
    expect(next).toEqual(['wait', 'wait', 'wait', 'unknown']);
    expect([bench.window.part(3, 0), bench.window.part(3, 3), bench.window.part(4, 0)]).toEqual([
      'wait',
      'unknown',
      'unknown',
    ]);
    const outcome = waiting((waiter) => bench.window.awaitPart(2, 0, waiter));
    bench.part({ isSegmentStart: true });
    expect(bytesOf(outcome.body as LentMedia)).toBe(bytesOf(bench.window.part(2, 0)));
    expect([bench.window.part(2, 1), bench.window.segment(2)]).toEqual(['wait', null]);
  });

  it('of a part that does not come to be are no longer waited for when its segment ends', () => {
    const bench = new LiveWindowBench().segments(2).part({ isSegmentStart: true });
    const outcome = waiting((waiter) => bench.window.awaitPart(2, 2, waiter));
    bench.part({ isSegmentEnd: true });
    expect(outcome.result).toBe('LIVE_PART_GONE');
  });

  it('stay for their own and the playlist’s duration after leaving the playlist', () => {
    const bench = new LiveWindowBench().segments(9);
    expect(bench.parsed().mediaSequence).toBe(1);
    bench.segments(9);
    expect(bench.window.segment(0)).not.toBeNull();
    bench.segments(1);
    expect(bench.window.segment(0)).toBeNull();
    expect(bench.window.part(0, 0)).toBe('unknown');
    expect(bench.window.byteLength).toBe(18 * 600);
  });

  it('are limited, oldest first, including the playlist', () => {
    const bench = new LiveWindowBench({ maxWindowBytes: 2_000 }).segments(30);
    expect(bench.window.byteLength).toBe(1_800);
    expect(bench.parsed()).toMatchObject({ mediaSequence: 27 });
    expect(bench.window.segment(26)).toBeNull();
    expect(bench.window.segment(27)).not.toBeNull();
  });

  it('are limited for a camera that keeps breaking its timeline', () => {
    const bench = new LiveWindowBench();
    for (let i = 0; i < 1_000; i++) bench.segment(1, { durationTicks: 3_600, hasDiscontinuity: true });
    expect(bench.parsed().segments.length).toBe(128);
  });
});

describe('init segments', () => {
  it('keep the plain name for the fingerprint in the ledger', () => {
    const known = {
      nextMediaSequenceNumber: 5,
      nextDiscontinuitySequence: 1,
      initFingerprint: TRACKS.fingerprint,
    };
    const bench = new LiveWindowBench({}, known, true).segment(6, { tracks: OTHER_TRACKS });
    const name = `seg_init_${OTHER_TRACKS.fingerprint.slice(0, 8)}.mp4`;
    expect(bench.parsed().segments[0]!.map.uri).toBe(name);
    expect(bench.window.init(name)).toBe(OTHER_TRACKS.init);
    expect(bench.window.init('seg_init.mp4')).toBeNull();
    bench.segment(6, { hasDiscontinuity: true });
    expect(bench.window.init('seg_init.mp4')).toBe(TRACKS.init);
    expect(bench.numbering.initFingerprint).toBe(TRACKS.fingerprint);
  });

  it('are forgotten with the last segment that needs them', () => {
    const bench = new LiveWindowBench()
      .segment()
      .segment(6, { tracks: OTHER_TRACKS, hasDiscontinuity: true });
    for (let i = 0; i < 20; i++) bench.segment(6, { tracks: OTHER_TRACKS });
    expect(bench.window.init('seg_init.mp4')).toBeNull();
  });
});

describe('numbering', () => {
  it('is reported before a segment is visible', () => {
    const bench = new LiveWindowBench().part({ isSegmentStart: true });
    expect(bench.numbering).toEqual({
      nextMediaSequenceNumber: 1,
      nextDiscontinuitySequence: 1,
      initFingerprint: TRACKS.fingerprint,
    });
  });

  it('counts discontinuities, and keeps the count when their tag leaves the playlist', () => {
    const bench = new LiveWindowBench().segments(2).segment(6, { hasDiscontinuity: true });
    expect(bench.parsed()).toMatchObject({ discontinuitySequence: 0 });
    bench.segments(8);
    expect(bench.parsed()).toMatchObject({ mediaSequence: 3, discontinuitySequence: 1 });
  });

  it('never goes back, over any number of restarts', () => {
    const life = fc.record({ segments: fc.nat(12), breaks: fc.boolean(), hasOpenPart: fc.boolean() });
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 6 }), (lives) => {
        let numbering = UNUSED;
        let lastMsn = -1;
        let lastDiscontinuity = -1;
        for (const { segments, breaks, hasOpenPart } of lives) {
          const isContinuation = numbering.nextMediaSequenceNumber > 0;
          const bench = new LiveWindowBench({}, numbering, isContinuation);
          for (let i = 0; i < segments; i++) {
            bench.segment(6, { hasDiscontinuity: breaks && i % 3 === 2 });
            const parsed = bench.parsed();
            const newestMsn = parsed.mediaSequence + parsed.segments.length - 1;
            const tags = parsed.segments.filter(({ discontinuity }) => discontinuity).length;
            const discontinuity = parsed.discontinuitySequence + tags;
            if (i === 0 && isContinuation) expect(discontinuity).toBeGreaterThan(lastDiscontinuity);
            expect(newestMsn).toBeGreaterThan(lastMsn);
            expect(discontinuity).toBeGreaterThanOrEqual(lastDiscontinuity);
            [lastMsn, lastDiscontinuity] = [newestMsn, discontinuity];
          }
          if (hasOpenPart) {
            bench.part({ isSegmentStart: true });
            lastMsn++;
            lastDiscontinuity = bench.numbering.nextDiscontinuitySequence - 1;
          }
          numbering = bench.numbering;
          expect(numbering.nextMediaSequenceNumber).toBe(lastMsn + 1);
        }
      }),
      randomRuns(50),
    );
  });
});

describe('a switch from another rendition', () => {
  const SWITCH = { ...NEWEST, isSwitch: true };

  it('waits for what the player has buffered of the other one, while there is no whole segment', () => {
    const bench = new LiveWindowBench().part({ isSegmentStart: true });
    const outcome = waiting((waiter) => bench.window.awaitPlaylist(SWITCH, waiter));
    bench.part();
    expect([outcome.result, bench.window.playlist(SWITCH)]).toEqual([null, 'wait']);
    expect(bench.text()).toContain('seg_0.1.m4v');
    bench.part();
    expect(outcome.result).toBe('ready');
    expect(bench.text(SWITCH)).toContain('seg_0.2.m4v');
  });

  it('does not wait after a whole segment', () => {
    const bench = new LiveWindowBench().segments(1).part({ isSegmentStart: true });
    expect(bench.text(SWITCH)).toContain('seg_1.0.m4v');
  });
});

describe('rendition reports', () => {
  function pair() {
    const sub = new LiveWindowBench();
    const main = new LiveWindowBench({}, UNUSED, false, { folder: 'sub/', edge: () => sub.window.edge() });
    return { main, sub };
  }
  const reportsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('#EXT-X-RENDITION'));

  it('name the end of the other stream at the time of reading, under the requested name', () => {
    const { main, sub } = pair();
    main.segments(2);
    expect(reportsOf(main.text())).toEqual([]);
    sub.segments(3).part({ isSegmentStart: true }).part();
    expect(reportsOf(main.text())).toEqual([
      '#EXT-X-RENDITION-REPORT:URI="sub/file.m3u8",LAST-MSN=3,LAST-PART=1',
    ]);
    sub.part();
    expect(reportsOf(main.text({ extension: 'mp4' }))).toEqual([
      '#EXT-X-RENDITION-REPORT:URI="sub/stream.m3u8",LAST-MSN=3,LAST-PART=2',
    ]);
    expect(main.text({ skip: true })).toMatch(/LAST-MSN=3,LAST-PART=2\n$/);
  });

  it('share one text until either stream moves on', () => {
    const { main, sub } = pair();
    main.segments(2);
    sub.segments(2);
    const text = main.window.playlist(NEWEST);
    expect(main.window.playlist(NEWEST)).toBe(text);
    sub.part({ isSegmentStart: true }).part();
    expect(main.window.playlist(NEWEST)).not.toBe(text);
  });

  it('say LAST-PART=0 only for a segment with one part, and never go back', () => {
    const bench = new LiveWindowBench().part({ isSegmentStart: true });
    expect(bench.window.edge()).toBeNull();
    bench.part();
    expect(bench.window.edge()).toEqual({ msn: 0, part: 1 });
    bench.part({ isSegmentEnd: true }).part({ isSegmentStart: true });
    expect(bench.window.edge()).toEqual({ msn: 0, part: 2 });
    bench.part();
    expect(bench.window.edge()).toEqual({ msn: 1, part: 1 });
    const slow = new LiveWindowBench().segment(1).segment(1);
    expect(slow.window.edge()).toEqual({ msn: 0, part: 0 });
  });
});
