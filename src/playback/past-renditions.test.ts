/** A range of which both streams are recorded, as players of HLS and DASH get it. */

import { describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { OTHER_VIDEO } from '../recording/recording-fixture.ts';
import { FakePastMedia } from './fake-past-media.ts';
import { PastPlayback } from './past-playback.ts';
import type { PastTimeline, TimeSpan } from './past-timeline.ts';
import type { PastVariants } from './past-variants.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const CAMERA = newRuuid();
const ALL: readonly TimeSpan[] = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];
const ANY: PastVariants = { hasAudio: true, video: 'all', maxHeightPx: null, folder: '' };
const MAIN_VIDEO = { ...FAKE_VIDEO, widthPx: 1_920, heightPx: 1_080 };
const SUB_VIDEO = { ...OTHER_VIDEO, widthPx: 640, heightPx: 360 };

function open({ afterMs = 600_000, hasSubAudio = true } = {}) {
  const clock = new FakeClock(START_MS + afterMs);
  const media = new FakePastMedia(MAIN_VIDEO, true, 'c/main/');
  const sub = new FakePastMedia(SUB_VIDEO, hasSubAudio, 'c/sub/');
  media.sub = sub;
  const playback = new PastPlayback({ media, clock });
  const timeline = (fromMs: number, toMs: number) =>
    playback.timeline(CAMERA, { fromMs: START_MS + fromMs, toMs: START_MS + toMs });
  const marks = async (of: PastTimeline | null, spans = ALL) =>
    (await playback.playlist(of!, spans, 'm4v'))
      .split('\n')
      .filter((line) => /^(seg_|#EXT-X-(?:DISC|TARGET))/.test(line))
      .join(' ');
  return { clock, media, sub, playback, timeline, marks };
}

describe('a Multivariant Playlist of the past', () => {
  it('lists both streams, the main stream first', async () => {
    const { media, sub, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    sub.recordRun(START_MS - 500, 4);
    expect(await playback.multivariant(await timeline(0, 6_000), ALL, ANY)).toBe(`#EXTM3U
#EXT-X-VERSION:9
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=4000,AVERAGE-BANDWIDTH=4000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=1920x1080
stream.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=4000,AVERAGE-BANDWIDTH=4000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360
sub/stream.m3u8
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=4000,CODECS="avc1.64001e",RESOLUTION=1920x1080,URI="key-frames.m3u8"
`);
  });

  it.each([
    [{ video: 'main' }, ['stream.m3u8']],
    [{ video: 'sub' }, ['sub/stream.m3u8']],
    [{ video: 'h264' }, ['stream.m3u8', 'sub/stream.m3u8']],
    [{ maxHeightPx: 720 }, ['sub/stream.m3u8']],
    [{ maxHeightPx: 200 }, ['sub/stream.m3u8']],
    [{ maxHeightPx: 1_080 }, ['stream.m3u8', 'sub/stream.m3u8']],
    [{ folder: '../x/' }, ['../x/stream.m3u8', '../x/sub/stream.m3u8']],
  ] as const)('lists for %j', async (wanted, expected) => {
    const { media, sub, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    sub.recordRun(START_MS, 3);
    const text = await playback.multivariant(await timeline(0, 6_000), ALL, { ...ANY, ...wanted });
    expect(text.match(/^[^#].*$/gm)).toEqual(expected);
  });

  it('leaves out a substream that is not recorded, or that lacks the audio of the main stream', async () => {
    const silent = open({ hasSubAudio: false });
    silent.media.recordRun(START_MS, 3);
    silent.sub.recordRun(START_MS, 3);
    const variantsOf = async ({ playback, timeline }: typeof silent, hasAudio = true) =>
      (await playback.multivariant(await timeline(0, 6_000), ALL, { ...ANY, hasAudio })).match(/^[^#].*$/gm);
    expect(await variantsOf(silent)).toEqual(['stream.m3u8']);
    expect(await variantsOf(silent, false)).toEqual(['stream.m3u8', 'sub/stream.m3u8']);
    const alone = open();
    alone.media.recordRun(START_MS, 3);
    expect(await variantsOf(alone)).toEqual(['stream.m3u8']);
    expect((await alone.timeline(0, 6_000)).sub).toBeNull();
  });

  it.each([
    [1_080, 'main'],
    [720, 'sub'],
    [360, 'sub'],
    [100, 'sub'],
  ])('for a height of %i, the %s stream is enough', async (heightPx, expected) => {
    const { media, sub, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    sub.recordRun(START_MS, 3);
    expect(await playback.streamWithin(await timeline(0, 6_000), ALL, heightPx)).toBe(expected);
  });
});

describe('the playlists of two streams', () => {
  it('have numbers of their own, and the same target duration', async () => {
    const { media, sub, timeline, marks } = open();
    media.recordRun(START_MS, 2);
    sub.record({ epochMs: START_MS, durationMs: 4_000, isDiscontinuity: true });
    const known = await timeline(0, 4_000);
    expect(await marks(known)).toBe('#EXT-X-TARGETDURATION:4 seg_1.m4v seg_2.m4v');
    expect(await marks(known.sub)).toBe('#EXT-X-TARGETDURATION:4 seg_1.m4v');
  });

  it('count discontinuities together, so that the same number is the same time', async () => {
    const { media, sub, timeline, marks } = open();
    media.recordRun(START_MS, 2);
    // The substream reconnects, and then the camera restarts.
    media.recordRun(START_MS + 10_000, 2);
    sub.recordRun(START_MS, 1);
    sub.recordRun(START_MS + 2_500, 1);
    sub.recordRun(START_MS + 11_000, 1);
    const known = await timeline(0, 20_000);
    expect(await marks(known)).toBe(
      '#EXT-X-TARGETDURATION:3 seg_1.m4v seg_2.m4v #EXT-X-DISCONTINUITY #EXT-X-DISCONTINUITY seg_3.m4v #EXT-X-DISCONTINUITY seg_4.m4v',
    );
    expect(await marks(known.sub)).toBe(
      '#EXT-X-TARGETDURATION:3 seg_1.m4v #EXT-X-DISCONTINUITY seg_2.m4v #EXT-X-DISCONTINUITY #EXT-X-DISCONTINUITY seg_3.m4v',
    );
    const later: readonly TimeSpan[] = [{ fromMs: START_MS + 9_000, toMs: START_MS + 30_000 }];
    expect(await marks(known, later)).toBe(
      '#EXT-X-TARGETDURATION:2 #EXT-X-DISCONTINUITY-SEQUENCE:2 seg_3.m4v #EXT-X-DISCONTINUITY seg_4.m4v',
    );
    expect(await marks(known.sub, later)).toBe(
      '#EXT-X-TARGETDURATION:2 #EXT-X-DISCONTINUITY-SEQUENCE:3 seg_3.m4v',
    );
  });

  it('take as much time for a gap that only one of them has', async () => {
    const { media, sub, playback, timeline } = open();
    // Both end and begin at other times, and the substream has a gap of its own.
    media.recordRun(START_MS, 3);
    media.recordRun(START_MS + 20_000, 3);
    sub.recordRun(START_MS, 1);
    sub.recordRun(START_MS + 3_500, 2);
    sub.recordRun(START_MS + 21_000, 2);
    const known = await timeline(0, 30_000);
    const secondsOf = async (of: PastTimeline) =>
      [...(await playback.playlist(of, ALL, 'm4v')).matchAll(/^#EXTINF:([\d.]+),/gm)].map(([, sec]) =>
        Number(sec),
      );
    // From 6 s to 7.5 s, and from 20 s to 21 s.
    expect(await secondsOf(known)).toEqual([2, 2, 3.5, 2, 2, 2]);
    expect(await secondsOf(known.sub!)).toEqual([3.5, 2, 3, 2, 2]);
  });

  it('divide at times that a viewer may not see, both alike', async () => {
    const { media, sub, timeline, marks } = open();
    media.recordRun(START_MS, 5);
    sub.recordRun(START_MS + 500, 5);
    const spans = [
      { fromMs: START_MS, toMs: START_MS + 3_000 },
      { fromMs: START_MS + 5_000, toMs: START_MS + 20_000 },
    ];
    const known = await timeline(0, 10_000);
    expect(await marks(known, spans)).toMatch(/seg_1\.m4v #EXT-X-DISCONTINUITY seg_4\.m4v seg_5\.m4v$/);
    expect(await marks(known.sub, spans)).toMatch(/seg_1\.m4v #EXT-X-DISCONTINUITY seg_4\.m4v/);
  });

  it('only grow at their ends', async () => {
    const { clock, media, sub, playback, timeline } = open({ afterMs: 5_000 });
    media.recordRun(START_MS, 2);
    sub.recordRun(START_MS, 1);
    const range = () => timeline(0, 30_000);
    const before = [
      await playback.playlist(await range(), ALL, 'm4v'),
      await playback.playlist((await range()).sub!, ALL, 'm4v'),
    ];
    sub.recordRun(START_MS + 3_000, 2);
    media.record({ epochMs: START_MS + 4_000 });
    clock.advance(2_000);
    const after = [
      await playback.playlist(await range(), ALL, 'm4v'),
      await playback.playlist((await range()).sub!, ALL, 'm4v'),
    ];
    for (const [i, text] of before.entries()) expect(after[i]!.startsWith(text)).toBe(true);
    expect(after[0]).toContain('#EXT-X-DISCONTINUITY\n');
    expect(after[0]).not.toBe(before[0]);
  });

  it('are those of a substream that is recorded only from some time on', async () => {
    const { clock, media, sub, playback, timeline } = open({ afterMs: 5_000 });
    media.recordRun(START_MS, 2);
    expect((await timeline(0, 30_000)).sub).toBeNull();
    sub.recordRun(START_MS + 4_000, 1);
    media.record({ epochMs: START_MS + 4_000 });
    clock.advance(2_000);
    const known = await timeline(0, 30_000);
    expect(await playback.playlist(known.sub!, ALL, 'm4v')).toMatch(/seg_1\.m4v\n$/);
    expect(String((await playback.segment(known.sub!.segment(1)!, 'recorded'))?.bytes)).toContain(
      'c/sub/file-0@',
    );
  });
});

describe('a manifest of the past with two streams', () => {
  const RENDERED = { hasAudio: true, isH264: false } as const;
  const periodsOf = (text: string) =>
    [
      ...text.matchAll(/<Period id="t(\d+)" start="PT([\d.]+)S" duration="PT([\d.]+)S">(.*?)<\/Period>/gs),
    ].map(([, id, start, duration, rest]) => ({
      atMs: Number(id) - START_MS,
      start: Number(start),
      duration: Number(duration),
      ids: [...rest!.matchAll(/<Representation id="([^"]+)"/g)].map(([, name]) => name),
      rest: rest!,
    }));

  it('has both in each Period, each with its own timeline', async () => {
    const { media, sub, playback, timeline } = open();
    media.recordRun(START_MS, 4);
    sub.record({ epochMs: START_MS - 1_000, durationMs: 3_000, isDiscontinuity: true });
    sub.record({ epochMs: START_MS + 2_000, durationMs: 3_000 });
    sub.record({ epochMs: START_MS + 5_000, durationMs: 3_000 });
    const [period, ...others] = periodsOf(
      await playback.manifest(await timeline(500, 8_000), ALL, RENDERED, null),
    );
    expect(others).toEqual([]);
    expect(period).toMatchObject({
      atMs: 500,
      start: 0,
      duration: 7.5,
      ids: ['video', 'sub-video', 'audio'],
    });
    expect(period!.rest).toContain(
      'width="640" height="360"><SegmentTemplate timescale="90000" presentationTimeOffset="135000" startNumber="1"' +
        ' initialization="sub/video/seg_init.mp4" media="sub/video/seg_$Number$.m4v">' +
        '<SegmentTimeline><S t="0" d="270000" r="2"/></SegmentTimeline>',
    );
  });

  it('lists the substream only in Periods of which it has all', async () => {
    const { media, sub, playback, timeline } = open();
    media.recordRun(START_MS, 6);
    sub.recordRun(START_MS, 1);
    sub.recordRun(START_MS + 5_000, 4);
    const text = await playback.manifest(await timeline(0, 12_000), ALL, RENDERED, null);
    expect(periodsOf(text).map(({ atMs, duration, ids }) => [atMs, duration, ids.join(' ')])).toEqual([
      [0, 2, 'video sub-video audio'],
      [2_000, 4, 'video audio'],
      [6_000, 6, 'video sub-video audio'],
    ]);
    // At the edges of a range, segments of the main stream reach further.
    const cut = open();
    cut.media.recordRun(START_MS, 4);
    cut.sub.recordRun(START_MS + 1_500, 2);
    const whole = await cut.playback.manifest(await cut.timeline(1_800, 5_400), ALL, RENDERED, null);
    expect(periodsOf(whole).map(({ ids }) => ids.join(' '))).toEqual(['video sub-video audio']);
    const apart = open();
    apart.media.recordRun(START_MS, 20);
    apart.sub.recordRun(START_MS, 1);
    apart.sub.recordRun(START_MS + 30_000, 5);
    const periods = periodsOf(
      await apart.playback.manifest(await apart.timeline(0, 40_000), ALL, RENDERED, null),
    );
    expect(periods.map(({ atMs, ids }) => [atMs, ids.join(' ')])).toEqual([
      [0, 'video sub-video audio'],
      [2_000, 'video audio'],
      [30_000, 'video sub-video audio'],
    ]);
  });
});
