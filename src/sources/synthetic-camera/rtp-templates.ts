/**
 * The clip as RTP packets, cut once: every picture and audio frame becomes one buffer of interleaved frames (RFC 2326
 * §10.12) whose sequence numbers, timestamps and SSRC are filled in for each client (RFC 3550 §5.1). Video is packed
 * as RFC 6184 (single NAL unit, FU-A), audio as RFC 3640 AAC-hbr.
 */

import type { Clip } from './clip.ts';

export const VIDEO_PAYLOAD_TYPE = 96;
export const AUDIO_PAYLOAD_TYPE = 97;
export const VIDEO_CLOCK_HZ = 90_000;

/** RTP payload bytes that fit an Ethernet frame with IPv6 and UDP. */
const MAX_PAYLOAD_BYTES = 1_400;
const INTERLEAVED_HEADER_BYTES = 4;
const RTP_HEADER_BYTES = 12;
const RTP_VERSION = 0x80;
const MARKER = 0x80;
const NAL_FU_A = 28;

/** One picture or audio frame. `bytes` is shared: copy it, then stamp the copy. */
export interface FrameTemplate {
  readonly bytes: Buffer;
  /** Where each interleaved frame starts in `bytes`. */
  readonly offsets: readonly number[];
}

export interface ClipTemplates {
  readonly video: readonly FrameTemplate[];
  /** Empty when the clip has no audio. */
  readonly audio: readonly FrameTemplate[];
}

/** What differs from client to client. */
export interface RtpStamp {
  readonly channel: number;
  readonly ssrc: number;
  readonly firstSequenceNumber: number;
  readonly rtpTimestamp: number;
}

export function createTemplates(clip: Clip): ClipTemplates {
  return {
    video: clip.pictures.map((nalus) => template(videoPayloads(nalus), VIDEO_PAYLOAD_TYPE)),
    audio: (clip.audio?.frames ?? []).map((frame) => template([audioPayload(frame)], AUDIO_PAYLOAD_TYPE)),
  };
}

/** A copy of the template for one client, ready for a TCP connection; for UDP, cut it at `offsets` plus four. */
export function stampFrame(frame: FrameTemplate, stamp: RtpStamp): Buffer {
  const bytes = Buffer.from(frame.bytes);
  for (let i = 0; i < frame.offsets.length; i++) {
    const at = frame.offsets[i]!;
    bytes[at + 1] = stamp.channel;
    bytes.writeUInt16BE((stamp.firstSequenceNumber + i) & 0xffff, at + 6);
    bytes.writeUInt32BE(stamp.rtpTimestamp, at + 8);
    bytes.writeUInt32BE(stamp.ssrc, at + 12);
  }
  return bytes;
}

/** The RTP packets within a stamped frame. */
export function* packetsOf(frame: FrameTemplate, stamped: Buffer): Iterable<Buffer> {
  for (const [index, offset] of frame.offsets.entries()) {
    yield stamped.subarray(offset + INTERLEAVED_HEADER_BYTES, frame.offsets[index + 1] ?? stamped.length);
  }
}

/** The marker bit ends a picture; every audio frame is whole in its packet (RFC 3640 §3.1). */
function template(payloads: readonly Buffer[], payloadType: number): FrameTemplate {
  const offsets: number[] = [];
  const pieces: Buffer[] = [];
  let length = 0;
  for (const [index, payload] of payloads.entries()) {
    const header = Buffer.alloc(INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES);
    header[0] = 0x24; // $
    header.writeUInt16BE(RTP_HEADER_BYTES + payload.length, 2);
    header[4] = RTP_VERSION;
    header[5] = payloadType | (index === payloads.length - 1 ? MARKER : 0);
    offsets.push(length);
    pieces.push(header, payload);
    length += header.length + payload.length;
  }
  return { bytes: Buffer.concat(pieces), offsets };
}

function videoPayloads(nalus: readonly Buffer[]): Buffer[] {
  return nalus.flatMap((nalu) => (nalu.length <= MAX_PAYLOAD_BYTES ? [nalu] : fragments(nalu)));
}

/** FU-A (RFC 6184 §5.8): the NAL unit header goes into FU indicator and FU header. */
function fragments(nalu: Buffer): Buffer[] {
  const header = nalu[0]!;
  const pieces: Buffer[] = [];
  for (let at = 1; at < nalu.length; at += MAX_PAYLOAD_BYTES - 2) {
    const body = nalu.subarray(at, at + MAX_PAYLOAD_BYTES - 2);
    const start = at === 1 ? 0x80 : 0;
    const end = at + body.length === nalu.length ? 0x40 : 0;
    pieces.push(
      Buffer.concat([Buffer.from([(header & 0xe0) | NAL_FU_A, start | end | (header & 0x1f)]), body]),
    );
  }
  return pieces;
}

/** One AU header of 13 bits size and 3 bits index (RFC 3640 §3.3.6). */
function audioPayload(frame: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16BE(16, 0);
  header.writeUInt16BE(frame.length << 3, 2);
  return Buffer.concat([header, frame]);
}
