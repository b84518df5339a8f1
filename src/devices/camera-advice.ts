/** Recommended changes to an examined camera: findings with a code for programs and a sentence for people. */

import type { ExaminedStream } from './examined-stream.ts';

export const CAMERA_ADVICE_CODES = [
  'KEY_FRAMES_RARE',
  'KEY_FRAMES_MISSING',
  'H265_WITHOUT_H264',
  'VIDEO_NEEDS_WORKER',
  'VIDEO_MISSING',
  'FRAME_RATE_LOW',
  'SUBSTREAM_MISSING',
  'SUBSTREAM_LARGER',
  'AUDIO_MISSING',
  'AUDIO_NEEDS_WORKER',
  'AUDIO_UNSUPPORTED',
  'CLOCK_OFF',
] as const;
export type CameraAdviceCode = (typeof CAMERA_ADVICE_CODES)[number];

export interface CameraAdvice {
  readonly code: CameraAdviceCode;
  /** The stream that it is about. */
  readonly profile: 'main' | 'sub';
  readonly sentence: string;
}

/** Viewers wait for a key frame: beyond this, they notice. */
const RARE_KEY_FRAMES_MS = 4_000;
const LOW_FRAME_RATE_HZ = 5;
/** RTSP tells a camera's time with the delay of the network. */
const CLOCK_TOLERANCE_MS = 5_000;
const MS_PER_SEC = 1_000;
const SEC_PER_MINUTE = 60;
const SEC_PER_HOUR = 3_600;
const SEC_PER_DAY = 86_400;

/** `sub`: null if the camera has no substream. Findings about the main stream come first. */
export function cameraAdvice(main: ExaminedStream, sub: ExaminedStream | null): CameraAdvice[] {
  return [
    ...streamAdvice('main', main),
    ...mainAdvice(main, sub),
    ...(sub === null ? [] : streamAdvice('sub', sub)),
    ...pairAdvice(main, sub),
  ];
}

function streamAdvice(profile: 'main' | 'sub', stream: ExaminedStream): CameraAdvice[] {
  if (stream.fault !== null) return [];
  const advice: CameraAdvice[] = [];
  const add = (code: CameraAdviceCode, sentence: string) => void advice.push({ code, profile, sentence });
  const { keyFrameDistanceMs, frameRateHz, videoEncoding, needsWorker } = stream;
  if (needsWorker) {
    add(
      'VIDEO_NEEDS_WORKER',
      `The video is ${videoEncoding}: an ffmpeg worker converts it while someone watches, which takes a good part of a core. Set it to H.264.`,
    );
    return advice;
  }
  if (stream.widthPx === null) {
    add('VIDEO_MISSING', 'The camera sends only sound. Turn its video on if it has any.');
    return advice;
  }
  if (keyFrameDistanceMs === null) {
    add(
      'KEY_FRAMES_MISSING',
      'No second key frame came while the gateway watched: viewers may wait long for the picture. Set the key frame interval to 2 s, and turn intra refresh off.',
    );
  } else if (keyFrameDistanceMs >= RARE_KEY_FRAMES_MS) {
    const sec = Math.round(keyFrameDistanceMs / MS_PER_SEC);
    add(
      'KEY_FRAMES_RARE',
      `A key frame comes every ${sec} s: viewers wait up to ${sec} s for the picture. Set the key frame interval to 2 s.`,
    );
  }
  if (frameRateHz !== null && frameRateHz < LOW_FRAME_RATE_HZ) {
    add(
      'FRAME_RATE_LOW',
      `The video has ${frameRateHz} frames per second and looks jerky. Set it to 10 or more.`,
    );
  }
  return advice;
}

function mainAdvice(main: ExaminedStream, sub: ExaminedStream | null): CameraAdvice[] {
  if (main.fault !== null) return [];
  const advice: CameraAdvice[] = [];
  const add = (code: CameraAdviceCode, sentence: string) =>
    void advice.push({ code, profile: 'main', sentence });
  if (isH265(main) && (sub === null || sub.fault !== null || isH265(sub) || sub.needsWorker)) {
    add(
      'H265_WITHOUT_H264',
      'The main stream is H.265, and no substream is H.264: for browsers that cannot play H.265, an ffmpeg worker converts it while they watch. Set the substream to H.264.',
    );
  }
  if (main.audioWay === null)
    add('AUDIO_MISSING', 'The camera sends no audio. Turn its microphone on if viewers should hear it.');
  else if (main.audioWay === 'none') {
    add(
      'AUDIO_UNSUPPORTED',
      `The audio is ${main.audioEncoding}, which is left out. Set it to AAC or G.711.`,
    );
  } else if (main.audioWay === 'worker') {
    add(
      'AUDIO_NEEDS_WORKER',
      `The audio is ${main.audioEncoding}: an ffmpeg worker converts it while someone watches. Set it to AAC or G.711.`,
    );
  }
  const { clockOffsetMs } = main;
  if (clockOffsetMs !== null && Math.abs(clockOffsetMs) > CLOCK_TOLERANCE_MS) {
    const side = clockOffsetMs > 0 ? 'ahead of' : 'behind';
    add(
      'CLOCK_OFF',
      `The clock of the camera is ${spanText(Math.abs(clockOffsetMs))} ${side} the gateway’s, and so is the time that it writes into its picture. Set a time server (NTP) in the camera.`,
    );
  }
  return advice;
}

function pairAdvice(main: ExaminedStream, sub: ExaminedStream | null): CameraAdvice[] {
  if (main.fault !== null) return [];
  if (sub === null) {
    const sentence =
      'There is no substream: walls and viewers on slow networks get the whole main stream. Add one of about 640 × 360.';
    return [{ code: 'SUBSTREAM_MISSING', profile: 'main', sentence }];
  }
  const [mainPx, subPx] = [areaOf(main), areaOf(sub)];
  if (mainPx === null || subPx === null || subPx < mainPx) return [];
  const sentence =
    subPx === mainPx
      ? 'The substream is as large as the main stream. Set it to about 640 × 360, or check its address.'
      : 'The substream is larger than the main stream. Exchange the addresses, or set it to about 640 × 360.';
  return [{ code: 'SUBSTREAM_LARGER', profile: 'sub', sentence }];
}

function isH265({ videoCodec, videoEncoding }: ExaminedStream): boolean {
  return /^h(?:vc|ev)1/.test(videoCodec ?? '') || /^(?:h265|hevc)$/.test(videoEncoding ?? '');
}

function areaOf({ widthPx, heightPx }: ExaminedStream): number | null {
  return widthPx === null || heightPx === null ? null : widthPx * heightPx;
}

/** `12 seconds`, `3 minutes`, `2 hours`, `400 days`. */
function spanText(spanMs: number): string {
  const sec = Math.round(spanMs / MS_PER_SEC);
  if (sec < 2 * SEC_PER_MINUTE) return `${sec} seconds`;
  if (sec < 2 * SEC_PER_HOUR) return `${Math.round(sec / SEC_PER_MINUTE)} minutes`;
  if (sec < 2 * SEC_PER_DAY) return `${Math.round(sec / SEC_PER_HOUR)} hours`;
  return `${Math.round(sec / SEC_PER_DAY)} days`;
}
