import { describe, expect, it } from 'vitest';
import { type MediaPlaylist, renderMediaPlaylist } from './media-playlist.ts';
import { renderMultivariantPlaylist } from './multivariant-playlist.ts';
import { SegmentText } from './segment-text.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);
const TIMESCALE_HZ = 90_000;

/** Segments 5, 6, … of two seconds in two parts; the last is open with one part. */
function segments(heads: readonly { initUri: string; hasDiscontinuity: boolean }[]): SegmentText[] {
  return heads.map((head, index) => {
    const text = new SegmentText({ ...head, msn: 5 + index, epochMs: EPOCH_MS + index * 2_000 });
    text.addPart(90_000, TIMESCALE_HZ, true);
    if (index === heads.length - 1) return text;
    text.addPart(90_000, TIMESCALE_HZ, false);
    text.end(180_000, TIMESCALE_HZ);
    return text;
  });
}

const SAME = { initUri: 'seg_init.mp4', hasDiscontinuity: false };
const CHANGED = { initUri: 'seg_init_0a0b0c0d.mp4', hasDiscontinuity: true };

function playlistOf(texts: readonly SegmentText[]): MediaPlaylist {
  return {
    targetDurationSec: 2,
    partTargetMs: 346,
    discontinuitySequence: 3,
    segments: texts,
    firstWithParts: texts.length - 2,
    hint: { msn: 4 + texts.length, part: 1 },
  };
}

describe('renderMediaPlaylist', () => {
  it('has a gap before the first segment until that is complete, so that players find a segment at all', () => {
    const text = renderMediaPlaylist(playlistOf(segments([SAME])), 0);
    expect(text.slice(text.indexOf('#EXT-X-MEDIA-SEQUENCE'))).toBe(`#EXT-X-MEDIA-SEQUENCE:4
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-START:TIME-OFFSET=1.730
#EXT-X-PART:DURATION=0.346,URI="seg_4.0.m4v",GAP=YES
#EXT-X-PART:DURATION=0.346,URI="seg_4.1.m4v",GAP=YES
#EXT-X-PART:DURATION=0.346,URI="seg_4.2.m4v",GAP=YES
#EXT-X-PART:DURATION=0.346,URI="seg_4.3.m4v",GAP=YES
#EXT-X-PART:DURATION=0.346,URI="seg_4.4.m4v",GAP=YES
#EXT-X-GAP
#EXTINF:1.730,
seg_4.m4v
#EXT-X-MAP:URI="seg_init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
#EXT-X-PART:DURATION=1.000000,URI="seg_5.0.m4v",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="seg_5.1.m4v"
`);
    expect(renderMediaPlaylist(playlistOf(segments([SAME, SAME])), 0)).not.toContain('GAP');
  });

  it('has a gap of one part no longer than the target when a frame is longer', () => {
    const playlist = { ...playlistOf(segments([SAME])), partTargetMs: 4_325 };
    expect(renderMediaPlaylist(playlist, 0)).toContain(`#EXT-X-START:TIME-OFFSET=2.000
#EXT-X-PART:DURATION=2.000,URI="seg_4.0.m4v",GAP=YES
#EXT-X-GAP
#EXTINF:2.000,
`);
  });

  it('renders a full playlist', () => {
    expect(renderMediaPlaylist(playlistOf(segments([SAME, SAME, CHANGED])), 0)).toBe(`#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.038,CAN-SKIP-UNTIL=12.000,HOLD-BACK=6.000
#EXT-X-PART-INF:PART-TARGET=0.346
#EXT-X-MEDIA-SEQUENCE:5
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="seg_init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z
#EXTINF:2.000000,
seg_5.m4v
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:02.000Z
#EXT-X-PART:DURATION=1.000000,URI="seg_6.0.m4v",INDEPENDENT=YES
#EXT-X-PART:DURATION=1.000000,URI="seg_6.1.m4v"
#EXTINF:2.000000,
seg_6.m4v
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="seg_init_0a0b0c0d.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:04.000Z
#EXT-X-PART:DURATION=1.000000,URI="seg_7.0.m4v",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="seg_7.1.m4v"
`);
  });

  it('leaves out skipped segments, and the map that still applies', () => {
    const text = renderMediaPlaylist(playlistOf(segments([SAME, SAME, SAME, SAME])), 2);
    expect(text).toContain('#EXT-X-MEDIA-SEQUENCE:5\n');
    expect(text).toContain('#EXT-X-SKIP:SKIPPED-SEGMENTS=2\n');
    expect(text).not.toContain('#EXT-X-MAP');
    expect(text).not.toContain('seg_6.m4v');
    expect(text).toContain('seg_7.m4v');
  });

  it('keeps a map that changed after the skipped segments', () => {
    const text = renderMediaPlaylist(playlistOf(segments([SAME, SAME, CHANGED, SAME])), 2);
    expect(text.match(/#EXT-X-MAP:URI="[^"]+"/g)).toEqual([
      '#EXT-X-MAP:URI="seg_init_0a0b0c0d.mp4"',
      '#EXT-X-MAP:URI="seg_init.mp4"',
    ]);
  });
});

describe('renderMultivariantPlaylist', () => {
  it('states measured values, in whole bits', () => {
    const variant = {
      uri: 'x/file.m3u8',
      peakBitsPerSec: 4_200_000.2,
      averageBitsPerSec: 4_000_000,
      codecs: ['avc1.64001f', 'mp4a.40.2'],
      widthPx: 1_920,
      heightPx: 1_080,
      frameRateHz: 25,
    };
    expect(renderMultivariantPlaylist([variant, { ...variant, uri: 'sub', frameRateHz: null }])).toBe(`#EXTM3U
#EXT-X-VERSION:9
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=4200001,AVERAGE-BANDWIDTH=4000000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=25.000
x/file.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=4200001,AVERAGE-BANDWIDTH=4000000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1920x1080
sub
`);
  });
});
