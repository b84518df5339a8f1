import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { fixtureSegment } from '../isobmff/fragment-fixture.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { FakePastMedia } from './fake-past-media.ts';
import { PastPlayback } from './past-playback.ts';
import { parsePastRange } from './past-range.ts';
import type { TimeSpan } from './past-timeline.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const CAMERA = newRuuid();
const ALL: readonly TimeSpan[] = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];

/** `afterMs`: the clock, from START_MS. */
function open(afterMs = 600_000) {
  const clock = new FakeClock(START_MS + afterMs);
  const media = new FakePastMedia();
  const playback = new PastPlayback({ media, clock });
  const timeline = (fromMs: number, toMs: number) =>
    playback.timeline(CAMERA, { fromMs: START_MS + fromMs, toMs: START_MS + toMs });
  return { clock, media, playback, timeline };
}

describe('a playlist of the past', () => {
  it('lists the recorded segments from 1, with the date of each run', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 2);
    media.recordRun(START_MS + 60_000, 2);
    expect(await playback.playlist(await timeline(0, 120_000), ALL, 'm4v')).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:2
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MEDIA-SEQUENCE:1
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="seg_init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:00.000Z
#EXTINF:2.000000,
seg_1.m4v
#EXTINF:2.000000,
seg_2.m4v
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="seg_init_2.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:01:00.000Z
#EXTINF:2.000000,
seg_3.m4v
#EXTINF:2.000000,
seg_4.m4v
#EXT-X-ENDLIST
`);
  });

  it('stays in its run when the recording goes on in the next file, and begins anew where it does not', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 2);
    media.beginFile();
    media.record({ epochMs: START_MS + 4_000 });
    media.beginFile();
    media.recordRun(START_MS + 6_000, 1);
    const text = await playback.playlist(await timeline(0, 8_000), ALL, 'mp4');
    const marks = text.split('\n').filter((line) => /^(seg|#EXT-X-(MAP|DISC))/.test(line));
    expect(marks).toEqual([
      '#EXT-X-MAP:URI="seg_init.mp4"',
      'seg_1.mp4',
      'seg_2.mp4',
      'seg_3.mp4',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-MAP:URI="seg_init_2.mp4"',
      'seg_4.mp4',
    ]);
  });

  it('leaves out what its viewer may not see, whole segments, with the numbers of the others as they are', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 5);
    const spans = [
      { fromMs: START_MS, toMs: START_MS + 3_000 },
      { fromMs: START_MS + 5_000, toMs: START_MS + 11_000 },
    ];
    const text = await playback.playlist(await timeline(0, 10_000), spans, 'm4v');
    const marks = text.split('\n').filter((line) => /^(seg|#EXT-X-(PROG|DISC))/.test(line));
    expect(marks).toEqual([
      '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:00.000Z',
      'seg_1.m4v',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:06.000Z',
      'seg_4.m4v',
      'seg_5.m4v',
    ]);
    await expect(playback.playlist(await timeline(0, 10_000), [], 'm4v')).rejects.toMatchObject({
      code: 'PLAYBACK_NOTHING_RECORDED',
    });
  });

  it('says where its range begins within the first segment', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    const text = await playback.playlist(await timeline(2_500, 4_000), ALL, 'm4v');
    expect(text).toContain('#EXT-X-START:TIME-OFFSET=0.500,PRECISE=YES\n');
    expect(text.match(/^seg_\d+/gm)).toEqual(['seg_1']);
  });

  it('gives the date again where the wall clock has moved on from the durations', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 1);
    media.record({ epochMs: START_MS + 2_000 });
    media.record({ epochMs: START_MS + 4_002 });
    const text = await playback.playlist(await timeline(0, 6_000), ALL, 'm4v');
    expect(text.match(/T12:00:[\d.]+Z/g)).toEqual(['T12:00:00.000Z', 'T12:00:04.002Z']);
    expect(text).not.toContain('DISCONTINUITY');
  });

  it('grows at its end only until its range is full', async () => {
    const { clock, media, playback, timeline } = open(5_000);
    media.recordRun(START_MS, 2);
    const first = await playback.playlist(await timeline(0, 8_000), ALL, 'm4v');
    expect(first).toContain('#EXT-X-PLAYLIST-TYPE:EVENT\n');
    expect(first).toContain('#EXT-X-START:TIME-OFFSET=0.000,PRECISE=YES\n');
    expect(first).not.toContain('ENDLIST');
    media.beginFile();
    media.record({ epochMs: START_MS + 4_000 });
    // Deleted in the meantime; assigned numbers stay.
    media.deleteFile(0);
    clock.advance(2_000);
    const second = await playback.playlist(await timeline(0, 8_000), ALL, 'm4v');
    expect(second.startsWith(first)).toBe(true);
    expect(second.match(/^seg_\d+/gm)).toEqual(['seg_1', 'seg_2', 'seg_3']);
    media.record({ epochMs: START_MS + 6_000 });
    clock.advance(2_000);
    const third = await playback.playlist(await timeline(0, 8_000), ALL, 'm4v');
    expect(third).toContain('#EXT-X-PLAYLIST-TYPE:VOD\n');
    expect(third.match(/^seg_\d+|#EXT-X-ENDLIST/gm)?.slice(-2)).toEqual(['seg_4', '#EXT-X-ENDLIST']);
  });

  it('keeps its numbers until a clip is added to the past of the camera', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 2);
    expect((await timeline(0, 60_000)).segments.length).toBe(2);
    media.record({ epochMs: START_MS + 10_000, isDiscontinuity: true });
    expect((await timeline(0, 60_000)).segments.length).toBe(2);
    playback.clipAdded(newRuuid());
    expect((await timeline(0, 60_000)).segments.length).toBe(2);
    playback.clipAdded(CAMERA);
    expect((await timeline(0, 60_000)).segments.length).toBe(3);
  });

  it('ends when nothing can come anymore, though its range is not full', async () => {
    const { clock, media, playback, timeline } = open(5_000);
    media.recordRun(START_MS, 2);
    await playback.playlist(await timeline(0, 8_000), ALL, 'm4v');
    clock.advance(32_000);
    expect(await playback.playlist(await timeline(0, 8_000), ALL, 'm4v')).not.toContain('ENDLIST');
    clock.advance(2_000);
    expect(await playback.playlist(await timeline(0, 8_000), ALL, 'm4v')).toContain('ENDLIST');
  });
});

const periodsOf = (manifest: string) =>
  [...manifest.matchAll(/<Period id="(t\d+)" start="PT([\d.]+)S" duration="PT([\d.]+)S">/g)].map(
    ([, id, start, duration]) => [id, Number(start), Number(duration)],
  );

describe('a manifest of the past', () => {
  it('has a Period per run, at its wall time, with video and audio of their own', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 2);
    media.recordRun(START_MS + 60_000, 1);
    const text = await playback.manifest(
      await timeline(0, 120_000),
      ALL,
      { hasAudio: true, isH264: false },
      '../x/',
    );
    expect(text).toContain('type="static" mediaPresentationDuration="PT62S"');
    expect(text).toContain('<BaseURL>../x/</BaseURL>');
    expect(periodsOf(text)).toEqual([
      [`t${START_MS}`, 0, 4],
      [`t${START_MS + 60_000}`, 60, 2],
    ]);
    const timelineText = '<SegmentTimeline><S t="0" d="180000" r="1"/></SegmentTimeline>';
    for (const [track, extension] of [
      ['video', 'm4v'],
      ['audio', 'm4a'],
    ]) {
      expect(text).toContain(
        `startNumber="1" initialization="${track}/seg_init.mp4" media="${track}/seg_$Number$.${extension}">${timelineText}`,
      );
      expect(text).toContain(`startNumber="3" initialization="${track}/seg_init_2.mp4"`);
    }
    expect(text).toContain('codecs="avc1.64001e" bandwidth="4000" width="640" height="360"');
    expect(text).toContain('codecs="mp4a.40.2" bandwidth="2000" audioSamplingRate="48000"');
  });

  it('begins at the start that was asked for, also if nothing was recorded then', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS + 30_000, 2);
    media.recordRun(START_MS + 60_000, 1);
    const text = await playback.manifest(
      await timeline(0, 120_000),
      ALL,
      { hasAudio: true, isH264: false },
      null,
    );
    expect(periodsOf(text)).toEqual([
      [`t${START_MS + 30_000}`, 30, 4],
      [`t${START_MS + 60_000}`, 60, 2],
    ]);
    expect(text).toContain('mediaPresentationDuration="PT62S"');
  });

  it('is exactly its range, within the first and the last segment', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    const text = await playback.manifest(
      await timeline(500, 5_000),
      ALL,
      { hasAudio: false, isH264: false },
      null,
    );
    expect(periodsOf(text)).toEqual([[`t${START_MS + 500}`, 0, 4.5]]);
    expect(text).toContain('mediaPresentationDuration="PT4.5S"');
    expect(text).toContain('presentationTimeOffset="45000"');
    expect(text).not.toContain('audio');
  });

  it('ends with its range, also if the camera’s clock is a little faster than the wall clock', async () => {
    const { media, playback, timeline } = open();
    media.record({ epochMs: START_MS, isDiscontinuity: true });
    media.record({ epochMs: START_MS + 1_990 });
    media.record({ epochMs: START_MS + 3_980 });
    const text = await playback.manifest(
      await timeline(0, 5_000),
      ALL,
      { hasAudio: true, isH264: false },
      null,
    );
    expect(periodsOf(text)).toEqual([[`t${START_MS}`, 0, 5]]);
    expect(text).toContain('mediaPresentationDuration="PT5S"');
  });

  it('begins a Period where something is not shown, where the clock drifted, and after an overlap', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    media.record({ epochMs: START_MS + 7_500 });
    media.recordRun(START_MS + 8_500, 1);
    const spans = [
      { fromMs: START_MS, toMs: START_MS + 2_000 },
      { fromMs: START_MS + 4_000, toMs: START_MS + 20_000 },
    ];
    const text = await playback.manifest(
      await timeline(0, 20_000),
      spans,
      { hasAudio: true, isH264: false },
      null,
    );
    expect(periodsOf(text)).toEqual([
      [`t${START_MS}`, 0, 2],
      [`t${START_MS + 4_000}`, 4, 2],
      // The camera's clock is 1.5 s behind.
      [`t${START_MS + 7_500}`, 7.5, 2],
      // It says it began before the one before ended.
      [`t${START_MS + 8_500}`, 9.5, 2],
    ]);
    expect([...text.matchAll(/startNumber="(\d+)" initialization="video/g)].map(([, n]) => n)).toEqual([
      '1',
      '3',
      '4',
      '5',
    ]);
  });
});

it('a manifest of a range that was recorded is as long as the range, whatever the clock of the camera', async () => {
  const { media, playback, timeline } = open();
  // Wall times and ticks never agree exactly. Players cut 2.999957 s to 2 s.
  for (const [index, jitterMs] of [0, 0.043, -0.061].entries()) {
    media.record({ epochMs: START_MS - 500 + index * 2_000 + jitterMs });
  }
  for (const lastMs of [1_250, 3_000, 5_250]) {
    const text = await playback.manifest(
      await timeline(0, lastMs),
      ALL,
      { hasAudio: true, isH264: false },
      null,
    );
    expect(text).toContain(`mediaPresentationDuration="PT${lastMs / 1_000}S"`);
  }
});

it('a manifest of many runs is read from the disk once', async () => {
  const { media, playback, timeline } = open(10_000_000);
  for (let run = 0; run < 1_500; run++) {
    media.beginFile();
    media.recordRun(START_MS + run * 4_000, 1);
  }
  const known = await timeline(0, 9_000_000);
  const text = await playback.manifest(known, ALL, { hasAudio: true, isH264: false }, null);
  expect(media.reads).toHaveLength(3_000);
  expect(await playback.manifest(known, ALL, { hasAudio: true, isH264: false }, null)).toBe(text);
  expect(media.reads).toHaveLength(3_000);
});

it('a manifest of too many runs is refused', async () => {
  const { media, playback, timeline } = open(10_000_000);
  for (let run = 0; run <= 2_000; run++) media.recordRun(START_MS + run * 4_000, 1);
  const known = await timeline(0, 9_000_000);
  await expect(playback.manifest(known, ALL, { hasAudio: false, isH264: false }, null)).rejects.toMatchObject(
    {
      code: 'PLAYBACK_TOO_MANY_PERIODS',
    },
  );
  expect(media.reads).toEqual([]);
});

describe('segments of the past', () => {
  it('are read as recorded, or reduced to a track', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 1);
    const segment = (await timeline(0, 2_000)).segment(1)!;
    expect(String((await playback.segment(segment, 'recorded'))?.bytes)).toMatch(/^.{4}freefile-0@10000 /);
    expect(String((await playback.segment(segment, 'video'))?.bytes)).toMatch(
      /^.{4}freetrack 1 of file-0@10000 /,
    );
    expect(String((await playback.segment(segment, 'audio'))?.bytes)).toMatch(
      /^.{4}freetrack 2 of file-0@10000 /,
    );
    expect((await timeline(0, 2_000)).segment(2)).toBeNull();
  });

  it('begin at 0 for programs that join them, with gaps as they are, one frame of audio late', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 3);
    media.recordRun(START_MS + 60_000, 1);
    const known = await timeline(2_000, 62_000);
    const times: number[][] = [];
    for (const segment of known.segments) {
      const { startTicks } = segment.media;
      const recorded = fixtureSegment([
        [
          { trackId: 1, startTicks },
          // The audio begins before its video, by less than a frame.
          { trackId: 2, startTicks: Math.max(0, (startTicks * 48) / 90 - 500) },
        ],
      ]);
      media.lend = async () => ({ bytes: recorded, release: () => undefined });
      const joined = await playback.joinedSegment(known, segment, 'recorded');
      const read = new FragmentReader({
        onTracks: () => undefined,
        onSample: (index, dtsTicks) => times.push([index, dtsTicks]),
      });
      read.push((await playback.init(segment.run, 'recorded'))!);
      read.push(joined!.bytes);
    }
    const frameOfVideoTicks = (1_024 * 90) / 48;
    expect(times).toEqual([
      [0, frameOfVideoTicks],
      [1, 1_024 - 500],
      [0, 2 * 90_000 + frameOfVideoTicks],
      [1, 2 * 48_000 + 1_024 - 500],
      [0, 58 * 90_000 + frameOfVideoTicks],
      [1, 58 * 48_000 + 1_024],
    ]);
  });

  it('fail if retention deleted them, and its init segment is asked for again', async () => {
    const { media, playback, timeline } = open();
    media.recordRun(START_MS, 1);
    const known = await timeline(0, 2_000);
    media.deleteFile(0);
    await expect(playback.segment(known.segment(1)!, 'video')).rejects.toMatchObject({
      code: 'RECORDING_NOT_FOUND',
    });
    await expect(playback.init(known.run(1)!, 'video')).rejects.toMatchObject({
      code: 'RECORDING_NOT_FOUND',
    });
    expect(media.reads.length).toBe(2);
  });
});

describe('parsePastRange', () => {
  it('reads seconds with up to three decimals', () => {
    expect(parsePastRange('1767268800.125', '2.5', START_MS + 1_000)).toEqual({
      fromMs: 1_767_268_800_125,
      toMs: 1_767_268_802_625,
    });
  });

  it.each([
    ['-1', '5'],
    ['1e9', '5'],
    ['NaN', '5'],
    ['', '5'],
    ['5', '0'],
    ['5', '-5'],
    ['5', '86400.001'],
    ['5', 'Infinity'],
    ['5.1234', '5'],
    ['999999999999', '5'],
    [' 5', '5'],
  ])('refuses %o for %o', (start, duration) => {
    const attempt = () => parsePastRange(start, duration, START_MS);
    expect(attempt).toThrow(expect.objectContaining({ code: 'PLAYBACK_RANGE_INVALID' }));
  });

  it('refuses a range that begins in the future', () => {
    const attempt = () => parsePastRange(String(START_MS / 1_000 + 1), '5', START_MS);
    expect(attempt).toThrow(expect.objectContaining({ code: 'PLAYBACK_RANGE_AHEAD' }));
  });
});
