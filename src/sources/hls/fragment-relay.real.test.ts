import { describe, expect, it } from 'vitest';
import { HEIGHT_PX, WIDTH_PX } from '../../../test/support/decoded-video.ts';
import { encodeH265 } from '../../../test/support/h265-streams.ts';
import { isRasl, NAL_CRA, NAL_PPS, NAL_SPS, NAL_VPS, nalHeader, nalType } from '../../codec/h265/nal-unit.ts';
import type { H265Track } from '../../codec/track.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import { FRAME_TICKS, listed, segmentOf } from './hls-fixture.ts';
import { readInitSection } from './init-section.ts';
import { Player } from './relay-fixture.ts';

function lengthPrefixed(nalus: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(nalu.length);
      return [length, nalu];
    }),
  );
}

describe('FragmentRelay', () => {
  it('relays H.265, and drops pictures that refer to what is missing before their key frame', () => {
    const units = encodeH265(40, 10, 'open-gop=1:bframes=3:b-adapt=0').map(({ nalus }) => nalus);
    const setsOf = (type: number) => units[0]!.filter((nalu) => nalType(nalHeader(nalu)) === type);
    const sizes = { timescaleHz: 90_000, widthPx: WIDTH_PX, heightPx: HEIGHT_PX, nominalFrameRateHz: null };
    const track: H265Track = {
      kind: 'video',
      codec: 'h265',
      ...sizes,
      codecString: 'hvc1.1.6.L30.90',
      vps: setsOf(NAL_VPS),
      sps: setsOf(NAL_SPS),
      pps: setsOf(NAL_PPS),
    };
    const isRaslUnit = (nalus: readonly Uint8Array[]) =>
      nalus.some((nalu) => isRasl(nalType(nalHeader(nalu))));
    const cra = units.findIndex((nalus) => nalus.some((nalu) => nalType(nalHeader(nalu)) === NAL_CRA));
    const [before, after] = [units.slice(0, cra), units.slice(cra)].map((each) => each.map(lengthPrefixed));
    const raslPictures = units.slice(cra, cra + 5).filter(isRaslUnit).length;
    expect(raslPictures).toBeGreaterThan(0);
    for (const isMissing of [false, true]) {
      const player = new Player(readInitSection(writeInitSegment([track])));
      player.relay.push(segmentOf(before!, 0, FRAME_TICKS), listed(1));
      if (isMissing) player.relay.missed(1_000);
      const startTicks = (before!.length + (isMissing ? 25 : 0)) * FRAME_TICKS;
      player.relay.push(segmentOf(after!, startTicks, FRAME_TICKS), listed(2));
      player.clock.advance(5_000);
      expect(player.tracks[0]).toEqual([expect.objectContaining({ codec: 'h265', widthPx: WIDTH_PX })]);
      const dropped = isMissing ? raslPictures : 0;
      expect([player.dts.length, player.dropped.length]).toEqual([units.length - dropped, dropped]);
    }
  });
});
