/** A mirror shows what its window shows, whenever it begins, and gives every block back. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { mediaBlockBytes } from '../cmaf/media-blocks.ts';
import { GatewayError } from '../core/errors.ts';
import { newRuuid } from '../core/ruuid.ts';
import { STREAM_ERRORS } from '../stream/media/errors.ts';
import type { LiveBody, LiveRendition, PlaylistQuery, Unready } from '../stream/media/live-media.ts';
import type { LiveWindow } from '../stream/window/live-window.ts';
import {
  LiveWindowBench,
  NEWEST,
  OTHER_TRACKS,
  TRACKS,
  UNUSED,
} from '../stream/window/live-window-fixture.ts';
import { DEFAULT_LIVE_WINDOW_LIMITS } from '../stream/window/live-window-limits.ts';
import { PathKey } from '../stream/window/path-signer.ts';
import type { MirrorEvents } from './mirror-events.ts';
import { MirroredCameras } from './mirrored-cameras.ts';
import { WindowFeed } from './window-feed.ts';

const CAMERA = newRuuid();
const LIMITS = { windowMs: 6_000, maxWindowBytes: 3_000 };
const PATHS = { key: new PathKey(Buffer.alloc(32, 1)), lifeMs: 30_000 };
const benchOf = (rendition: 'main' | 'sub') => {
  const shared = { signer: PATHS.key.signerOf(CAMERA, rendition), lifeMs: PATHS.lifeMs };
  return new LiveWindowBench(LIMITS, UNUSED, false, null, shared);
};

/** A window, and a mirror of it that gets every message as another thread would. */
class MirrorBench {
  readonly main = benchOf('main');
  readonly sub = benchOf('sub');
  readonly cameras: MirroredCameras;
  readonly feed: WindowFeed;
  readonly released: number[] = [];
  isSubOpen = false;

  constructor() {
    this.cameras = new MirroredCameras({
      clock: this.main.clock,
      limits: { ...DEFAULT_LIVE_WINDOW_LIMITS, ...LIMITS },
      sharedPaths: PATHS,
      onReleased: (hold) => this.released.push(hold),
      onTouch: () => undefined,
    });
    const { cameras } = this;
    const events: MirrorEvents = {
      slabShared: (...args) => cameras.slabShared(...structuredClone(args)),
      slabForgotten: (...args) => cameras.slabForgotten(...structuredClone(args)),
      windowOpened: (...args) => cameras.windowOpened(...structuredClone(args)),
      partPublished: (...args) => cameras.partPublished(...structuredClone(args)),
      waitsFailed: (...args) => cameras.waitsFailed(...structuredClone(args)),
      windowClosed: (...args) => cameras.windowClosed(...structuredClone(args)),
    };
    const published = (name: string) => {
      if (name === 'main') return this.main;
      return name === 'sub' && this.isSubOpen ? this.sub : null;
    };
    this.feed = new WindowFeed({ get: (uuid) => (uuid === CAMERA ? { published } : undefined) }, events);
  }

  get mirror(): LiveRendition {
    return this.cameras.get(CAMERA)!.rendition('main')!;
  }

  giveBack(): void {
    this.feed.release(structuredClone(this.released.splice(0)));
  }
}

function shown(body: LiveBody | Unready | null): string {
  if (body === null || typeof body === 'string') return String(body);
  if ('text' in body) return body.text;
  const hex = body.bytes.toString('hex');
  body.release();
  return hex;
}

const QUERIES: readonly Partial<PlaylistQuery>[] = [
  {},
  { skip: true },
  { extension: 'mp4' },
  { extension: 'mp4', skip: true },
  { isSwitch: true },
  { isShared: true },
  { isShared: true, skip: true },
  { isShared: true, extension: 'mp4' },
];

function expectSame(mirror: LiveRendition, window: LiveWindow, newestMsn: number): void {
  for (const query of QUERIES) {
    const whole = { ...NEWEST, ...query };
    expect(shown(mirror.playlist(whole))).toBe(shown(window.playlist(whole)));
  }
  expect(mirror.edge()).toEqual(window.edge());
  for (let msn = Math.max(0, newestMsn - 12); msn <= newestMsn + 2; msn++) {
    expect(shown(mirror.segment(msn))).toBe(shown(window.segment(msn)));
    for (const part of [0, 1, 5, 6]) {
      expect(shown(mirror.part(msn, part))).toBe(shown(window.part(msn, part)));
      const query = { ...NEWEST, msn, part };
      expect(shown(mirror.playlist(query))).toBe(shown(window.playlist(query)));
    }
  }
}

const OPERATIONS = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant('segment' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('break', 'other tracks', 'view', 'part', 'cut short', 'give back' as const),
    },
  ),
  { minLength: 1, maxLength: 24 },
);

describe('a mirror', () => {
  it('has the text and the bytes of its window, from whenever on', () => {
    const before = mediaBlockBytes().used;
    fc.assert(
      fc.property(OPERATIONS, OPERATIONS, (earlier, later) => {
        const bench = new MirrorBench();
        const { main } = bench;
        let isOpen = false;
        const act = (operation: string): void => {
          const isNew = operation === 'break' || operation === 'other tracks';
          const tracks = operation === 'other tracks' ? OTHER_TRACKS : TRACKS;
          if (operation === 'view') shown(main.window.newestPart());
          else if (operation === 'give back') bench.giveBack();
          // A segment begins before the open one has ended.
          else if (operation === 'cut short') isOpen = false;
          else if (operation === 'part') {
            main.part({ isSegmentStart: !isOpen });
            isOpen = true;
          } else {
            if (isOpen) main.part({ isSegmentEnd: true });
            isOpen = false;
            main.segment(6, isNew ? { hasDiscontinuity: true, tracks } : {});
          }
        };
        main.segment();
        for (const operation of earlier) act(operation);
        expect(bench.feed.follow(CAMERA, 'main')).toBe(true);
        const check = () =>
          expectSame(bench.mirror, main.window, main.window.listedSegments().at(-1)?.msn ?? 0);
        check();
        for (const operation of later) {
          act(operation);
          check();
        }
        main.close();
        expect(bench.cameras.get(CAMERA)).toBeUndefined();
        bench.giveBack();
        expect(bench.feed.holds).toBe(0);
      }),
      randomRuns(60),
    );
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('reports on the other stream as soon as that has a part, and follows it when it is opened anew', () => {
    const bench = new MirrorBench();
    const report = () =>
      /#EXT-X-RENDITION-REPORT:URI="sub\/file.m3u8",.*/.exec(shown(bench.mirror.playlist(NEWEST)))?.[0];
    bench.main.segments(2);
    bench.feed.follow(CAMERA, 'main');
    expect(report()).toBeUndefined();
    bench.sub.segments(2);
    bench.isSubOpen = true;
    bench.main.segment();
    expect(report()).toMatch(/LAST-MSN=1,LAST-PART=5/);
    bench.sub.segment();
    expect(report()).toMatch(/LAST-MSN=2,LAST-PART=5/);
    bench.sub.close();
    expect(report()).toBeUndefined();
  });

  it('calls those who wait with the part they wait for, and fails them like the window', () => {
    const bench = new MirrorBench();
    bench.main.segments(2);
    bench.feed.follow(CAMERA, 'main');
    const got: string[] = [];
    const waiter = {
      onReady: (body: LiveBody) => void got.push(shown(body)),
      onGone: (error: GatewayError) => void got.push(error.code),
    };
    expect(bench.mirror.part(2, 0)).toBe('wait');
    bench.mirror.awaitPart(2, 0, waiter);
    bench.main.part({ isSegmentStart: true });
    expect(got).toEqual([shown(bench.main.window.part(2, 0))]);
    bench.mirror.awaitPart(2, 1, waiter);
    expect(bench.cameras.get(CAMERA)!.hasFed('main')).toBe(true);
    bench.main.fail(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    expect(got[1]).toBe('STREAM_CLOSED');
    expect(bench.cameras.get(CAMERA)!.hasFed('main')).toBe(false);
    bench.main.part();
    expect(bench.cameras.get(CAMERA)!.hasFed('main')).toBe(true);
  });

  it('is closed when no one has been interested, and holds nothing then', () => {
    const bench = new MirrorBench();
    bench.main.segments(3);
    bench.feed.follow(CAMERA, 'main');
    expect(bench.feed.holds).toBeGreaterThan(0);
    bench.main.clock.advance(30_000);
    bench.cameras.get(CAMERA)!.touch('sound');
    expect(bench.cameras.closeUnused(1)).toEqual([]);
    const windows = bench.cameras.closeUnused(bench.main.clock.monoMs() + 1);
    for (const windowId of windows) bench.feed.unfollow(windowId);
    bench.giveBack();
    expect([bench.cameras.windows, bench.feed.holds]).toEqual([0, 0]);
    bench.main.segment();
    expect(bench.feed.holds).toBe(0);
  });

  it('leaves nothing behind when its thread ends without a word', () => {
    const before = mediaBlockBytes().used;
    const bench = new MirrorBench();
    bench.main.segments(3);
    bench.feed.follow(CAMERA, 'main');
    bench.main.close();
    expect(mediaBlockBytes().used).toBeGreaterThan(before);
    bench.feed.close();
    expect(mediaBlockBytes().used).toBe(before);
  });
});
