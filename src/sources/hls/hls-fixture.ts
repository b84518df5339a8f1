/** Segments and playlists for tests: 25 frames per second, a key frame at the start of each segment. */

import { FAKE_AUDIO, FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import type { H264Track } from '../../codec/track.ts';
import { BoxWriter } from '../../isobmff/box-writer.ts';
import { styp } from '../../isobmff/file-boxes.ts';
import { mdatHeader, moof } from '../../isobmff/fragment-boxes.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import type { MediaSegment } from './playlist.ts';

export const FRAME_TICKS = 3_600;
const FRAME_BYTES = 12;

export const VIDEO: H264Track = { ...FAKE_VIDEO, timescaleHz: 90_000 };
export const INIT = writeInitSegment([VIDEO]);
/** The init section of a playlist with nothing but audio. */
export const SOUND_INIT = writeInitSegment([FAKE_AUDIO]);

/** `frames` of video from `startTicks` on; `keyAt`: the index of its only key frame. */
export function videoSegment(
  startTicks: number,
  frames: number,
  keyAt = 0,
  frameTicks = FRAME_TICKS,
): Buffer {
  const samples = Array.from({ length: frames }, (_, index) => {
    const nalu = Buffer.alloc(FRAME_BYTES, 0x55);
    nalu.writeUInt32BE(FRAME_BYTES - 4);
    nalu[4] = index === keyAt ? 0x65 : 0x41;
    return nalu;
  });
  return segmentOf(samples, startTicks, frameTicks, keyAt);
}

/** `frames` of AAC from `startTicks` of 48 kHz on. */
export function soundSegment(startTicks: number, frames: number): Buffer {
  const samples = Array.from({ length: frames }, () => Buffer.alloc(FRAME_BYTES, 0x21));
  return segmentOf(samples, startTicks, FAKE_AUDIO.samplesPerFrame, null);
}

/** `keyAt`: the only key frame, null: all are. */
export function segmentOf(
  samples: readonly Buffer[],
  startTicks: number,
  durationTicks: number,
  keyAt: number | null = 0,
): Buffer {
  const writer = new BoxWriter(
    Buffer.alloc(2_000 + samples.reduce((sum, { length }) => sum + length + 100, 0)),
  );
  styp(writer, 1);
  const columns = {
    sizesBytes: Uint32Array.from(samples, ({ length }) => length),
    durationsTicks: Uint32Array.from(samples, () => durationTicks),
    compositionOffsetsTicks: Uint32Array.from(samples, () => 0),
    keys: Uint8Array.from(samples, (_, index) => (keyAt === null || index === keyAt ? 1 : 0)),
  };
  const dataBytes = columns.sizesBytes.reduce((sum, size) => sum + size, 0);
  moof(writer, 1, [{ trackId: 1, startTicks, samples: columns, sampleCount: samples.length, dataBytes }]);
  mdatHeader(writer, dataBytes);
  for (const sample of samples) writer.put(sample);
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}

export function listed(mediaSequenceNumber: number, more: Partial<MediaSegment> = {}): MediaSegment {
  return {
    mediaSequenceNumber,
    discontinuitySequence: 0,
    durationMs: 1_000,
    url: new URL(`http://origin/${mediaSequenceNumber}.m4s`),
    range: null,
    isGap: false,
    map: null,
    key: null,
    ...more,
  };
}
