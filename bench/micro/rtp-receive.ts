/**
 * Measures what receiving costs per RTP packet, H.264 and H.265: 4 Mbit/s at 25 frames per second in fragments of 1,400
 * bytes, read from one large buffer as a socket would fill it. The reference is the bare copy of the same payloads. Run:
 * node bench/micro/rtp-receive.ts
 */

import { copyBytes } from '../../src/bytes/copy-bytes.ts';
import { packetizeH264 } from '../../src/rtp/h264/h264-packetizer.ts';
import { packetizeH265 } from '../../src/rtp/h265/h265-packetizer.ts';
import { MediaReceiver } from '../../src/rtp/media-receiver.ts';
import { writeRtpHeader } from '../../src/rtp/rtp-header-writer.ts';
import { RTP_HEADER_BYTES } from '../../src/rtp/rtp-packet.ts';
import { median, printTable } from '../report.ts';

const FRAME_BYTES = 4_000_000 / 8 / 25;
const FRAMES = 50;
const ROUNDS = 400;
const SAMPLES = 7;
const MAX_PAYLOAD_BYTES = 1_400;
const PAYLOAD_TYPE = 96;

interface Codec {
  readonly encoding: 'h264' | 'h265';
  readonly fmtp: ReadonlyMap<string, string>;
  /** First slice of a key frame and of another frame, with the byte after the NAL header. */
  readonly keyHead: readonly number[];
  readonly otherHead: readonly number[];
  readonly packetize: (nalu: Uint8Array) => Uint8Array[];
}

const H264: Codec = {
  encoding: 'h264',
  fmtp: new Map([['sprop-parameter-sets', 'Z2QADay0Cg/YCIAAAAMAgAAAGQeKFVA=,aO8Pyw==']]),
  // first_mb_in_slice 0, slice_type 7, pic_parameter_set_id 0.
  keyHead: [0x65, 0x88, 0x80],
  otherHead: [0x41, 0x88, 0x80],
  packetize: (nalu) => packetizeH264([nalu], MAX_PAYLOAD_BYTES, 'none'),
};

const H265: Codec = {
  encoding: 'h265',
  fmtp: new Map([
    ['sprop-vps', 'QAEMAf//AWAAAAMAsAAAAwAAAwBarAwAAAMABAAAAwAyqA=='],
    ['sprop-sps', 'QgEBAWAAAAMAsAAAAwAAAwBaoAWCAeFja5JFL83BQYFBAAADAAEAAAMADKE='],
    ['sprop-pps', 'RAHA8saNA7NA'],
  ]),
  // IDR_W_RADL and TRAIL_R; first_slice_segment_in_pic_flag, slice_pic_parameter_set_id 0.
  keyHead: [0x26, 0x01, 0xaf],
  otherHead: [0x02, 0x01, 0xd0],
  packetize: (nalu) => packetizeH265([nalu], MAX_PAYLOAD_BYTES, 'none'),
};

interface Packet {
  readonly start: number;
  readonly end: number;
}

/** All packets of two seconds back to back; sequence numbers and timestamps are written per round. */
function buildPackets({ keyHead, otherHead, packetize }: Codec): {
  chunk: Buffer;
  packets: Packet[];
  framesAt: number[];
} {
  const chunk = Buffer.alloc(FRAMES * (FRAME_BYTES + 2_000));
  const packets: Packet[] = [];
  const framesAt: number[] = [];
  let at = 0;
  for (let frame = 0; frame < FRAMES; frame++) {
    const nalu = new Uint8Array(FRAME_BYTES).fill(0x55);
    nalu.set(frame === 0 ? keyHead : otherHead);
    framesAt.push(packets.length);
    for (const payload of packetize(nalu)) {
      chunk.set(payload, at + RTP_HEADER_BYTES);
      packets.push({ start: at, end: at + RTP_HEADER_BYTES + payload.length });
      at += RTP_HEADER_BYTES + payload.length;
    }
  }
  framesAt.push(packets.length);
  return { chunk, packets, framesAt };
}

function writeHeaders(chunk: Buffer, packets: readonly Packet[], framesAt: readonly number[], round: number) {
  for (let frame = 0; frame < FRAMES; frame++) {
    for (let index = framesAt[frame]!; index < framesAt[frame + 1]!; index++) {
      const isLast = index === framesAt[frame + 1]! - 1;
      const sequence = round * packets.length + index;
      const timestamp = (round * FRAMES + frame) * 3_600;
      writeRtpHeader(chunk, packets[index]!.start, PAYLOAD_TYPE, isLast, sequence, timestamp, 7);
    }
  }
}

function measureReceiver(codec: Codec, transport: 'tcp' | 'udp'): { nsPerPacket: number; framesOut: number } {
  const { chunk, packets, framesAt } = buildPackets(codec);
  let framesOut = 0;
  const receiver = new MediaReceiver({
    tracks: [
      {
        encoding: codec.encoding,
        payloadType: PAYLOAD_TYPE,
        clockRateHz: 90_000,
        channelCount: 1,
        fmtp: codec.fmtp,
        ssrc: null,
      },
    ],
    transport,
    localSsrc: 1,
    events: {
      onTracks: () => undefined,
      onAccessUnit: () => {
        framesOut += 1;
      },
      onDropped: (frames, code) => {
        throw new Error(`${code} ${frames}`);
      },
    },
  });
  let spentMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    writeHeaders(chunk, packets, framesAt, round);
    const startMs = performance.now();
    for (let index = 0; index < packets.length; index++) {
      const packet = packets[index]!;
      receiver.rtp(0, chunk, packet.start, packet.end, round);
    }
    spentMs += performance.now() - startMs;
  }
  return { nsPerPacket: (spentMs * 1e6) / (ROUNDS * packets.length), framesOut };
}

function measureCopy(): number {
  const { chunk, packets } = buildPackets(H264);
  const target = Buffer.alloc(FRAME_BYTES * 2);
  const startMs = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 0; index < packets.length; index++) {
      const packet = packets[index]!;
      copyBytes(chunk, packet.start + RTP_HEADER_BYTES, packet.end, target, (index * 1_400) % FRAME_BYTES);
    }
  }
  return ((performance.now() - startMs) * 1e6) / (ROUNDS * packets.length);
}

function measure(run: () => number): number {
  return median(Array.from({ length: SAMPLES }, run));
}

const copyNs = measure(measureCopy);
const rows = [H264, H265].flatMap((codec) =>
  (['tcp', 'udp'] as const).map((transport) => {
    const nsPerPacket = measure(() => measureReceiver(codec, transport).nsPerPacket);
    const { framesOut } = measureReceiver(codec, transport);
    if (framesOut < FRAMES * ROUNDS - 1) throw new Error('frames were lost');
    const name = `${codec.encoding} ${transport}`;
    return { case: name, nsPerPacket, copyNs, overheadNs: nsPerPacket - copyNs };
  }),
);
printTable({ name: 'rtp-receive', rows, figures: {} });
