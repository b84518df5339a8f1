import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import type { WorkerPlan } from '../ffmpeg/command.ts';
import { FFMPEG_ERRORS } from '../ffmpeg/errors.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import type { SelectedTrack, SkippedTrack, TrackSelection } from '../rtsp/track-selection.ts';
import type { Source } from '../stream/source/source.ts';
import type { SourceEvents } from '../stream/source/source-events.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { AutoSource, expectedPlan, WORKER_FIRST_MS, wantsWorker } from './auto-source.ts';
import type { DirectObserver } from './direct/direct-rtsp-source.ts';

const ERRORS = defineErrors({ GONE: { kind: 'unavailable', message: 'gone' } });
const TRACK = { encoding: 'h264' } as SelectedTrack;

function selection(video: boolean, audio: boolean, skipped: Partial<SkippedTrack>[] = []): TrackSelection {
  const all = skipped.map((track) => ({
    kind: 'audio',
    encodings: [],
    reason: 'unsupported' as const,
    ...track,
  }));
  return { video: video ? TRACK : null, audio: audio ? TRACK : null, skipped: all };
}

class FakeSource implements Source {
  readonly engine: string;
  readonly opened: SourceEvents[] = [];
  readonly plans: WorkerPlan[] = [];
  closed = 0;
  constructor(engine: string) {
    this.engine = engine;
  }
  expect(plan: WorkerPlan) {
    this.plans.push(plan);
  }
  open(events: SourceEvents) {
    this.opened.push(events);
    return { close: async () => void this.closed++ };
  }
}

function setup() {
  const clock = new FakeClock();
  const direct = new FakeSource('direct');
  const ffmpeg = new FakeSource('ffmpeg');
  const encoder = new FakeSource('encoder');
  let observer: DirectObserver = {};
  const source = new AutoSource({
    direct: (given) => {
      observer = given;
      return direct;
    },
    ffmpeg,
    encoder,
    clock,
    log: silentLog,
  });
  const ended: string[] = [];
  let tracks = 0;
  const open = () =>
    source.open(
      new SourceSink({
        onTracks: () => void tracks++,
        onAccessUnit: () => undefined,
        onDropped: () => undefined,
        onEnded: (error) => void ended.push(error.code),
      }),
    );
  const instance = open();
  const describeMedia = (chosen: TrackSelection) => observer.onDescribed?.({} as never, chosen);
  const unfit = () => observer.onUnfit?.();
  return {
    direct,
    ffmpeg,
    encoder,
    describeMedia,
    unfit,
    open,
    instance,
    clock,
    ended,
    tracks: () => tracks,
  };
}

describe('wantsWorker', () => {
  it.each([
    ['H.264 and AAC', selection(true, true), false],
    ['H.264 without audio', selection(true, false), false],
    ['Motion JPEG', selection(false, true, [{ kind: 'video', encodings: ['jpeg'] }]), true],
    ['no video at all', selection(false, true), false],
    [
      'H.264 and G.711, which direct has transcoded',
      selection(true, false, [{ encodings: ['pcmu'] }]),
      false,
    ],
    ['H.264 and LATM', selection(true, false, [{ encodings: ['mp4a-latm'] }]), true],
    ['H.264, AAC and G.711', selection(true, true, [{ encodings: ['pcmu'] }]), false],
    [
      'ONVIF metadata',
      selection(true, false, [{ kind: 'application', encodings: ['vnd.onvif.metadata'] }]),
      false,
    ],
    ['a G.711 back channel', selection(true, false, [{ encodings: ['pcmu'], reason: 'backchannel' }]), false],
    ['an unknown audio format', selection(true, false, [{ encodings: ['x-vendor'] }]), false],
  ])('%s', (_title, chosen, expected) => {
    expect(wantsWorker(chosen)).toBe(expected);
  });
});

describe('expectedPlan', () => {
  const h265 = { kind: 'video', encodings: ['h265'] };
  it.each([
    ['H.265', selection(false, false, [h265]), 'encode', 'off'],
    ['H.265 and G.711', selection(false, false, [h265, { encodings: ['pcmu'] }]), 'encode', 'encode'],
    [
      'H.265 and a back channel',
      selection(false, false, [h265, { encodings: ['pcmu'], reason: 'backchannel' }]),
      'encode',
      'off',
    ],
    ['H.264 and LATM', selection(true, false, [{ encodings: ['mp4a-latm'] }]), 'copy', 'encode'],
  ] as const)('%s', (_title, chosen, video, audio) => {
    expect(expectedPlan(chosen)).toEqual({ video, audio });
    const aac = { ...chosen, audio: { encoding: 'aac' } as SelectedTrack };
    expect(expectedPlan(aac).audio).toBe('copy');
  });
});

describe('AutoSource', () => {
  it('stays direct when direct carries everything', async () => {
    const { direct, ffmpeg, describeMedia, tracks } = setup();
    describeMedia(selection(true, true));
    await new Promise(setImmediate);
    direct.opened[0]!.onTracks([]);
    expect([ffmpeg.opened.length, tracks()]).toEqual([0, 1]);
  });

  it('closes direct before the worker connects, and listens only to the worker from then on', async () => {
    const { direct, ffmpeg, describeMedia, tracks, ended } = setup();
    describeMedia(selection(false, false, [{ kind: 'video', encodings: ['jpeg'] }]));
    direct.opened[0]!.onTracks([]);
    direct.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
    await new Promise(setImmediate);
    expect([direct.closed, ffmpeg.opened.length, tracks(), ended.length]).toEqual([1, 1, 0, 0]);
    ffmpeg.opened[0]!.onTracks([]);
    ffmpeg.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
    expect([tracks(), ended]).toEqual([1, ['GONE']]);
  });

  describe('with a camera whose worker has delivered', () => {
    async function delivered() {
      const stage = setup();
      stage.describeMedia(selection(false, false, [{ kind: 'video', encodings: ['h265'] }]));
      await new Promise(setImmediate);
      stage.ffmpeg.opened[0]!.onTracks([]);
      stage.ffmpeg.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
      const counts = () => [stage.direct.opened.length, stage.ffmpeg.opened.length];
      expect(counts()).toEqual([1, 1]);
      return { ...stage, counts };
    }

    it('opens the worker at once, until it is time to look again', async () => {
      const { open, clock, ffmpeg, counts } = await delivered();
      clock.advance(WORKER_FIRST_MS - 1);
      open();
      expect(counts()).toEqual([1, 2]);
      ffmpeg.opened[1]!.onTracks([]);
      ffmpeg.opened[1]!.onEnded(new GatewayError(ERRORS.GONE));
      clock.advance(1);
      open();
      expect(counts()).toEqual([2, 2]);
    });

    it('looks again after a worker that got no video, but not after one that only waited', async () => {
      const { open, ffmpeg, counts, ended } = await delivered();
      open();
      ffmpeg.opened[1]!.onEnded(new GatewayError(FFMPEG_ERRORS.FFMPEG_POOL_FULL));
      open();
      expect(counts()).toEqual([1, 3]);
      ffmpeg.opened[2]!.onEnded(new GatewayError(ERRORS.GONE));
      open();
      expect(counts()).toEqual([2, 3]);
      expect(ended).toEqual(['GONE', 'FFMPEG_POOL_FULL', 'GONE']);
    });
  });

  it('does not help without video: the failure of direct says so', () => {
    const { direct, ffmpeg, describeMedia, ended } = setup();
    describeMedia(selection(false, false));
    direct.opened[0]!.onEnded(new GatewayError(RTSP_ERRORS.RTSP_NO_SUPPORTED_VIDEO));
    expect([ffmpeg.opened.length, ended]).toEqual([0, ['RTSP_NO_SUPPORTED_VIDEO']]);
  });

  it('has a worker encode video that players cannot follow, the next time from the start, until that fails', async () => {
    const { direct, ffmpeg, encoder, unfit, open, instance, ended } = setup();
    direct.opened[0]!.onTracks([]);
    expect(unfit()).toBe(true);
    await new Promise(setImmediate);
    expect([direct.closed, encoder.opened.length]).toEqual([1, 1]);
    await instance.close();
    open();
    expect([direct.opened.length, encoder.opened.length]).toEqual([1, 2]);
    encoder.opened[1]!.onEnded(new GatewayError(ERRORS.GONE));
    open();
    expect([direct.opened.length, encoder.opened.length, ffmpeg.opened.length]).toEqual([2, 2, 0]);
    expect(ended).toEqual(['GONE']);
  });

  it('passes on failures of direct', () => {
    const { direct, ended } = setup();
    direct.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
    expect(ended).toEqual(['GONE']);
  });

  it('does not open a worker if closed while switching', async () => {
    const { ffmpeg, describeMedia, instance } = setup();
    describeMedia(selection(false, false, [{ kind: 'video', encodings: ['jpeg'] }]));
    await instance.close();
    await new Promise(setImmediate);
    expect(ffmpeg.opened).toHaveLength(0);
  });
});
