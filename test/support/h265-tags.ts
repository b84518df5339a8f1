/**
 * H.265 as devices push it. ffmpeg writes it into FLV since version 6.1; here, its encoder and its MP4 muxer make the pictures
 * and the configuration record, and this file puts them into messages. Enhanced RTMP v1, ExVideoTagHeader; the other form
 * has the layout of AVCVIDEOPACKET (Adobe Flash Video File Format Specification 10.1 §E.4.3.2).
 */

import { spawnSync } from 'node:child_process';
import { type AnnexBAccessUnit, LONG_START_CODE } from '../../src/codec/byte-stream.ts';
import type { FlvTagBytes } from './flv-file.ts';

/** `legacy`: codec number 12, as recorders send it. */
export type H265Form = 'enhanced' | 'legacy';

const FRAME_MS = 40;
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const CODED_FRAMES_X = 3;
const LEGACY_FRAME = 1;
const LEGACY_CODEC = 12;
const KEY_FRAME = 1;
const INTER_FRAME = 2;

/** The HEVCDecoderConfigurationRecord that ffmpeg writes for these pictures. */
export function hevcRecord(units: readonly AnnexBAccessUnit[]): Buffer {
  const input = Buffer.concat(units.flatMap(({ nalus }) => nalus.flatMap((nalu) => [LONG_START_CODE, nalu])));
  const args =
    '-v error -f hevc -r 25 -i pipe:0 -c copy -tag:v hvc1 -f mp4 -movflags frag_keyframe+empty_moov pipe:1';
  const { stdout, stderr } = spawnSync('ffmpeg', args.split(' '), { input, maxBuffer: 64 * 1_048_576 });
  const at = stdout.indexOf('hvcC', 0, 'latin1');
  if (at < 0) throw new Error(String(stderr));
  return stdout.subarray(at + 4, at - 4 + stdout.readUInt32BE(at - 4));
}

export function configurationTag(form: H265Form, record: Uint8Array): Buffer {
  const head =
    form === 'legacy'
      ? Buffer.of((KEY_FRAME << 4) | LEGACY_CODEC, SEQUENCE_START, 0, 0, 0)
      : enhancedHead(KEY_FRAME, SEQUENCE_START);
  return Buffer.concat([head, record]);
}

/** One picture. Like ffmpeg and OBS, leaves out a composition time of 0 where it can. */
export function frameTag(form: H265Form, isKey: boolean, compositionMs: number, sample: Buffer): Buffer {
  const frameType = isKey ? KEY_FRAME : INTER_FRAME;
  const composition = Buffer.alloc(3);
  composition.writeIntBE(compositionMs, 0, 3);
  if (form === 'legacy')
    return Buffer.concat([Buffer.of((frameType << 4) | LEGACY_CODEC, LEGACY_FRAME), composition, sample]);
  if (compositionMs === 0) return Buffer.concat([enhancedHead(frameType, CODED_FRAMES_X), sample]);
  return Buffer.concat([enhancedHead(frameType, CODED_FRAMES), composition, sample]);
}

/** The configuration and all pictures at 25 a second. `shown`: when each is presented, in pictures from the first one. */
export function h265Tags(
  units: readonly AnnexBAccessUnit[],
  shown: readonly number[],
  form: H265Form,
): FlvTagBytes[] {
  const delay = Math.max(...shown.map((order, index) => index - order));
  const frames = units.map(({ nalus, isKey }, index) => {
    const compositionMs = (shown[index]! + delay - index) * FRAME_MS;
    return videoTag(index * FRAME_MS, frameTag(form, isKey, compositionMs, withLengths(nalus)));
  });
  return [videoTag(0, configurationTag(form, hevcRecord(units))), ...frames];
}

export function withLengths(nalus: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(nalu.length);
      return [length, nalu];
    }),
  );
}

function videoTag(timestampMs: number, payload: Buffer): FlvTagBytes {
  return { kind: 'video', timestampMs, payload };
}

function enhancedHead(frameType: number, packetType: number): Buffer {
  return Buffer.concat([Buffer.of(0x80 | (frameType << 4) | packetType), Buffer.from('hvc1', 'latin1')]);
}
