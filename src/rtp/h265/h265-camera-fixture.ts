/** A camera with H.265 that cannot be decoded, as RTP payloads, for tests of the receive path. */

import type { ReceivedTrack } from '../media-receiver.ts';
import { FRAME_TICKS, RecordingReceiver, rtpPacket, VIDEO_PT } from '../sample-stream-fixture.ts';

export const H265_TRACK: ReceivedTrack = {
  encoding: 'h265',
  payloadType: VIDEO_PT,
  clockRateHz: 90_000,
  channelCount: 1,
  fmtp: new Map(),
  ssrc: null,
};

/** 704 × 480 (retina dahua_describe_h265_pcma). */
export const VPS = Buffer.from('40010c01ffff016000000300b0000003000003005aac0c00000300040000030032a8', 'hex');
export const SPS = Buffer.from(
  '420101016000000300b0000003000003005aa0058201e1636b92452fcdc14181410000030001000003000ca1',
  'hex',
);
export const PPS = Buffer.from('4401c0f2c68d03b340', 'hex');
export const SETS = [VPS, SPS, PPS];
export const LONG_CODE = Buffer.from([0, 0, 0, 1]);
export const SHORT_CODE = Buffer.from([0, 0, 1]);
const FU_START = 0x80;
export const FU_END = 0x40;

const TYPES = { idr: 19, cra: 21, bla: 16, rasl: 9, radl: 7, reference: 1, disposable: 0 };
type SliceKind = keyof typeof TYPES;

/** A slice with `text` as its data. `isFirst`: it begins its picture. */
export function slice(kind: SliceKind, text: string, isFirst = true, layer = 0, temporalId = 0): Buffer {
  const header = [(TYPES[kind] << 1) | (layer >> 5), ((layer & 31) << 3) | (temporalId + 1)];
  // first_slice_segment_in_pic_flag, no_output_of_prior_pics_flag if it is a key frame, slice_pic_parameter_set_id 0.
  return Buffer.concat([Buffer.from([...header, isFirst ? 0xaf : 0x2f]), Buffer.from(text)]);
}

export function nalu(type: number, ...bytes: number[]): Buffer {
  return Buffer.from([type << 1, 1, ...bytes]);
}

/** A camera without parameter sets in its description, fed one payload per packet. */
export class H265Camera {
  readonly recorder: RecordingReceiver;
  #sequence = 100;

  constructor(fmtp: ReadonlyMap<string, string> = new Map()) {
    const track: ReceivedTrack = { ...H265_TRACK, fmtp };
    this.recorder = new RecordingReceiver({ tracks: [track] });
  }

  /** The last payload is marked. */
  picture(index: number, payloads: readonly Uint8Array[], isMarked = true): this {
    payloads.forEach((payload, piece) => {
      const isLast = isMarked && piece === payloads.length - 1;
      const packet = rtpPacket(VIDEO_PT, this.#sequence++ & 0xffff, index * FRAME_TICKS, payload, isLast);
      const before = Buffer.from(packet);
      this.recorder.feed([packet]);
      if (!packet.equals(before)) throw new Error('the packet was changed');
    });
    return this;
  }

  key(index: number, text: string): this {
    return this.picture(index, [...SETS, slice('idr', text)]);
  }

  /** A whole picture of the usual kind, which releases the one before it. */
  plain(index: number, text: string): this {
    return this.picture(index, [slice('reference', text)]);
  }

  lose(packets = 1): this {
    this.#sequence += packets;
    return this;
  }

  /** The output and the dropped pictures. */
  get outcome() {
    const pictures = this.recorder.units.map(({ data }) => textsOf(Buffer.from(data)).join('|'));
    return { pictures, dropped: this.recorder.dropped };
  }
}

/** Text of the slices after header and first byte; other NAL units as their type. */
function textsOf(data: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < data.length; ) {
    const end = at + 4 + data.readUInt32BE(at);
    const type = data[at + 4]! >> 1;
    texts.push(type < 32 ? data.toString('latin1', at + 7, end) : `(${type})`);
    at = end;
  }
  return texts;
}

export function ap(...nalus: readonly Uint8Array[]): Buffer {
  const parts = nalus.flatMap((each) => [Buffer.from([each.length >> 8, each.length & 0xff]), each]);
  return Buffer.concat([Buffer.from([48 << 1, 1]), ...parts]);
}

/** FU payloads of `whole`, cut at the given offsets after its header. */
export function fragments(whole: Uint8Array, ...cuts: number[]): Buffer[] {
  const bounds = [2, ...cuts, whole.length];
  return bounds.slice(1).map((end, piece) => {
    const bits = (piece === 0 ? FU_START : 0) | (piece === bounds.length - 2 ? FU_END : 0);
    const head = [(whole[0]! & 0x81) | (49 << 1), whole[1]!, (whole[0]! >> 1) | bits];
    return Buffer.concat([Buffer.from(head), whole.subarray(bounds[piece], end)]);
  });
}
