import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { FakePastMedia } from './fake-past-media.ts';
import { PastPlayback } from './past-playback.ts';
import type { TimeSpan } from './past-timeline.ts';
import { parseSheetName, SHEET_MS, sheetName } from './thumbnail-size.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const ALL: readonly TimeSpan[] = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];
const VARIANTS = { hasAudio: true, video: 'all', maxHeightPx: null, folder: 'past/' } as const;

/** `afterMs`: the clock, from START_MS. */
function open({ afterMs = 3_600_000, hasThumbnails = true } = {}) {
  const media = new FakePastMedia();
  const playback = new PastPlayback({ media, hasThumbnails, clock: new FakeClock(START_MS + afterMs) });
  const timeline = (fromMs: number, toMs: number) =>
    playback.timeline(newRuuid(), { fromMs: START_MS + fromMs, toMs: START_MS + toMs });
  return { media, playback, timeline };
}

describe('an image playlist', () => {
  it('has JPEGs of five minutes for each stretch, with the times of the segments', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 200);
    media.recordRun(START_MS + 600_000, 5);
    expect(await playback.thumbnailPlaylist(await timeline(0, 1_200_000), ALL)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:300
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MEDIA-SEQUENCE:1
#EXT-X-IMAGES-ONLY
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:00.000Z
#EXT-X-TILES:RESOLUTION=256x144,LAYOUT=5x6,DURATION=10.000
#EXTINF:300.000000,
thumbnails/${START_MS}_1.jpg
#EXT-X-TILES:RESOLUTION=256x144,LAYOUT=5x6,DURATION=10.000
#EXTINF:100.000000,
thumbnails/${START_MS}_2.jpg
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:10:00.000Z
#EXT-X-TILES:RESOLUTION=256x144,LAYOUT=5x6,DURATION=10.000
#EXTINF:10.000000,
thumbnails/${START_MS + 600_000}_1.jpg
#EXT-X-ENDLIST
`);
  });

  it('of a range that grows has what does not change', async () => {
    const { media, playback, timeline } = open({ afterMs: 400_000 });
    media.recordRun(START_MS, 200);
    const text = (await playback.thumbnailPlaylist(await timeline(0, 1_200_000), ALL))!;
    expect(text).toContain('#EXT-X-PLAYLIST-TYPE:EVENT');
    expect(text.match(/^thumbnails.*/gm)).toEqual([`thumbnails/${START_MS}_1.jpg`]);
    expect(text).not.toContain('ENDLIST');
  });

  it('is not there where recordings get no thumbnails', async () => {
    const { media, playback, timeline } = open({ hasThumbnails: false });
    media.recordRun(START_MS, 5);
    const known = await timeline(0, 60_000);
    expect(await playback.thumbnailPlaylist(known, ALL)).toBeNull();
    expect(await playback.multivariant(known, ALL, VARIANTS)).not.toContain('IMAGE-STREAM');
    expect(await playback.manifest(known, ALL, { hasAudio: true, isH264: false }, null)).not.toContain(
      'image',
    );
  });
});

describe('lists of the past', () => {
  it('name the playlists of thumbnails and of single frames', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 5);
    const text = await playback.multivariant(await timeline(0, 60_000), ALL, VARIANTS);
    expect(text).toMatch(
      /^#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=\d+,CODECS="avc1\.\w+",RESOLUTION=\d+x\d+,URI="past\/key-frames\.m3u8"$/m,
    );
    expect(text).toMatch(
      /^#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=\d+,CODECS="jpeg",RESOLUTION=256x144,URI="past\/thumbnails\.m3u8"$/m,
    );
  });

  it('have an image set in each Period, from its start', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 5);
    media.recordRun(START_MS + 60_000, 5);
    const text = await playback.manifest(
      await timeline(3_000, 120_000),
      ALL,
      { hasAudio: true, isH264: false },
      null,
    );
    expect(text.match(/media="thumbnails[^"]*"/g)).toEqual([
      `media="thumbnails/${START_MS + 3_000}_$Number$.jpg"`,
      `media="thumbnails/${START_MS + 60_000}_$Number$.jpg"`,
    ]);
    expect(text).toContain('<AdaptationSet id="9" contentType="image" mimeType="image/jpeg">\n');
    expect(text).toContain(
      '<EssentialProperty schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" value="5x6"/>' +
        '<SegmentTemplate timescale="1000" duration="300000" startNumber="1" ',
    );
  });
});

describe('names of sheets', () => {
  it('say when they begin', () => {
    expect(parseSheetName(sheetName(START_MS, 1))).toBe(START_MS);
    expect(parseSheetName(sheetName(START_MS, 3))).toBe(START_MS + 2 * SHEET_MS);
  });

  it.each([
    '',
    '1_1.jpg',
    `${START_MS}_0.jpg`,
    `${START_MS}_01.jpg`,
    `${START_MS}.5_1.jpg`,
    `0${START_MS}_1.jpg`,
  ])('are no others: %s', (name) => expect(parseSheetName(name)).toBeNull());
});
