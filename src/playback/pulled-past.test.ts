/** The past of a camera whose video recorder is pulled from while someone looks. */

import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import type { RecordedStream } from '../recording/segment-index.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import { FakePastMedia } from './fake-past-media.ts';
import { PastPlayback } from './past-playback.ts';
import type { TimeSpan } from './past-timeline.ts';
import type { PulledPast } from './pulled-past.ts';
import type { PastMedia } from './recorded-media.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const CAMERA = newRuuid();
const RANGE = { fromMs: START_MS, toMs: START_MS + 60_000 };
const ALL: readonly TimeSpan[] = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];

function open(looks: Partial<Awaited<ReturnType<PulledPast['look']>>>[]) {
  const clock = new FakeClock(START_MS + 600_000);
  const [own, pulled] = [new FakePastMedia(), new FakePastMedia()];
  const of = ({ rendition }: RecordedStream) => (rendition === 'pulled' ? pulled : own);
  const named = (files: FoundFile[]) => files.map((file) => ({ ...file, name: `pulled/${file.name}` }));
  const media: PastMedia = {
    segments: async (stream, fromMs, toMs) => {
      const files = await of(stream).segments(stream, fromMs, toMs);
      return stream.rendition === 'pulled' ? named(files) : files;
    },
    renditions: (cameraUuid, fromMs, toMs) => own.renditions(cameraUuid, fromMs, toMs),
    pictures: async () => [],
    spans: (stream, fromMs, toMs) => of(stream).spans(stream, fromMs, toMs),
    hours: (stream, fromMs, toMs) => of(stream).hours(stream, fromMs, toMs),
    seek: (stream, atMs) => of(stream).seek(stream, atMs),
    read: (name, offset, length) => own.read(name.replace('pulled/', ''), offset, length),
    readStored: (name, offset, length) => own.read(name.replace('pulled/', ''), offset, length),
    lend: (name, offset, length) => own.lend(name.replace('pulled/', ''), offset, length),
    readTrack: (name, offset, length, id) => own.readTrack(name.replace('pulled/', ''), offset, length, id),
  };
  const lookers: object[] = [];
  const playback = new PastPlayback({
    media,
    clock,
    pulled: {
      has: () => true,
      listed: async () => [],
      look: async (_camera, _fromMs, toMs, looker) => {
        lookers.push(looker);
        return { untilMs: toMs, isGrowing: false, error: null, ...looks.shift() };
      },
      watched: () => undefined,
    },
  });
  return { clock, own, pulled, playback, lookers };
}

const starts = (timeline: {
  readonly segments: readonly { readonly media: { readonly epochMs: number } }[];
}) => timeline.segments.map(({ media }) => (media.epochMs - START_MS) / 1_000);

describe('a range that is pulled while someone looks', () => {
  it('ends where the copies end, and numbers stay when more comes and the recording follows', async () => {
    const { clock, own, pulled, playback } = open([{ untilMs: START_MS + 4_000, isGrowing: true }, {}]);
    own.recordRun(START_MS + 20_000, 2);
    pulled.recordRun(START_MS, 2);
    const viewer = {};
    const first = await playback.timeline(CAMERA, RANGE, viewer);
    expect(starts(first)).toEqual([0, 2]);
    expect(await playback.playlist(first, ALL, 'm4v')).not.toContain('#EXT-X-ENDLIST');
    pulled.beginFile();
    pulled.record({ epochMs: START_MS + 4_000 });
    clock.advance(1_000);
    const second = await playback.timeline(CAMERA, RANGE, viewer);
    expect(starts(second)).toEqual([0, 2, 4, 20, 22]);
    expect(second.segment(1)?.media.epochMs).toBe(START_MS);
    expect(await playback.playlist(second, ALL, 'm4v')).toContain('#EXT-X-ENDLIST');
  });

  it('is not requested again when it is complete', async () => {
    const { pulled, playback, lookers } = open([{}]);
    pulled.recordRun(START_MS, 2);
    const viewer = {};
    await playback.timeline(CAMERA, RANGE, viewer);
    await playback.timeline(CAMERA, RANGE, viewer);
    expect(lookers).toEqual([viewer]);
  });

  it('shows the recording of the gateway where a copy has the same time', async () => {
    const { own, pulled, playback } = open([{}]);
    own.recordRun(START_MS + 2_000, 1);
    pulled.recordRun(START_MS, 3);
    expect(starts(await playback.timeline(CAMERA, RANGE, {}))).toEqual([0, 2, 4]);
  });
});

describe('a viewer who may not see what the recorder has', () => {
  it('sees the recording of the gateway, and starts no pull', async () => {
    const { own, pulled, playback, lookers } = open([{}]);
    own.recordRun(START_MS + 20_000, 1);
    pulled.recordRun(START_MS, 2);
    expect(starts(await playback.timeline(CAMERA, RANGE))).toEqual([20]);
    expect(lookers).toEqual([]);
  });
});

describe('a recorder that fails', () => {
  const error = new GatewayError(PLAYBACK_ERRORS.PLAYBACK_STORAGE_SLOW, {});

  it('is the reason why nothing plays', async () => {
    const { playback } = open([{ error }]);
    await expect(playback.timeline(CAMERA, RANGE, {})).rejects.toBe(error);
  });

  it('hides no recording of the gateway', async () => {
    const { own, playback } = open([{ error }]);
    own.recordRun(START_MS + 20_000, 1);
    expect(starts(await playback.timeline(CAMERA, RANGE, {}))).toEqual([20]);
  });
});

describe('copies that were deleted', () => {
  it('are no longer in the list of a range', async () => {
    const { pulled, playback } = open([{}, {}]);
    pulled.recordRun(START_MS, 2);
    await playback.timeline(CAMERA, RANGE, {});
    pulled.deleteFile(0);
    playback.clipAdded(CAMERA);
    expect(starts(await playback.timeline(CAMERA, RANGE, {}))).toEqual([]);
  });
});
