/**
 * Habits of a synthetic camera that sends H.265 in another order than that of decoding (RFC 7798 §4.5): every second
 * picture comes after its successor. Over TCP.
 */

import { INTERLEAVED_HEADER_BYTES } from '../../src/rtp/frame-packets.ts';
import { AP, FU, FU_START } from '../../src/rtp/h265/h265-depacketizer.ts';
import { accessUnitBlocks } from '../../src/rtp/h265/interleaved-packets-fixture.ts';
import { VIDEO_PAYLOAD_TYPE } from '../../src/synthetic-camera/clip-packets.ts';
import type { CameraHabits } from '../../src/synthetic-camera/habits.ts';

const MAX_PAYLOAD_BYTES = 1_400;
const HEADER_AT = INTERLEAVED_HEADER_BYTES;
const PAYLOAD_AT = HEADER_AT + 12;
const MARKER = 0x80;
/** Numbers wrap within the first seconds. */
const FIRST_DON = 65_500;
/** No picture has more NAL units than 8. */
const FMTP = 'sprop-max-don-diff=16;sprop-depack-buf-nalus=8;sprop-depack-buf-bytes=262144;';

export function interleavedHabits(): CameraHabits {
  return {
    describe: (sdp) => sdp.replace('sprop-vps=', `${FMTP}sprop-vps=`),
    packetize: (nalus) => {
      const numbered = nalus.map((nalu, absDon) => ({ nalu, absDon }));
      return accessUnitBlocks(numbered, MAX_PAYLOAD_BYTES).flatMap(({ payloads }) => payloads);
    },
    connection: () => {
      const order = new SwappedPictures();
      return { packets: (packets) => order.next(packets) };
    },
  };
}

class SwappedPictures {
  #don = FIRST_DON;
  #pictures = 0;
  /** Sequence number of the next packet; null before the first. */
  #sequence: number | null = null;
  #held: Buffer[] = [];

  /** The packets of one moment: of at most one picture, and of audio. */
  next(packets: Buffer[]): Buffer[] {
    const isVideo = (packet: Buffer) => (packet[HEADER_AT + 1]! & ~MARKER) === VIDEO_PAYLOAD_TYPE;
    const picture = packets.filter(isVideo);
    if (picture.length === 0) return packets;
    this.#sequence ??= picture[0]!.readUInt16BE(HEADER_AT + 2);
    for (const packet of picture) this.#number(packet.subarray(PAYLOAD_AT));
    const others = packets.filter((packet) => !isVideo(packet));
    const isHeld = this.#pictures++ % 2 === 1;
    const sent = isHeld ? [] : [...picture, ...this.#held];
    this.#held = isHeld ? picture : [];
    for (const packet of sent) packet.writeUInt16BE(this.#sequence++ & 0xffff, HEADER_AT + 2);
    return [...sent, ...others];
  }

  /** Writes decoding order numbers, which continue from picture to picture. */
  #number(payload: Buffer): void {
    const type = (payload[0]! >> 1) & 0x3f;
    const isFu = type === FU;
    if (isFu && (payload[2]! & FU_START) === 0) return;
    payload.writeUInt16BE(this.#don & 0xffff, isFu ? 3 : 2);
    this.#don += type === AP ? aggregated(payload) : 1;
  }
}

/** NAL units of an AP. */
function aggregated(payload: Buffer): number {
  let count = 0;
  for (let at = 4; at < payload.length; count++) at += 2 + payload.readUInt16BE(at) + 1;
  return count;
}
