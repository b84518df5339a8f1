import { describe, expect, it } from 'vitest';
import type { Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import type { CameraProbe } from '../sources/probe.ts';
import { examinedStream } from './examined-stream.ts';

const VIDEO = {
  kind: 'video',
  codec: 'h264',
  codecString: 'avc1.640028',
  timescaleHz: 90_000,
  widthPx: 640,
  heightPx: 360,
} as unknown as Track;
const AAC = {
  kind: 'audio',
  codec: 'aac',
  codecString: 'mp4a.40.2',
  timescaleHz: 48_000,
} as unknown as Track;

const GOOD: CameraProbe = {
  status: 'GOOD',
  error: null,
  surplus: [],
  tracks: [VIDEO],
  transport: 'tcp',
  keyFrame: null,
  offered: [{ kind: 'video', encodings: ['h264'] }],
  gopMs: 2_000,
  frameRateHz: 25,
  clockOffsetMs: 1,
  clockReading: null,
  bitsPerSec: 1_000,
  firstKeyFrameMs: 10,
};
const withAudio = (encoding: string) => [...GOOD.offered, { kind: 'audio', encodings: [encoding] }];

describe('an examined stream', () => {
  it('is what the probe measured', () => {
    expect(examinedStream(GOOD, 'auto')).toMatchObject({
      fault: null,
      needsWorker: false,
      videoEncoding: 'h264',
      videoCodec: 'avc1.640028',
      widthPx: 640,
      heightPx: 360,
      frameRateHz: 25,
      bitsPerSec: 1_000,
      keyFrameDistanceMs: 2_000,
      audioWay: null,
      audioCodec: null,
      transport: 'tcp',
      clockOffsetMs: 1,
      firstKeyFrameMs: 10,
    });
  });

  it.each<[string, readonly Track[], string]>([
    ['mpeg4-generic', [VIDEO, AAC], 'direct'],
    ['pcmu', [VIDEO], 'direct'],
    ['g722', [VIDEO], 'worker'],
    ['unheard-of', [VIDEO], 'none'],
  ])('says how audio in %s reaches viewers', (encoding, tracks, way) => {
    const probe = { ...GOOD, tracks, offered: withAudio(encoding) };
    expect(examinedStream(probe, 'auto')).toMatchObject({ audioEncoding: encoding, audioWay: way });
  });

  it.each(['auto', 'direct'] as const)(
    'needs a worker for what engine %s does not carry, if it may',
    (engine) => {
      const error = new GatewayError(RTSP_ERRORS.RTSP_NO_SUPPORTED_VIDEO);
      const offered = [{ kind: 'video', encodings: ['jpeg'] }];
      const probe: CameraProbe = { ...GOOD, status: 'NOT_SUPPORTED', error, offered, tracks: [] };
      const isAllowed = engine === 'auto';
      const { needsWorker, fault, videoEncoding } = examinedStream(probe, engine);
      expect([needsWorker, fault?.code, videoEncoding]).toEqual([
        isAllowed,
        isAllowed ? undefined : 'RTSP_NO_SUPPORTED_VIDEO',
        'jpeg',
      ]);
    },
  );
});
