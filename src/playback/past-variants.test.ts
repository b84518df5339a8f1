/** Variants of streams that begin with what fills a gap of theirs. */

import { expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import { newRuuid } from '../core/ruuid.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';
import type { PastCamera, PastRun, PastSegment } from './past-timeline.ts';
import { type PastTracks, readPastTracks } from './past-tracks.ts';
import { renderPastVariants, streamWithin } from './past-variants.ts';

const uuid = newRuuid();
const CAMERA: PastCamera = { uuid, recordedUuid: uuid, masks: null };
const H265 = 'hvc1.1.6.L120.90';

/** A run of one segment of 2 s. */
function segmentOf(file: string, number: number): PastSegment {
  const media: RecordedSegment = {
    offset: 1_000,
    byteLength: 1_000,
    startTicks: 0,
    durationTicks: 180_000,
    timescaleHz: 90_000,
    epochMs: number * 2_000,
    isDiscontinuity: true,
    init: { offset: 0, byteLength: 100 },
  };
  const run: PastRun = { number, camera: CAMERA, file, init: media.init, first: media };
  return { number, file, fileNumber: 0, run, media };
}

function tracks(widthPx: number, heightPx: number, codecString: string): PastTracks {
  const read = readPastTracks(writeInitSegment([{ ...FAKE_VIDEO, widthPx, heightPx }, FAKE_AUDIO]));
  const video = read.video!;
  return { ...read, video: { ...video, track: { ...video.track, codecString } as typeof video.track } };
}

const TRACKS = {
  main: tracks(1_920, 1_080, H265),
  sub: tracks(640, 360, 'avc1.64001e'),
  uploaded: tracks(320, 180, 'avc1.42c00d'),
} as const;

function parts(main: readonly string[], sub: readonly string[]) {
  const segmentsOf = (streams: readonly string[]) =>
    streams.map((stream, i) => segmentOf(`c/${stream}/0`, i + 1));
  return {
    camera: CAMERA,
    main: segmentsOf(main),
    sub: segmentsOf(sub),
    tracksOf: async ({ file }: PastRun) => TRACKS[file.split('/')[1] as keyof typeof TRACKS],
    hasThumbnails: false,
    recodedOf: () => null,
  };
}

const ANY = { hasAudio: true, video: 'all', maxHeightPx: null, folder: '' } as const;
const variantsOf = async (main: readonly string[], sub: readonly string[]) =>
  (await renderPastVariants(ANY, parts(main, sub)))
    .match(/^#EXT-X-STREAM-INF:.*$/gm)
    ?.map((line) => line.replace(/.*(?=CODECS)/, ''));

it('describes the main stream by its own video, and names the codecs of what fills its gaps', async () => {
  expect(await variantsOf(['sub', 'main', 'uploaded', 'main'], ['sub', 'sub', 'sub', 'sub'])).toEqual([
    `CODECS="${H265},avc1.64001e,avc1.42c00d,mp4a.40.2",RESOLUTION=1920x1080`,
    'CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360',
  ]);
});

it('describes what there is of a main stream that is all filled', async () => {
  expect(await variantsOf(['uploaded', 'sub'], [])).toEqual([
    'CODECS="avc1.42c00d,avc1.64001e,mp4a.40.2",RESOLUTION=320x180',
  ]);
});

it('measures the height of the main stream by its own video', async () => {
  expect(await streamWithin(parts(['uploaded', 'main'], ['sub', 'sub']), 1_080)).toBe('main');
  expect(await streamWithin(parts(['uploaded', 'main'], ['sub', 'sub']), 360)).toBe('sub');
});
