/** Starts the camera of a row of the compatibility matrix. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CameraFaults } from '../../../src/synthetic-camera/faults.ts';
import { startFfmpegServer } from '../../support/ffmpeg-server.ts';
import { type FlvTagBytes, flvTags } from '../../support/flv-file.ts';
import { startGstCamera } from '../../support/gst-camera.ts';
import { encodeH265, shownAt } from '../../support/h265-streams.ts';
import { type H265Form, h265Tags } from '../../support/h265-tags.ts';
import { startMulticastCamera } from '../../support/multicast-camera.ts';
import { pushInRealTime } from '../../support/paced-push.ts';
import { RtmpEncoder } from '../../support/rtmp-encoder.ts';
import { RtmpPublisher } from '../../support/rtmp-publisher.ts';
import { makeClip, startCamera } from '../../support/synthetic.ts';
import { startHlsServer, startStreamServer } from './http-cameras.ts';
import {
  type HlsRow,
  type MatrixRow,
  nameOf,
  type PushRow,
  type RowCamera,
  type StreamRow,
  type SyntheticFault,
  type SyntheticRow,
} from './rows.ts';

export interface RunningCamera {
  /** For a camera that can leave: it does, waits for `isNoticed`, and comes back. */
  interrupt?(isNoticed: () => Promise<unknown>): Promise<void>;
  close(): Promise<unknown>;
}

/** Where a camera is expected: at a port of its own, or with a key at the port that devices push to. */
export interface Seat {
  readonly port: number;
  readonly rtmpPort: number;
  readonly key: string;
}

const PEM = resolve(import.meta.dirname, '../../../src/sources/direct/fixtures/self-signed.pem');
const PINNED = `sha256:${new X509Certificate(readFileSync(PEM)).fingerprint256}`;
/** After PLAY: while the page watches, with time to spare. */
const FAULT_AFTER_MS = 5_000;
const HOUR_MS = 3_600_000;
const FAULTS: Readonly<Record<SyntheticFault, CameraFaults>> = {
  loss: { loss: { share: 0.01, seed: 1 } },
  'clock-jump': { timestampJump: { afterMs: FAULT_AFTER_MS, byMs: HOUR_MS } },
  'encoder-restart': { encoderRestartAfterMs: FAULT_AFTER_MS },
  muted: { muted: [{ fromMs: 0, toMs: Number.POSITIVE_INFINITY }] },
  interruption: {},
};
/** What a publisher sends is made once and repeated. */
const PUSHED_SEC = 10;
const PUSHED_TIMES = 12;
const KEY_EVERY_FRAMES = 25;

/** The camera's entry in the configuration. */
export function settingsOf(row: MatrixRow, seat: Seat): Record<string, unknown> {
  const { camera } = row;
  const name = nameOf(row);
  const settings = row.settings?.tls === 'pinned' ? { tls: PINNED } : row.settings;
  if (isPushed(camera)) return { name, publishKey: seat.key, ...settings };
  const transport = 'transport' in camera ? { transport: camera.transport } : {};
  const tls = 'isTls' in camera && camera.isTls === true ? { tls: PINNED } : {};
  return { name, rtsp: urlOf(camera, seat.port), ...transport, ...tls, ...settings };
}

function isPushed(camera: RowCamera): boolean {
  return camera.peer === 'publisher' || (camera.peer === 'ffmpeg' && camera.sends === 'push');
}

function urlOf(camera: RowCamera, port: number): string {
  if (camera.peer === 'GStreamer') {
    const scheme = camera.isTls === true ? 'rtsps' : 'rtsp';
    const tunnel = camera.isTls === true ? 'rtsp+https' : 'rtsp+http';
    return `${camera.transport === 'http' ? tunnel : scheme}://127.0.0.1:${port}/stream`;
  }
  if (camera.peer !== 'ffmpeg') return `rtsp://127.0.0.1:${port}/stream`;
  switch (camera.sends) {
    case 'multicast':
      return `rtsp://127.0.0.1:${port}/live`;
    case 'rtmp':
      return `rtmp://127.0.0.1:${port}/live/yard`;
    case 'srt':
      return `srt://127.0.0.1:${port}`;
    case 'hls':
      return `http://127.0.0.1:${port}/live.m3u8`;
    default:
      return `http://127.0.0.1:${port}/stream`;
  }
}

export async function startRowCamera({ camera }: MatrixRow, seat: Seat): Promise<RunningCamera> {
  switch (camera.peer) {
    case 'GStreamer': {
      const started = await startGstCamera(camera.kind, seat.port, camera.isTls === true ? PEM : null);
      return { close: () => started.stop() };
    }
    case 'synthetic camera':
      return startSynthetic(camera, seat.port);
    case 'publisher':
      return startPublisher(camera.form, seat);
    case 'ffmpeg':
      return startFfmpeg(camera, seat);
  }
}

async function startSynthetic({ codec, fault }: SyntheticRow, port: number): Promise<RunningCamera> {
  const sound = codec === 'h265' ? { isPcmu: true, clip: await makeClip(640, 360, { codec }) } : {};
  const start = () => startCamera(port, { faults: FAULTS[fault], ...sound });
  let camera = await start();
  const interrupt = async (isNoticed: () => Promise<unknown>): Promise<void> => {
    await camera.close();
    await isNoticed();
    camera = await start();
  };
  return { ...(fault === 'interruption' ? { interrupt } : {}), close: () => camera.close() };
}

async function startFfmpeg(camera: StreamRow | HlsRow | PushRow, seat: Seat): Promise<RunningCamera> {
  switch (camera.sends) {
    case 'multicast':
      return startMulticastCamera(seat.port);
    case 'rtmp':
    case 'srt':
      return startFfmpegServer(camera.sends, seat.port);
    case 'mjpeg':
    case 'mpegts':
      return startStreamServer(camera.sends, seat.port);
    case 'hls':
      return startHlsServer(camera, seat.port);
    case 'push':
      return startEncoder(camera, seat);
  }
}

function startEncoder(
  { audio, bFrames = 0, isInterrupted = false }: PushRow,
  { rtmpPort, key }: Seat,
): RunningCamera {
  const start = () => new RtmpEncoder(`rtmp://127.0.0.1:${rtmpPort}/live/${key}`, { audio, bFrames });
  let encoder = start();
  const interrupt = async (isNoticed: () => Promise<unknown>): Promise<void> => {
    await encoder.end();
    await isNoticed();
    encoder = start();
  };
  return { ...(isInterrupted ? { interrupt } : {}), close: () => encoder.end() };
}

async function startPublisher(form: H265Form | 'av1', { rtmpPort, key }: Seat): Promise<RunningCamera> {
  const publisher = await RtmpPublisher.publish(rtmpPort, `live/${key}`);
  // Enhanced RTMP: a key frame, SequenceStart, av01.
  if (form === 'av1')
    publisher.video(0, Buffer.concat([Buffer.of(0x90), Buffer.from('av01'), Buffer.alloc(40)]));
  else pushInRealTime(publisher, pushedTags(form));
  return { close: async () => publisher.close() };
}

const made = new Map<H265Form, readonly FlvTagBytes[]>();

/** x265 with B-frames and a key frame every second, and AAC, for two minutes. */
export function pushedTags(form: H265Form): readonly FlvTagBytes[] {
  const known = made.get(form);
  if (known !== undefined) return known;
  const units = encodeH265(PUSHED_SEC * 25, KEY_EVERY_FRAMES, 'bframes=2:open-gop=0');
  const sound = flvTags(PUSHED_SEC).filter(({ kind }) => kind === 'audio');
  const once = [...h265Tags(units, shownAt(units, KEY_EVERY_FRAMES), form), ...sound].sort(
    (a, b) => a.timestampMs - b.timestampMs,
  );
  const tags = Array.from({ length: PUSHED_TIMES }, (_, time) =>
    once.map((tag) => ({ ...tag, timestampMs: tag.timestampMs + time * PUSHED_SEC * 1_000 })),
  ).flat();
  made.set(form, tags);
  return tags;
}
