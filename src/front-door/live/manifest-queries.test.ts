import { describe, expect, it } from 'vitest';
import { type Period, renderManifest, type VideoRepresentation } from '../../dash/manifest.ts';
import type { PlaylistText } from '../../stream/media/live-media.ts';
import { RenderedPlaylist } from '../../stream/media/rendered-playlist.ts';
import { ManifestQueries } from './manifest-queries.ts';

const SIZES = [
  ['main', 1_920, 1_080],
  ['sub', 640, 360],
] as const;

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

describe('a manifest', () => {
  const base = {
    codecs: 'avc1.64001f',
    bandwidthBitsPerSec: 1,
    timescaleHz: 90_000,
    presentationTimeOffsetTicks: 0,
    initialization: 'i',
    media: 'm',
    availabilityTimeOffsetSec: null,
    segments: [{ number: 1, startTicks: 0, durationTicks: 180_000 }],
  };
  const streams = SIZES.map(
    ([id, widthPx, heightPx]) => ({ ...base, id, widthPx, heightPx, frameRateHz: 25 }) as VideoRepresentation,
  );
  const period = (id: string, video: readonly VideoRepresentation[]): Period => ({
    id,
    startMs: 0,
    durationMs: null,
    video,
    audio: [{ ...base, id: 'audio', codecs: 'mp4a.40.2', sampleRateHz: 48_000, channelCount: 1 }],
  });
  const rendered = (periods: readonly Period[]) =>
    renderManifest({
      presentation: {
        kind: 'live',
        publishEpochMs: 0,
        minimumUpdateMs: 1_000,
        timeShiftBufferMs: 10_000,
        suggestedDelayMs: 4_000,
        latency: null,
        timeUri: 'time',
      },
      maxSegmentMs: 2_000,
      periods,
    });
  /** The camera had no substream at first. */
  const whole = new RenderedPlaylist(rendered([period('p0', streams.slice(0, 1)), period('p1', streams)]));
  const requests = new ManifestQueries();
  const within = (manifest: PlaylistText, maxHeightPx: number | null) =>
    requests.of(manifest, { maxHeightPx, video: 'all' });

  it.each(CASES)('within %s px has %j and the audio, and each Period has video', (maxHeightPx, left) => {
    const kept = streams.filter(({ id }) => left.includes(id));
    expect(within(whole, maxHeightPx)?.text).toBe(
      rendered([period('p0', streams.slice(0, 1)), period('p1', kept)]),
    );
  });

  it('is one object for all who ask for the same streams, whatever height they name', () => {
    expect(within(whole, 2_000)).toBe(whole);
    expect(within(whole, 360)).toBe(within(whole, 480));
    expect(within(new RenderedPlaylist(whole.text), 360)).not.toBe(within(whole, 360));
  });

  describe('of streams in two codecs', () => {
    const main = { ...streams[0]!, codecs: 'hvc1.1.6.L93.B0' };
    const others = streams.slice(1);
    const mixed = new RenderedPlaylist(rendered([period('p0', [main, ...others])]));

    it('has only H.264 for those who ask for it', () => {
      const wanted = requests.of(mixed, { maxHeightPx: null, video: 'h264' });
      expect(idsOf(wanted)).toEqual([...others.map(({ id }) => id), 'audio']);
      expect(requests.of(mixed, { maxHeightPx: null, video: 'h264' })).toBe(wanted);
      expect(requests.of(whole, { maxHeightPx: null, video: 'h264' })).toBe(whole);
    });

    it('is none for them if all of it is something else', () => {
      const only = new RenderedPlaylist(rendered([period('p0', [main])]));
      expect(requests.of(only, { maxHeightPx: null, video: 'h264' })).toBeNull();
    });

    it('has the lowest stream of any codec for those whose height is below all', () => {
      expect(idsOf(within(mixed, 1))).toEqual([streams.at(-1)!.id, 'audio']);
    });
  });
});

function idsOf(manifest: PlaylistText | null): string[] {
  return [...(manifest?.text ?? '').matchAll(/<Representation id="(\w+)"/g)].map(([, id]) => id!);
}
