import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import type { SelectedTrack, SkippedTrack, TrackSelection } from '../rtsp/track-selection.ts';
import type { Source } from '../stream/source.ts';
import type { SourceEvents } from '../stream/source-events.ts';
import { SourceSink } from '../stream/source-sink.ts';
import { AutoSource, wantsWorker } from './auto-source.ts';
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
  closed = 0;
  constructor(engine: string) {
    this.engine = engine;
  }
  open(events: SourceEvents) {
    this.opened.push(events);
    return { close: async () => void this.closed++ };
  }
}

function setup() {
  const direct = new FakeSource('direct');
  const ffmpeg = new FakeSource('ffmpeg');
  let observer: DirectObserver = {};
  const source = new AutoSource({
    direct: (given) => {
      observer = given;
      return direct;
    },
    ffmpeg,
    log: silentLog,
  });
  const ended: string[] = [];
  let tracks = 0;
  const instance = source.open(
    new SourceSink({
      onTracks: () => void tracks++,
      onAccessUnit: () => undefined,
      onDropped: () => undefined,
      onEnded: (error) => void ended.push(error.code),
    }),
  );
  const describeMedia = (chosen: TrackSelection) => observer.onDescribed?.({} as never, chosen);
  return { direct, ffmpeg, describeMedia, instance, ended, tracks: () => tracks };
}

describe('wantsWorker', () => {
  it.each([
    ['H.264 and AAC', selection(true, true), false],
    ['H.264 without audio', selection(true, false), false],
    ['H.265', selection(false, true, [{ kind: 'video', encodings: ['h265'] }]), true],
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
    describeMedia(selection(false, false, [{ kind: 'video', encodings: ['h265'] }]));
    direct.opened[0]!.onTracks([]);
    direct.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
    await new Promise(setImmediate);
    expect([direct.closed, ffmpeg.opened.length, tracks(), ended.length]).toEqual([1, 1, 0, 0]);
    ffmpeg.opened[0]!.onTracks([]);
    ffmpeg.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
    expect([tracks(), ended]).toEqual([1, ['GONE']]);
  });

  it('does not help without video: the failure of direct says so', () => {
    const { direct, ffmpeg, describeMedia, ended } = setup();
    describeMedia(selection(false, false));
    direct.opened[0]!.onEnded(new GatewayError(RTSP_ERRORS.RTSP_NO_SUPPORTED_VIDEO));
    expect([ffmpeg.opened.length, ended]).toEqual([0, ['RTSP_NO_SUPPORTED_VIDEO']]);
  });

  it('passes on failures of direct', () => {
    const { direct, ended } = setup();
    direct.opened[0]!.onEnded(new GatewayError(ERRORS.GONE));
    expect(ended).toEqual(['GONE']);
  });

  it('does not open a worker if closed while switching', async () => {
    const { ffmpeg, describeMedia, instance } = setup();
    describeMedia(selection(false, false, [{ kind: 'video', encodings: ['h265'] }]));
    await instance.close();
    await new Promise(setImmediate);
    expect(ffmpeg.opened).toHaveLength(0);
  });
});
