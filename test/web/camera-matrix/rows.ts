/**
 * The cameras of the compatibility matrix (docs/reference/cameras.md): what each one sends, and which peer sends it. Not the
 * full product of codecs, sounds, ways and faults: each value appears, and each pair that is common in the field.
 */

import type { GstCameraKind } from '../../support/gst-camera.ts';
import type { H265Form } from '../../support/h265-tags.ts';

export interface GstRow {
  readonly peer: 'GStreamer';
  readonly kind: GstCameraKind;
  /** The setting of the camera in the gateway's configuration. */
  readonly transport: 'tcp' | 'udp' | 'http';
  readonly isTls?: boolean;
}

export interface SyntheticRow {
  readonly peer: 'synthetic camera';
  readonly codec: 'h264' | 'h265';
  readonly transport: 'tcp' | 'udp';
  readonly fault: SyntheticFault;
}

export interface StreamRow {
  readonly peer: 'ffmpeg';
  readonly sends: 'multicast' | 'mjpeg' | 'mpegts' | 'rtmp' | 'srt';
}

export interface HlsRow {
  readonly peer: 'ffmpeg';
  readonly sends: 'hls';
  readonly segments: 'fmp4' | 'mpegts';
  readonly codec: 'libx264' | 'libx265';
  readonly encryption: 'none' | 'AES-128' | 'SAMPLE-AES';
}

export interface PushRow {
  readonly peer: 'ffmpeg';
  readonly sends: 'push';
  readonly audio: 'aac' | 'pcm_alaw' | 'pcm_mulaw' | 'mp3';
  readonly bFrames?: number;
  readonly isInterrupted?: boolean;
}

export interface PublisherRow {
  readonly peer: 'publisher';
  readonly form: H265Form | 'av1';
}

/** What is to be started. */
export type RowCamera = GstRow | SyntheticRow | StreamRow | HlsRow | PushRow | PublisherRow;

export type SyntheticFault = 'loss' | 'clock-jump' | 'encoder-restart' | 'muted' | 'interruption';

export interface MatrixRow {
  readonly video: string;
  readonly sound: string;
  readonly way: string;
  /** '' if the stream is ordinary. */
  readonly fault: string;
  readonly camera: RowCamera;
  /** In addition to the camera's name, address and transport in the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** How long the picture has to move, in seconds of media: longer than the fault takes to come. Default: 3. */
  readonly watchSec?: number;
}

/** Names the row in the test, in the gateway's configuration and in `seen.json`. */
export function nameOf({ video, sound, way, fault, settings }: MatrixRow): string {
  const setting = Object.entries(settings ?? {}).map(([key, value]) => `${key}: ${value}`);
  return [`${video} + ${sound}`, way, ...(fault === '' ? [] : [fault]), ...setting].join(', ');
}

const TCP = 'RTSP, TCP';
const UDP = 'RTSP, UDP';
const HTTP = 'RTSP over HTTP';
const HTTPS = 'RTSP over HTTPS';
const RTSPS = 'RTSPS';
const PUSH = 'RTMP push';
const FMP4 = 'HLS, fMP4';
const TS = 'HLS, MPEG-TS';

const WAYS = {
  [TCP]: { transport: 'tcp' },
  [UDP]: { transport: 'udp' },
  [HTTP]: { transport: 'http' },
  [RTSPS]: { transport: 'tcp', isTls: true },
  [HTTPS]: { transport: 'http', isTls: true },
} as const;

interface Extra {
  readonly fault?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly watchSec?: number;
}

function gst(
  video: string,
  sound: string,
  way: keyof typeof WAYS,
  kind: GstCameraKind,
  extra: Extra = {},
): MatrixRow {
  return { video, sound, way, fault: '', camera: { peer: 'GStreamer', kind, ...WAYS[way] }, ...extra };
}

function synthetic(
  codec: 'h264' | 'h265',
  way: typeof TCP | typeof UDP,
  fault: SyntheticFault,
  words: string,
  watchSec?: number,
): MatrixRow {
  const { transport } = WAYS[way];
  return {
    video: codec === 'h264' ? 'H.264' : 'H.265',
    sound: codec === 'h264' ? 'AAC' : 'G.711 µ-law',
    way,
    fault: words,
    camera: { peer: 'synthetic camera', codec, transport, fault },
    ...(watchSec === undefined ? {} : { watchSec }),
  };
}

function ffmpeg(video: string, sound: string, way: string, camera: StreamRow | HlsRow | PushRow): MatrixRow {
  return { video, sound, way, fault: '', camera };
}

function hls(
  segments: HlsRow['segments'],
  codec: HlsRow['codec'],
  encryption: HlsRow['encryption'] = 'none',
): HlsRow {
  return { peer: 'ffmpeg', sends: 'hls', segments, codec, encryption };
}

function push(audio: PushRow['audio']): PushRow {
  return { peer: 'ffmpeg', sends: 'push', audio };
}

export const ROWS: readonly MatrixRow[] = [
  gst('H.264', 'AAC', TCP, 'h264-aac'),
  gst('H.264', 'AAC', UDP, 'h264-aac'),
  gst('H.264', 'AAC', HTTP, 'h264-aac'),
  gst('H.264', 'AAC', RTSPS, 'h264-aac'),
  gst('H.264', 'AAC', HTTPS, 'h264-aac'),
  gst('H.264', 'G.711 µ-law', TCP, 'h264-pcmu'),
  gst('H.264', 'G.711 A-law', UDP, 'h264-pcma'),
  gst('H.264', 'G.711 µ-law', TCP, 'h264-pcmu', { settings: { audio: 'aac' } }),
  gst('H.264', 'G.722', TCP, 'h264-g722'),
  gst('H.264', 'G.726', TCP, 'h264-g726'),
  gst('H.264', 'L16', HTTP, 'h264-l16'),
  gst('H.264', 'Opus', TCP, 'h264-opus'),
  gst('H.264', 'MP3', TCP, 'h264-mp3'),
  gst('H.264', 'none', UDP, 'h264-only'),
  gst('H.264', 'AAC', TCP, 'h264-aac', { settings: { engine: 'ffmpeg' } }),
  gst('H.265', 'AAC', TCP, 'h265-small-aac'),
  gst('H.265', 'G.711 µ-law', UDP, 'h265-small-pcmu'),
  gst('H.265', 'G.711 A-law', HTTP, 'h265-small-pcma'),
  gst('H.265', 'Opus', RTSPS, 'h265-small-opus'),
  gst('H.265', 'none', TCP, 'h265-small-only'),
  gst('MJPEG', 'G.711 µ-law', TCP, 'mjpeg-pcmu'),
  gst('MJPEG', 'none', UDP, 'mjpeg-only'),
  gst('VP8', 'none', TCP, 'vp8-only'),
  gst('MJPEG', 'none', HTTPS, 'mjpeg-only', { settings: { tls: 'pinned' } }),
  gst('none', 'AAC', TCP, 'none-aac'),
  gst('none', 'G.711 µ-law', UDP, 'none-pcmu'),
  ffmpeg('H.264', 'none', 'RTSP, multicast', { peer: 'ffmpeg', sends: 'multicast' }),

  ffmpeg('H.264', 'AAC', PUSH, push('aac')),
  ffmpeg('H.264', 'G.711 A-law', PUSH, push('pcm_alaw')),
  ffmpeg('H.264', 'G.711 µ-law', PUSH, push('pcm_mulaw')),
  ffmpeg('H.264', 'MP3', PUSH, push('mp3')),
  {
    video: 'H.265',
    sound: 'AAC',
    way: `${PUSH}, enhanced`,
    fault: '',
    camera: { peer: 'publisher', form: 'enhanced' },
  },
  {
    video: 'H.265',
    sound: 'AAC',
    way: `${PUSH}, codec number 12`,
    fault: '',
    camera: { peer: 'publisher', form: 'legacy' },
  },
  ffmpeg('H.264', 'AAC', FMP4, hls('fmp4', 'libx264')),
  ffmpeg('H.265', 'AAC', FMP4, hls('fmp4', 'libx265')),
  ffmpeg('H.264', 'AAC', TS, hls('mpegts', 'libx264')),
  ffmpeg('H.264', 'AAC', `${TS}, AES-128`, hls('mpegts', 'libx264', 'AES-128')),
  ffmpeg('H.265', 'AAC', TS, hls('mpegts', 'libx265')),
  ffmpeg('H.264', 'AAC', 'MPEG-TS over HTTP', { peer: 'ffmpeg', sends: 'mpegts' }),
  ffmpeg('MJPEG', 'none', 'MJPEG over HTTP', { peer: 'ffmpeg', sends: 'mjpeg' }),
  ffmpeg('H.264', 'AAC', 'RTMP', { peer: 'ffmpeg', sends: 'rtmp' }),
  ffmpeg('H.264', 'AAC', 'SRT', { peer: 'ffmpeg', sends: 'srt' }),

  gst('H.264', 'AAC', TCP, 'h264-bframes-aac', { fault: 'B-frames' }),
  gst('H.264', 'AAC', TCP, 'h264-irregular-aac', { fault: 'key frame every 0.2 to 5 s', watchSec: 8 }),
  gst('H.264', 'none', TCP, 'h264-refresh-only', { fault: 'intra refresh, no key frames', watchSec: 20 }),
  gst('H.264', 'none', TCP, 'h264-switching-only', { fault: 'another resolution every 5 s', watchSec: 8 }),
  synthetic('h264', UDP, 'loss', '1% of the packets lost', 8),
  synthetic('h265', UDP, 'loss', '1% of the packets lost', 8),
  synthetic('h264', TCP, 'clock-jump', 'clock jumps by an hour', 8),
  synthetic('h264', UDP, 'encoder-restart', 'encoder restarts', 8),
  synthetic('h265', TCP, 'muted', 'microphone off'),
  synthetic('h264', TCP, 'interruption', 'camera gone, and back', 6),
  synthetic('h265', TCP, 'interruption', 'camera gone, and back', 6),
  {
    video: 'H.264',
    sound: 'AAC',
    way: PUSH,
    fault: 'B-frames; device gone, and back',
    watchSec: 6,
    camera: { ...push('aac'), bFrames: 2, isInterrupted: true },
  },

  gst('VP8', 'none', TCP, 'vp8-only', { settings: { engine: 'direct' } }),
  gst('MJPEG', 'none', TCP, 'mjpeg-only', { settings: { engine: 'direct' } }),
  {
    video: 'AV1',
    sound: 'none',
    way: `${PUSH}, enhanced`,
    fault: '',
    camera: { peer: 'publisher', form: 'av1' },
  },
  ffmpeg('H.264', 'AAC', `${TS}, SAMPLE-AES`, hls('mpegts', 'libx264', 'SAMPLE-AES')),
];
