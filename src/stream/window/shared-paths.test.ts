import { describe, expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import type { RenditionName } from '../media/live-media.ts';
import { LiveWindowBench, UNUSED } from './live-window-fixture.ts';
import { PathKey } from './path-signer.ts';
import { MIN_LISTED_LIFE_MS, neededLifeMs } from './shared-paths.ts';

const LIFE_MS = 30_000;
const CAMERA = 'AAAAAAAAAAAAAAAAAAAAAQ' as Ruuid;
const KEY = new PathKey(Buffer.alloc(32, 7));
const SHARED = { isShared: true };
const SHARED_NAME =
  /((?:\.\.\/)+cdn\/[A-Za-z0-9_-]{22}\/main\/)([A-Za-z0-9_-]{22})\/seg_(\d+)(?:\.(\d+))?\.(m4v|mp4)/g;

function benchOf(lifeMs = LIFE_MS, rendition: RenditionName = 'main', camera = CAMERA): LiveWindowBench {
  const shared = { signer: KEY.signerOf(camera, rendition), lifeMs };
  return new LiveWindowBench({}, UNUSED, false, null, shared);
}

/** Two seconds of a camera. */
function segment(bench: LiveWindowBench, times = 1): LiveWindowBench {
  for (let i = 0; i < times; i++) {
    bench.clock.advance(2_000);
    bench.segment();
  }
  return bench;
}

/** Signatures by the number of their segment; fails if a segment has several. */
function signaturesIn(text: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const [, , signature, msn] of text.matchAll(SHARED_NAME)) {
    expect(found.get(Number(msn)) ?? signature).toBe(signature);
    found.set(Number(msn), signature!);
  }
  return found;
}

describe('a playlist with shared paths', () => {
  it('is the other one but for where segments and parts are', () => {
    const bench = segment(benchOf(), 9).part({ isSegmentStart: true });
    for (const query of [{}, { skip: true }, { extension: 'mp4' }] as const) {
      const text = bench.text({ ...query, ...SHARED });
      expect(text).not.toBe(bench.text(query));
      expect(
        text.replaceAll(SHARED_NAME, (_all, _folder, _signature, msn, part, extension) => {
          return `seg_${msn}${part === undefined ? '' : `.${part}`}.${extension}`;
        }),
      ).toBe(bench.text(query));
    }
    const text = bench.text(SHARED);
    expect(text).toContain(`\n../../cdn/${CAMERA}/main/`);
    expect(text).toContain('#EXT-X-MAP:URI="seg_init.mp4"');
    expect(text).toMatch(/PRELOAD-HINT:TYPE=PART,URI="\.\.\/\.\.\/cdn\/\S+\/seg_9\.1\.m4v"/);
  });

  it('is rendered once for all', () => {
    const bench = segment(benchOf(), 3);
    const query = { msn: -1, part: -1, skip: false };
    const text = bench.window.playlist({ ...query, ...SHARED });
    expect(bench.window.playlist({ ...query, ...SHARED })).toBe(text);
    expect(bench.window.playlist(query)).not.toBe(text);
    segment(bench);
    expect(bench.window.playlist({ ...query, ...SHARED })).not.toBe(text);
  });

  it('is that of the viewer where no paths are shared', () => {
    const bench = new LiveWindowBench().segments(3);
    expect(bench.text(SHARED)).toBe(bench.text());
  });

  it.each([
    ['sub', '../../../cdn/'],
    ['h264-silent', '../../../cdn/'],
    ['main-silent', '../../cdn/'],
  ] as const)('of %s leads out of its folder', (rendition, folder) => {
    const text = segment(benchOf(LIFE_MS, rendition)).text(SHARED);
    expect(text).toContain(`\n${folder}${CAMERA}/${rendition}/`);
  });

  it('never changes the name of a segment that it lists, whatever the time', () => {
    const bench = segment(benchOf(), 2);
    const seen = new Map<number, string>();
    for (let i = 0; i < 60; i++) {
      bench.clock.advance(333);
      bench.part({ durationTicks: 30_000, isSegmentStart: i % 6 === 0, isSegmentEnd: i % 6 === 5 });
      for (const [msn, signature] of signaturesIn(bench.text(SHARED))) {
        expect(seen.get(msn) ?? signature).toBe(signature);
        seen.set(msn, signature);
      }
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(new Set(seen.values()).size).toBe(seen.size);
  });

  it('lists no segment whose path ends soon, and counts on', () => {
    const bench = segment(benchOf(), 8);
    const before = [...signaturesIn(bench.text(SHARED)).keys()];
    // The camera sends nothing for a while; the next frame belongs to the same timeline.
    bench.clock.advance(12_000);
    bench.part({ isSegmentStart: true });
    const text = bench.text(SHARED);
    const listed = [...signaturesIn(text).keys()];
    expect(Math.min(...listed)).toBeGreaterThan(Math.min(...before));
    expect(text).toContain(`#EXT-X-MEDIA-SEQUENCE:${Math.min(...listed)}\n`);
    for (const [msn, signature] of signaturesIn(text)) {
      expect(bench.window.sharedForMs(msn, signature)).toBeGreaterThanOrEqual(MIN_LISTED_LIFE_MS);
    }
    // A viewer with a private path still gets them all.
    expect(bench.text()).toContain(`#EXT-X-MEDIA-SEQUENCE:${Math.min(...before)}\n`);
  });

  it('goes on with the viewer’s own paths when segments get too long', () => {
    const bench = segment(benchOf(neededLifeMs(2)), 3);
    expect(signaturesIn(bench.text(SHARED)).size).toBe(4);
    // Six seconds: a playlist of three such segments would outlive its paths.
    bench.clock.advance(6_000);
    bench.segment(18);
    segment(bench, 2);
    const text = bench.text(SHARED);
    expect(text).toMatch(/\nseg_4\.m4v\n/);
    expect(text).toMatch(/\nseg_5\.m4v\n/);
    expect(bench.window.sharedForMs(5, 'anything')).toBe(0);
  });
});

describe('a shared path', () => {
  it('lives for one rotation from when it could first be known', () => {
    const bench = segment(benchOf(), 2);
    const { clock, window } = bench;
    const signature = signaturesIn(bench.text(SHARED)).get(2)!;
    // Hinted now; it begins, and ends, later.
    clock.advance(1_000);
    bench.part({ isSegmentStart: true });
    clock.advance(LIFE_MS - 1_001);
    expect(window.sharedForMs(2, signature)).toBe(1);
    clock.advance(1);
    expect(window.sharedForMs(2, signature)).toBe(0);
  });

  it('says nothing about the next ones, about other renditions and other cameras', () => {
    const bench = segment(benchOf(), 4).part({ isSegmentStart: true });
    const known = signaturesIn(bench.text(SHARED));
    segment(bench, 3);
    for (const signature of known.values()) {
      expect([5, 6, 7].map((msn) => bench.window.sharedForMs(msn, signature))).toEqual([0, 0, 0]);
    }
    const others = [
      benchOf(LIFE_MS, 'main-silent'),
      benchOf(LIFE_MS, 'main', 'BAAAAAAAAAAAAAAAAAAAAQ' as Ruuid),
    ];
    for (const other of others) {
      segment(other, 7);
      for (const [msn, signature] of known) expect(other.window.sharedForMs(msn, signature)).toBe(0);
    }
  });

  it('that was hinted before a discontinuity leads nowhere', () => {
    const bench = segment(benchOf(), 2);
    const hinted = signaturesIn(bench.text(SHARED)).get(2)!;
    bench.clock.advance(3_600_000);
    bench.segment(6, { hasDiscontinuity: true });
    expect(bench.window.sharedForMs(2, hinted)).toBe(0);
    const signature = signaturesIn(bench.text(SHARED)).get(2)!;
    expect(signature).not.toBe(hinted);
    expect(bench.window.sharedForMs(2, signature)).toBe(LIFE_MS);
  });

  it('is the same on every gateway with the same key', () => {
    const texts = [segment(benchOf(), 5), segment(benchOf(), 5)].map((bench) => bench.text(SHARED));
    expect(texts[0]).toBe(texts[1]);
    const other = new PathKey(Buffer.alloc(32, 8)).signerOf(CAMERA, 'main');
    expect(other.sign(3, 0)).not.toBe(KEY.signerOf(CAMERA, 'main').sign(3, 0));
  });

  it.each(['', 'a', 'Ł', ' '.repeat(22), '\0'.repeat(22)])('is never opened by %j', (signature) => {
    const bench = segment(benchOf(), 2);
    for (const msn of [-1, 0, 1, 2, 3, Number.NaN, 1e15]) {
      expect(bench.window.sharedForMs(msn, signature)).toBe(0);
    }
  });

  it('needs a key of its own', () => {
    expect(() => new PathKey(Buffer.alloc(31))).toThrow(RangeError);
  });
});
