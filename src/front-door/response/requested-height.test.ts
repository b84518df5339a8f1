import { describe, expect, it } from 'vitest';
import { renderMultivariantPlaylist } from '../../hls/multivariant-playlist.ts';
import { heightQuery, requestedHeightPx, variantsWithin } from './requested-height.ts';

const SIZES = [
  ['main', 1_920, 1_080],
  ['sub', 640, 360],
] as const;

it.each([
  ['_ds=h480b480', 480],
  ['latency=low&_ds=h1080', 1_080],
  ['_ds=h240b240&_ds=h720b1000', 720],
  ['', null],
  ['_ds', null],
  ['_ds=', null],
  ['_ds=720', null],
  ['_ds=h', null],
  ['_ds=h-1', null],
  ['_ds=h999999', null],
  ['_ds=h480b480x', null],
  ['other_ds=h480', null],
])('%j asks for %s', (query, heightPx) => {
  expect(requestedHeightPx(query)).toBe(heightPx);
  expect(heightQuery(query)).toBe(heightPx === null ? '' : `_ds=h${heightPx}`);
  expect(requestedHeightPx(heightQuery(query))).toBe(heightPx);
});

/** Which streams are left, by their heights. */
const CASES: readonly [maxHeightPx: number | null, left: readonly string[]][] = [
  [null, ['main', 'sub']],
  [4_320, ['main', 'sub']],
  [1_080, ['main', 'sub']],
  [1_079, ['sub']],
  [360, ['sub']],
  [240, ['sub']],
  [0, ['sub']],
];

describe('a Multivariant Playlist', () => {
  const playlist = renderMultivariantPlaylist(
    SIZES.map(([uri, widthPx, heightPx]) => ({
      uri,
      widthPx,
      heightPx,
      peakBitsPerSec: 2,
      averageBitsPerSec: 1,
      codecs: ['avc1.64001f'],
      frameRateHz: 25,
    })),
  );

  it.each(CASES)('within %s px has %j', (maxHeightPx, left) => {
    const kept = renderMultivariantPlaylist(
      SIZES.filter(([uri]) => left.includes(uri)).map(([uri, widthPx, heightPx]) => ({
        uri,
        widthPx,
        heightPx,
        peakBitsPerSec: 2,
        averageBitsPerSec: 1,
        codecs: ['avc1.64001f'],
        frameRateHz: 25,
      })),
    );
    expect(variantsWithin(playlist, maxHeightPx)).toBe(kept);
  });
});
