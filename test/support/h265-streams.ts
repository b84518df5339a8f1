/** Real H.265 as RTP packets. */

import { spawnSync } from 'node:child_process';
import { type AnnexBAccessUnit, splitAnnexB } from '../../src/codec/byte-stream.ts';
import { joinAccessUnits } from '../../src/codec/h265/annex-b.ts';
import { isIdr, isVcl, NAL_PPS, NAL_SPS, nalHeader, nalType } from '../../src/codec/h265/nal-unit.ts';
import { parsePictureParameterSet } from '../../src/codec/h265/picture-parameter-set.ts';
import { parseSequenceParameterSet } from '../../src/codec/h265/sequence-parameter-set.ts';
import { readSliceSegmentHeader } from '../../src/codec/h265/slice-segment-header.ts';
import { packetizeH265 } from '../../src/rtp/h265/h265-packetizer.ts';
import {
  accessUnitBlocks,
  interleavingFmtp,
  shuffledWithin,
} from '../../src/rtp/h265/interleaved-packets-fixture.ts';
import { FRAME_TICKS, rtpPacket, VIDEO_PT } from '../../src/rtp/sample-stream-fixture.ts';
import { SeededRandom } from '../../src/synthetic-camera/seeded-random.ts';
import { HEIGHT_PX, WIDTH_PX } from './decoded-video.ts';

const FRAMES_PER_SEC = 25;
const MAX_PAYLOAD_BYTES = 200;

/** `x265`: parameters of the encoder. Parameter sets come with every key frame. */
export function encodeH265(pictures: number, gop: number, x265: string): AnnexBAccessUnit[] {
  const parameters = `log-level=none:pools=1:frame-threads=1:repeat-headers=1:scenecut=0:keyint=${gop}:min-keyint=${gop}:${x265}`;
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin', '-f', 'lavfi'],
      ...['-i', `testsrc2=size=${WIDTH_PX}x${HEIGHT_PX}:rate=25:duration=${pictures / FRAMES_PER_SEC}`],
      ...['-c:v', 'libx265', '-pix_fmt', 'yuv420p', '-b:v', '300k', '-preset', 'ultrafast'],
      ...['-x265-params', parameters, '-f', 'hevc', 'pipe:1'],
    ],
    { maxBuffer: 64_000_000 },
  );
  if (stderr.length > 0) throw new Error(stderr.toString());
  return joinAccessUnits(splitAnnexB(stdout));
}

/** When each picture is shown, in pictures from the first IDR picture, from its slice header. */
export function shownAt(units: readonly AnnexBAccessUnit[], gop: number): number[] {
  const all = units.flatMap(({ nalus }) => nalus);
  const setOf = (type: number) => all.find((nalu) => nalType(nalHeader(nalu)) === type)!;
  const sps = parseSequenceParameterSet(setOf(NAL_SPS))!;
  const pps = parsePictureParameterSet(setOf(NAL_PPS))!;
  let idrs = 0;
  return units.map(({ nalus }) => {
    const first = nalus.find((nalu) => isVcl(nalType(nalHeader(nalu))))!;
    const header = readSliceSegmentHeader(first, pps, sps)!;
    if (isIdr(nalType(nalHeader(first)))) idrs += 1;
    return (idrs - 1) * gop + header.slice!.pictureOrderLsb;
  });
}

/** Packets of each picture, with its presentation time. */
export function h265Packets(units: readonly AnnexBAccessUnit[], shown: readonly number[]): Buffer[][] {
  let sequence = 65_500;
  return units.map(({ nalus }, index) => {
    const payloads = packetizeH265(nalus, MAX_PAYLOAD_BYTES, 'ap');
    return payloads.map((payload, at) => {
      const isLast = at === payloads.length - 1;
      return rtpPacket(VIDEO_PT, sequence++ & 0xffff, shown[index]! * FRAME_TICKS, payload, isLast);
    });
  });
}

/** The same in another order (RFC 7798 §6), with decoding order numbers, and the `a=fmtp` that says so. */
export function interleavedH265Packets(
  units: readonly AnnexBAccessUnit[],
  shown: readonly number[],
  depth: number,
  seed: number,
): { readonly packets: Buffer[]; readonly fmtp: ReadonlyMap<string, string> } {
  const random = new SeededRandom(seed);
  let absDon = 65_500;
  const blocks = units.flatMap(({ nalus }, index) => {
    const numbered = nalus.map((nalu) => ({ nalu, absDon: absDon++ }));
    return accessUnitBlocks(numbered, MAX_PAYLOAD_BYTES).map((block) => ({ ...block, index }));
  });
  const sent = shuffledWithin(blocks, depth, () => random.next());
  let sequence = 65_500;
  const packets = sent.flatMap(({ payloads, index }, at) => {
    const isLastOfPicture = !sent.slice(at + 1).some((other) => other.index === index);
    return payloads.map((payload, piece) => {
      const isMarked = isLastOfPicture && piece === payloads.length - 1;
      return rtpPacket(VIDEO_PT, sequence++ & 0xffff, shown[index]! * FRAME_TICKS, payload, isMarked);
    });
  });
  return { packets, fmtp: interleavingFmtp(sent.flatMap(({ absDons }) => absDons)) };
}
