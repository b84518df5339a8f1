import { describe, expect, it } from 'vitest';
import { type Period, renderManifest, type VideoRepresentation } from './manifest.ts';
import { scriptManifest } from './script-manifest.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);
const LIVE = {
  kind: 'live',
  publishEpochMs: EPOCH_MS,
  minimumUpdateMs: 1_000,
  timeShiftBufferMs: 4_000,
  suggestedDelayMs: 6_000,
  latency: null,
  timeUri: 'time',
} as const;

/** `folder`: of the stream; `init`: the name of its init segment. */
function stream(id: string, folder: string, more: Partial<VideoRepresentation> = {}): VideoRepresentation {
  return {
    id,
    codecs: 'avc1.64001f',
    bandwidthBitsPerSec: 1_000,
    timescaleHz: 90_000,
    presentationTimeOffsetTicks: 0,
    initialization: `${folder}/seg_init.mp4`,
    media: `${folder}/seg_$Number$.${id === 'audio' ? 'm4a' : 'm4v'}`,
    segments: [{ number: 41, startTicks: 0, durationTicks: 180_000 }],
    availabilityTimeOffsetSec: null,
    widthPx: 640,
    heightPx: 360,
    frameRateHz: 25,
    ...more,
  };
}

const MAIN = stream('main', 'video');
const SUB = stream('sub', 'sub/video');
const AUDIO = { ...stream('audio', 'audio'), codecs: 'mp4a.40.2', sampleRateHz: 48_000, channelCount: 2 };

function manifest(video: VideoRepresentation[], more: Partial<Period> = {}): string {
  const period: Period = { id: 'p1', startMs: EPOCH_MS, durationMs: null, video, audio: [AUDIO], ...more };
  return scriptManifest(renderManifest({ presentation: LIVE, maxSegmentMs: 2_000, periods: [period] }));
}

/** As scripts read it: attributes of the first `Period/AdaptationSet/SegmentTemplate`. */
function templateOf(text: string): Record<string, string> {
  const found = /<Period [^>]*>\s*<AdaptationSet [^>]*>\s*<SegmentTemplate ([^>]*)>/.exec(text);
  return Object.fromEntries(
    [...found![1]!.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

/** The text of a representation, from its tag on. */
const representation = (text: string, id: string) =>
  new RegExp(`<Representation id="${id}".*?</Representation>`, 's').exec(text)![0];

describe('the manifest for scripts', () => {
  it('has the template of the video in its set, with names that are next to it', () => {
    const text = manifest([MAIN, SUB]);
    expect(templateOf(text)).toMatchObject({
      initialization: 'seg_init.mp4',
      media: 'seg_$Number$.m4v',
      startNumber: '41',
      timescale: '90000',
    });
    expect(representation(text, 'main')).toBe(
      '<Representation id="main" codecs="avc1.64001f" bandwidth="1000" width="640" height="360" frameRate="25"></Representation>',
    );
    expect(text.match(/<SegmentTimeline>/g)).toHaveLength(3);
  });

  it('has the other streams in their folders, and the time, without a BaseURL', () => {
    const text = manifest([MAIN, SUB]);
    for (const [id, folder] of [
      ['sub', 'sub/video'],
      ['audio', 'audio'],
    ] as const) {
      const names = ` initialization="${folder}/seg_init.mp4" media="${folder}/seg_$Number$.`;
      expect(representation(text, id)).toContain(names);
    }
    expect(text).toContain('value="time"');
    expect(text).not.toContain('BaseURL');
  });

  it('lets no stream inherit that its segments can be requested early', () => {
    const early = { availabilityTimeOffsetSec: 1.4 };
    const of = (video: VideoRepresentation[]) => representation(manifest(video), 'sub');
    const main = stream('main', 'video', early);
    expect(of([main, SUB])).toContain(' availabilityTimeOffset="0" availabilityTimeComplete="true">');
    const both = of([main, stream('sub', 'sub/video', early)]);
    expect(both.match(/availabilityTimeOffset/g)).toEqual(['availabilityTimeOffset']);
    expect(both).toContain('availabilityTimeOffset="1.400"');
    expect(of([MAIN, SUB])).not.toContain('availabilityTimeOffset');
  });

  it('has the template in each set and Period, whichever codec and stream they have', () => {
    const text = manifest([stream('main', 'video', { codecs: 'hvc1.1.6.L93.B0' }), SUB]);
    const templates = text.match(/<AdaptationSet [^>]*contentType="video"[^>]*>\n<SegmentTemplate /g);
    expect(templates).toHaveLength(2);
    expect(templateOf(text).media).toBe('seg_$Number$.m4v');
    expect(templateOf(manifest([SUB])).media).toBe('sub/video/seg_$Number$.m4v');
  });

  it('of a camera without video has its audio, where players and scripts for audio look for it', () => {
    const text = manifest([]);
    expect(text).not.toContain('contentType="video"');
    expect(representation(text, 'audio')).toMatch(/<AudioChannelConfiguration [^>]*\/><SegmentTemplate /);
  });

  it('of a recording keeps the init segments of its runs', () => {
    const [first, second] = ['seg_init.mp4', 'seg_init_2.mp4'].map((name, index): Period => {
      const video = stream('video', 'video', { initialization: `video/${name}` });
      return { id: `t${index}`, startMs: index * 2_000, durationMs: 2_000, video: [video], audio: [] };
    });
    const presentation = { kind: 'recorded', durationMs: 4_000 } as const;
    const periods = [first!, second!];
    const text = scriptManifest(renderManifest({ presentation, maxSegmentMs: 2_000, periods }));
    const names = [...text.matchAll(/initialization="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual(['seg_init.mp4', 'seg_init_2.mp4']);
    expect(text).not.toContain('BaseURL');
  });
});
