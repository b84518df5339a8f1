/**
 * How frames are packetized: payload formats, markers, headers, and what real cameras do to them. RFC 6184, RFC 3550
 */

import { packetizeH264 } from '../../../../src/rtp/h264/h264-packetizer.ts';
import type { CameraHabits, ConnectionHabits } from '../../../../src/synthetic-camera/habits.ts';
import { type Behaviour, type BehaviourOptions, plays } from '../behaviour.ts';
import { camera } from '../cameras.ts';

const group = 'packets';
const FU_A = 28;
const STAP_A = 24;
const START_CODE = Buffer.from([0, 0, 0, 1]);
const PIECE_BYTES = 1_000;
const VIDEO_TYPE = 96;
const RTP_AT = 4;
const PAYLOAD_AT = RTP_AT + 12;

type Packetize = NonNullable<CameraHabits['packetize']>;
type Nalus = Parameters<Packetize>[0];

/** One FU-A of these bytes after the NAL unit's header. */
function fragmentUnit(header: number, isStart: boolean, isEnd: boolean, bytes: Uint8Array): Buffer {
  const flags = (isStart ? 0x80 : 0) | (isEnd ? 0x40 : 0);
  return Buffer.concat([Buffer.from([(header & 0xe0) | FU_A, flags | (header & 0x1f)]), bytes]);
}

function annexB(nalus: Nalus): Buffer {
  return Buffer.concat(nalus.flatMap((nalu, index) => (index === 0 ? [nalu] : [START_CODE, nalu])));
}

/** All NAL units of a frame as if they were one, with start codes between them. */
function asOneUnit(nalus: Nalus): Uint8Array[] {
  return packetizeH264([annexB(nalus)], PIECE_BYTES, 'none');
}

function paddedAggregates(nalus: Nalus): Uint8Array[] {
  return packetizeH264(nalus, PIECE_BYTES, 'stap-a').map((payload) =>
    (payload[0]! & 0x1f) === STAP_A ? Buffer.concat([payload, Buffer.alloc(6)]) : payload,
  );
}

/** An empty fragment before each last one. */
function emptyFragments(nalus: Nalus): Uint8Array[] {
  return packetizeH264(nalus, PIECE_BYTES, 'none').flatMap((payload) => {
    const isEnd = (payload[0]! & 0x1f) === FU_A && (payload[1]! & 0x40) !== 0;
    return isEnd
      ? [fragmentUnit((payload[0]! & 0xe0) | (payload[1]! & 0x1f), false, false, Buffer.alloc(0)), payload]
      : [payload];
  });
}

/** Two fragments for each slice, however small. */
function tinyFragments(nalus: Nalus): Uint8Array[] {
  return nalus.flatMap((nalu) => {
    if (nalu.length < 20) return [nalu];
    const middle = nalu.length >> 1;
    return [
      fragmentUnit(nalu[0]!, true, false, nalu.subarray(1, middle)),
      fragmentUnit(nalu[0]!, false, true, nalu.subarray(middle)),
    ];
  });
}

const PACKINGS: Readonly<Record<string, Packetize>> = {
  'single NAL units and FU-A': (nalus) => packetizeH264(nalus, 1_400, 'none'),
  'packets of 100 bytes': (nalus) => packetizeH264(nalus, 100, 'none'),
  'aggregates of 300 bytes': (nalus) => packetizeH264(nalus, 300, 'stap-a'),
  'two fragments for each slice': tinyFragments,
  'aggregates padded with zeros': paddedAggregates,
  'start codes inside a packet': (nalus) =>
    annexB(nalus).length < 1_400 ? [annexB(nalus)] : asOneUnit(nalus),
  'several NAL units in one FU-A (Amatek)': asOneUnit,
  'empty fragments': emptyFragments,
};

const OVER_TCP: Readonly<Record<string, Packetize>> = {
  'packets of 60,000 bytes': (nalus) => packetizeH264(nalus, 60_000, 'stap-a'),
};

/** Changes each packet of the video, or replaces it. State belongs to one connection. */
function rewriting(make: () => (packet: Buffer, isLast: boolean) => Buffer[]): CameraHabits {
  return {
    connection: (): ConnectionHabits => {
      const rewrite = make();
      return {
        packets: (packets) => {
          const video = packets.filter(isVideo);
          return packets.flatMap((packet) =>
            isVideo(packet) ? rewrite(packet, packet === video.at(-1)) : [packet],
          );
        },
      };
    },
  };
}

function isVideo(packet: Buffer): boolean {
  return (packet[RTP_AT + 1]! & 0x7f) === VIDEO_TYPE;
}

/** With the length of its current content. */
function interleaved(channel: number, rtp: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x24, channel, rtp.length >> 8, rtp.length & 0xff]), rtp]);
}

function withHeader(packet: Buffer, firstByte: number, extra: Buffer, tail = Buffer.alloc(0)): Buffer {
  const head = Buffer.from(packet.subarray(RTP_AT, PAYLOAD_AT));
  head[0] = firstByte;
  return interleaved(packet[1]!, Buffer.concat([head, extra, packet.subarray(PAYLOAD_AT), tail]));
}

function marked(packet: Buffer, isMarked: boolean): Buffer {
  packet[RTP_AT + 1] = isMarked ? VIDEO_TYPE | 0x80 : VIDEO_TYPE;
  return packet;
}

/** Repeats the number of the previous packet, with another payload type (Geovision). */
function alien(packet: Buffer): Buffer {
  const copy = Buffer.from(packet.subarray(0, PAYLOAD_AT + 20));
  copy[RTP_AT + 1] = 112;
  return interleaved(copy[1]!, copy.subarray(RTP_AT));
}

/** Shifts the sequence numbers so that they wrap after 100 packets. */
function wrapping(): (packet: Buffer) => Buffer[] {
  let shift: number | null = null;
  return (packet) => {
    const number = packet.readUInt16BE(RTP_AT + 2);
    shift ??= 65_436 - number;
    packet.writeUInt16BE((number + shift) & 0xffff, RTP_AT + 2);
    return [packet];
  };
}

/** Adds packets of another source to the stream. */
function stranger(packet: Buffer): Buffer {
  const copy = Buffer.from(packet);
  copy.writeUInt32BE(0xdeadbeef, RTP_AT + 8);
  return copy;
}

const isFragmentOrSlice = (packet: Buffer): boolean => (packet[PAYLOAD_AT]! & 0x1f) !== STAP_A;

const HEADERS: Readonly<Record<string, CameraHabits>> = {
  'no markers': rewriting(() => (packet) => [marked(packet, false)]),
  padding: rewriting(() => (packet) => [
    withHeader(packet, 0xa0, Buffer.alloc(0), Buffer.from([0, 0, 0, 4])),
  ]),
  'an extension (ONVIF replay)': rewriting(() => (packet) => [
    withHeader(packet, 0x90, Buffer.from([0xab, 0xac, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])),
  ]),
  'an empty extension': rewriting(() => (packet) => [
    withHeader(packet, 0x90, Buffer.from([0xbe, 0xde, 0, 0])),
  ]),
  'contributing sources': rewriting(() => (packet) => [withHeader(packet, 0x82, Buffer.alloc(8, 7))]),
  'packets of another payload type with the same number (Geovision)': rewriting(
    () => (packet, isLast) => (isLast ? [packet, alien(packet)] : [packet]),
  ),
  'sequence numbers wrap': rewriting(wrapping),
  'RTP of version 0 now and then': rewriting(() => {
    let count = 0;
    return (packet) =>
      ++count % 20 === 0 ? [withHeader(Buffer.from(packet), 0x00, Buffer.alloc(0)), packet] : [packet];
  }),
  'packets that end in their header': rewriting(() => {
    let count = 0;
    return (packet) =>
      ++count % 10 === 0 ? [interleaved(packet[1]!, packet.subarray(RTP_AT, RTP_AT + 7)), packet] : [packet];
  }),
};

const OTHERS: Readonly<Record<string, readonly [CameraHabits, BehaviourOptions]>> = {
  'packets from a stranger': [
    rewriting(() => {
      let count = 0;
      return (packet) =>
        ++count % 40 === 0 && isFragmentOrSlice(packet) ? [stranger(packet), packet] : [packet];
    }),
    { mayLose: true },
  ],
  'a marker on every packet': [rewriting(() => (packet) => [marked(packet, true)]), {}],
  'another source from 3 s on': [
    rewriting(() => {
      let count = 0;
      return (packet) => {
        if (++count > 150) packet.writeUInt32BE(0x0bad_cafe, RTP_AT + 8);
        return [packet];
      };
    }),
    { mayLose: true },
  ],
};

export const cases: readonly Behaviour[] = [
  ...Object.entries(PACKINGS).flatMap(([name, packetize]) =>
    (['tcp', 'udp'] as const).map((reading) =>
      plays({ group, name, reading, start: camera({ habits: { packetize } }) }),
    ),
  ),
  ...Object.entries(OVER_TCP).map(([name, packetize]) =>
    plays({ group, name, reading: 'tcp', start: camera({ habits: { packetize } }) }),
  ),
  ...['single NAL units and FU-A', 'packets of 100 bytes'].map((name) =>
    plays({ group, name, reading: 'worker', start: camera({ habits: { packetize: PACKINGS[name]! } }) }),
  ),
  ...Object.entries(HEADERS).flatMap(([name, habits]) =>
    (['tcp', 'udp'] as const).map((reading) => plays({ group, name, reading, start: camera({ habits }) })),
  ),
  ...['padding', 'an extension (ONVIF replay)', 'sequence numbers wrap'].map((name) =>
    plays({ group, name, reading: 'worker', start: camera({ habits: HEADERS[name]! }) }),
  ),
  ...Object.entries(OTHERS).flatMap(([name, [habits, options]]) =>
    (['tcp', 'udp'] as const).map((reading) =>
      plays({ group, name, reading, start: camera({ habits }) }, options),
    ),
  ),
];
