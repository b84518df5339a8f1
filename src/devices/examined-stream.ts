/** One stream of a camera as it was when it was opened briefly. Plain values, so that threads can pass them on. */

import type { CredentialUrl } from '../core/secret.ts';
import { audioWay } from '../sources/auto-source.ts';
import type { CameraProbe } from '../sources/probe.ts';
import type { Camera } from '../store/entities.ts';
import type { KeyFrame } from '../stream/media/live-media.ts';
import { type CameraFault, cameraFaultOf } from '../stream/source/camera-fault.ts';
import type { ProbeReach } from './camera-prober.ts';

export interface ExaminedStream {
  /** Why it does not play; null: it does. */
  readonly fault: CameraFault | null;
  /** RTP or container names of its video and audio, such as `h264` and `pcmu`; null: there is none, or it is not known. */
  readonly videoEncoding: string | null;
  readonly audioEncoding: string | null;
  /** RFC 6381; null: not known. */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Measured. */
  readonly frameRateHz: number | null;
  readonly bitsPerSec: number | null;
  /** Between the first two key frames; null: no second one came in time. */
  readonly keyFrameDistanceMs: number | null;
  /** Measured from the beginning of the attempt. */
  readonly firstKeyFrameMs: number | null;
  readonly transport: CameraProbe['transport'];
  /** The camera's clock minus ours; null: unknown. */
  readonly clockOffsetMs: number | null;
  /** It plays, but only through an ffmpeg worker, which was not started for this. */
  readonly needsWorker: boolean;
  /** How its audio reaches viewers; null: it has none. */
  readonly audioWay: 'direct' | 'worker' | 'none' | null;
  /** null: none came. */
  readonly keyFrame: KeyFrame | null;
}

export interface ExamineHow extends ProbeReach {
  readonly engine: Camera['engine'];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether its first key frame is enough. */
  readonly isBrief: boolean;
  /** Called once, with the first frame. */
  readonly onMedia?: () => void;
}

/** Opens one stream of a camera, measures it and closes it. Never rejects. */
export type ExamineStream = (url: CredentialUrl, how: ExamineHow) => Promise<ExaminedStream>;

/** The result of probing a camera with this engine. */
export function examinedStream(probe: CameraProbe, engine: Camera['engine']): ExaminedStream {
  const { error, offered, tracks } = probe;
  const video = tracks.find((track) => track.kind === 'video');
  const audio = tracks.find((track) => track.kind === 'audio');
  const encodingsOf = (kind: 'video' | 'audio') =>
    offered.filter((media) => media.kind === kind).flatMap(({ encodings }) => encodings);
  const [videoEncoding = null] = encodingsOf('video');
  const audioEncodings = encodingsOf('audio');
  const isForWorker = probe.status === 'NOT_SUPPORTED' && videoEncoding !== null && engine !== 'direct';
  return {
    fault: error === null || isForWorker ? null : cameraFaultOf(error),
    videoEncoding: videoEncoding || (video?.codec ?? null),
    audioEncoding: audioEncodings[0] || (audio?.codec ?? null),
    videoCodec: video?.codecString ?? null,
    audioCodec: audio?.codecString ?? null,
    widthPx: video?.widthPx ?? null,
    heightPx: video?.heightPx ?? null,
    frameRateHz: probe.frameRateHz,
    bitsPerSec: probe.bitsPerSec,
    keyFrameDistanceMs: probe.gopMs,
    firstKeyFrameMs: probe.firstKeyFrameMs,
    transport: probe.transport,
    clockOffsetMs: probe.clockOffsetMs,
    needsWorker: isForWorker,
    audioWay: audio !== undefined ? 'direct' : audioEncodings.length === 0 ? null : audioWay(audioEncodings),
    keyFrame: probe.keyFrame,
  };
}

/** A stream that was not opened, because the other one of its camera failed in a way that it would share. */
export function untriedStream(fault: CameraFault): ExaminedStream {
  return {
    fault,
    videoEncoding: null,
    audioEncoding: null,
    videoCodec: null,
    audioCodec: null,
    widthPx: null,
    heightPx: null,
    frameRateHz: null,
    bitsPerSec: null,
    keyFrameDistanceMs: null,
    firstKeyFrameMs: null,
    transport: null,
    clockOffsetMs: null,
    needsWorker: false,
    audioWay: null,
    keyFrame: null,
  };
}
