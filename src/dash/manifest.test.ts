import { describe, expect, it } from 'vitest';
import {
  type AudioRepresentation,
  frameRateText,
  type LivePresentation,
  type Period,
  renderManifest,
  type VideoRepresentation,
} from './manifest.ts';
import { renderSegmentTimeline } from './segment-timeline.ts';

function timeline(...spans: [startTicks: number, durationTicks: number][]) {
  return spans.map(([startTicks, durationTicks], index) => ({
    number: 7 + index,
    startTicks,
    durationTicks,
  }));
}

describe('renderSegmentTimeline', () => {
  it('joins equal segments, and says the start only where one does not follow from the one before', () => {
    const segments = timeline([100, 20], [120, 20], [140, 20], [160, 31], [191, 20], [300, 20]);
    expect(renderSegmentTimeline(segments)).toBe(
      '<SegmentTimeline><S t="100" d="20" r="2"/><S d="31"/><S d="20"/><S t="300" d="20"/></SegmentTimeline>',
    );
  });

  it('never has a duration of zero, and counts such a segment', () => {
    expect(renderSegmentTimeline(timeline([5, 0], [5, 0], [5, 10]))).toBe(
      '<SegmentTimeline><S t="5" d="1"/><S t="5" d="1"/><S t="5" d="10"/></SegmentTimeline>',
    );
  });
});

describe('frameRateText', () => {
  it.each([
    [25, '25'],
    [24.996, '25'],
    [29.97, '30000/1001'],
    [12.5, '12500/1000'],
    [0.1, '100/1000'],
  ])('%d', (hz, text) => {
    expect(frameRateText(hz)).toBe(text);
  });
});

const VIDEO: VideoRepresentation = {
  id: 'main',
  codecs: 'avc1.64001f',
  bandwidthBitsPerSec: 4_000_000.4,
  timescaleHz: 90_000,
  presentationTimeOffsetTicks: 180_000,
  initialization: 'video/seg_init.mp4',
  media: 'video/seg_$Number$.m4v',
  segments: timeline([180_000, 180_000], [360_000, 180_000]),
  availabilityTimeOffsetSec: null,
  widthPx: 1_920,
  heightPx: 1_080,
  frameRateHz: 25,
};
const AUDIO: AudioRepresentation = {
  ...VIDEO,
  id: 'audio',
  codecs: 'mp4a.40.2',
  timescaleHz: 48_000,
  presentationTimeOffsetTicks: 96_000,
  initialization: 'audio/seg_init.mp4',
  media: 'audio/seg_$Number$.m4a',
  segments: timeline([96_256, 96_256], [192_512, 95_232]),
  sampleRateHz: 48_000,
  channelCount: 2,
};
const EPOCH_MS = Date.UTC(2026, 0, 1);
const PERIOD: Period = { id: 'p1', startMs: EPOCH_MS, durationMs: null, video: [VIDEO], audio: [AUDIO] };
const LIVE: LivePresentation = {
  kind: 'live',
  publishEpochMs: EPOCH_MS + 4_000,
  minimumUpdateMs: 1_000,
  timeShiftBufferMs: 4_000,
  suggestedDelayMs: 6_000,
  latency: null,
  timeUri: 'time',
};

describe('renderManifest', () => {
  it('of a live camera', () => {
    const text = renderManifest({ presentation: LIVE, maxSegmentMs: 2_000, periods: [PERIOD] });
    expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic" availabilityStartTime="1970-01-01T00:00:00Z" publishTime="2026-01-01T00:00:04.000Z" minimumUpdatePeriod="PT1S" timeShiftBufferDepth="PT4S" suggestedPresentationDelay="PT6S" minBufferTime="PT1S" maxSegmentDuration="PT2S">
<Period id="p1" start="PT1767225600S">
<AdaptationSet id="0" contentType="video" mimeType="video/mp4" startWithSAP="1">
<Representation id="main" codecs="avc1.64001f" bandwidth="4000001" width="1920" height="1080" frameRate="25"><SegmentTemplate timescale="90000" presentationTimeOffset="180000" startNumber="7" initialization="video/seg_init.mp4" media="video/seg_$Number$.m4v"><SegmentTimeline><S t="180000" d="180000" r="1"/></SegmentTimeline></SegmentTemplate></Representation>
</AdaptationSet>
<AdaptationSet id="1" contentType="audio" mimeType="audio/mp4" startWithSAP="1">
<Representation id="audio" codecs="mp4a.40.2" bandwidth="4000001" audioSamplingRate="48000"><AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/><SegmentTemplate timescale="48000" presentationTimeOffset="96000" startNumber="7" initialization="audio/seg_init.mp4" media="audio/seg_$Number$.m4a"><SegmentTimeline><S t="96256" d="96256"/><S d="95232"/></SegmentTimeline></SegmentTemplate></Representation>
</AdaptationSet>
</Period>
<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-xsdate:2014" value="time"/>
</MPD>
`);
  });

  it('has a set of its own for each codec of the video', () => {
    const sub = { ...VIDEO, id: 'sub', codecs: 'avc1.42c01e' };
    const tiny = { ...VIDEO, id: 'tiny', codecs: 'avc1.42c00d' };
    const periods = [{ ...PERIOD, video: [{ ...VIDEO, codecs: 'hvc1.1.6.L93.B0' }, sub, tiny] }];
    const text = renderManifest({ presentation: LIVE, maxSegmentMs: 2_000, periods });
    const sets = text.split('<AdaptationSet ').slice(1);
    expect(sets.map((set) => /^id="(\d)"/.exec(set)?.[1])).toEqual(['0', '2', '1']);
    const ids = sets.map((set) => [...set.matchAll(/<Representation id="(\w+)"/g)].map(([, id]) => id));
    expect(ids).toEqual([['main'], ['sub', 'tiny'], ['audio']]);
  });

  it('says what low latency needs', () => {
    const latency = { targetMs: 2_500, minMs: 1_500, maxMs: 6_000, isCaughtUp: true };
    const video = { ...VIDEO, availabilityTimeOffsetSec: 1.4 };
    const periods = [{ ...PERIOD, durationMs: 4_000, video: [video], audio: [] }];
    const text = renderManifest({ presentation: { ...LIVE, latency }, maxSegmentMs: 2_000, periods });
    expect(text).toContain(
      '<ServiceDescription id="0"><Latency target="2500" min="1500" max="6000"/><PlaybackRate min="0.95" max="1.05"/></ServiceDescription>\n<Period',
    );
    expect(text).toContain(' availabilityTimeOffset="1.400" availabilityTimeComplete="false">');
    expect(text).toContain('<Period id="p1" start="PT1767225600S" duration="PT4S">');
    expect(text).not.toContain('contentType="audio"');
  });

  it('of a recording has all of it from the start', () => {
    const periods = [
      { ...PERIOD, startMs: 0 },
      { ...PERIOD, id: 'p2', startMs: 4_000.0333 },
    ];
    const text = renderManifest({
      presentation: { kind: 'recorded', durationMs: 8_000 },
      maxSegmentMs: 2_000,
      periods,
    });
    expect(text).toContain(' type="static" mediaPresentationDuration="PT8S" minBufferTime="PT1S"');
    expect(text).toContain('<Period id="p1" start="PT0S">');
    expect(text).toContain('<Period id="p2" start="PT4.000033S">');
    expect(text).not.toMatch(/UTCTiming|availability|minimumUpdatePeriod|timeShift/);
  });
});
