import { describe, expect, it } from 'vitest';
import { AccessUnitAssembler, type PictureSink } from './access-unit-assembler.ts';
import { H264_SYNTAX } from './h264/h264-syntax.ts';
import { SAMPLE_PPS, SAMPLE_SPS, slice, sliceTexts } from './sample-stream-fixture.ts';

/** The assembler's reports, in order, and the steps that drive it. */
class Stage implements PictureSink {
  readonly told: string[] = [];
  readonly assembler = new AccessUnitAssembler(H264_SYNTAX, this);
  mayHaveFields = false;

  onPicture({ data, rtpTimestamp, isKey, ppsId }: Parameters<PictureSink['onPicture']>[0]): void {
    const kind = isKey ? `key pps ${ppsId}` : 'picture';
    this.told.push(`${kind} ${rtpTimestamp} ${sliceTexts(data).join('|')}`);
  }
  onDamagedPicture(isReference: boolean, isKey: boolean, code: string): void {
    this.told.push(`damaged ${isReference ? 'reference' : 'disposable'}${isKey ? ' key' : ''} ${code}`);
  }
  onSequenceEnd(): void {
    this.told.push('sequence end');
  }
  onReferenceLost(isKey: boolean): void {
    this.told.push(`lost${isKey ? ' key' : ''}`);
  }
  onParameterSet(nalu: Uint8Array): void {
    this.told.push(`set ${nalu[0]! & 0x1f}`);
  }

  /** One packet that holds `nalu`. */
  packet(rtpTimestamp: number, nalu: Uint8Array, isMarked = false): this {
    this.assembler.beginPacket(rtpTimestamp, 0);
    this.assembler.beginNalu(nalu[0]!, nalu[1] ?? 0);
    this.assembler.append(nalu, 1, nalu.length);
    this.assembler.endNalu();
    if (isMarked) this.assembler.marker();
    return this;
  }

  gap(): this {
    this.assembler.gap();
    return this;
  }

  /** A picture that ends at its marker, and one that proves the marker. */
  trusted(): this {
    this.packet(0, slice('idr', 'a'), true).packet(1, slice('reference', 'b'), true);
    this.told.length = 0;
    return this;
  }
}

describe('AccessUnitAssembler', () => {
  it('ends a picture with the next timestamp, and with its marker once one has proved correct', () => {
    const stage = new Stage().packet(0, slice('idr', 'a1')).packet(0, slice('idr', 'a2', false), true);
    expect(stage.told).toEqual([]);
    stage.packet(1, slice('reference', 'b'), true);
    expect(stage.told).toEqual(['key pps 0 0 a1|a2', 'picture 1 b']);
  });

  it('reports parameter sets before their picture, and keeps delimiters and filler out of it', () => {
    const stage = new Stage().trusted();
    for (const nalu of [Buffer.from([9, 0xf0]), SAMPLE_SPS, SAMPLE_PPS, Buffer.from([12, 0xff, 0x80])]) {
      stage.packet(2, nalu);
    }
    stage.packet(2, slice('idr', 'c'), true);
    expect(stage.told).toEqual(['set 7', 'set 8', 'key pps 0 2 c']);
  });

  it('keeps a key frame together whose slices have the parameter sets before each (GStreamer, config-interval=-1)', () => {
    const sets = (stage: Stage) => stage.packet(2, SAMPLE_SPS).packet(2, SAMPLE_PPS);
    const first = sets(new Stage().trusted()).packet(2, slice('idr', 'a1'));
    const whole = sets(first)
      .packet(2, slice('idr', 'a2', false), true)
      .packet(3, slice('reference', 'b'), true);
    expect(whole.told).toEqual(['set 7', 'set 8', 'key pps 0 2 a1|a2', 'picture 3 b']);
  });

  it('begins the next picture of the same timestamp at its first slice, or at a set that is another one', () => {
    const sets = (stage: Stage, sps = SAMPLE_SPS) => stage.packet(0, sps).packet(0, SAMPLE_PPS);
    const stage = sets(sets(new Stage()).packet(0, slice('idr', 'a'))).packet(0, slice('idr', 'b'));
    const other = Buffer.from([...SAMPLE_SPS, 1]);
    sets(stage, other).packet(0, slice('idr', 'c')).packet(1, slice('reference', 'd'));
    const told = ['set 7', 'set 8', 'key pps 0 0 a', 'key pps 0 0 b', 'set 7', 'set 8', 'key pps 0 0 c'];
    expect(stage.told).toEqual(told);
  });

  it('drops a key frame as a whole that lost a part before its repeated parameter sets, and reads those of the next', () => {
    const sets = (stage: Stage, at: number) => stage.packet(at, SAMPLE_SPS).packet(at, SAMPLE_PPS);
    const stage = sets(sets(new Stage().trusted(), 2).packet(2, slice('idr', 'a1')).gap(), 2);
    sets(stage.packet(2, slice('idr', 'a3', false), true), 3).packet(3, slice('idr', 'b'), true);
    const damaged = 'damaged reference key RTP_PACKET_LOSS';
    expect(stage.told).toEqual(['set 7', 'set 8', damaged, 'set 7', 'set 8', 'key pps 0 3 b']);
  });

  it('keeps the two fields of a frame together, if fields are possible', () => {
    const [whole, fields] = [new Stage(), new Stage()];
    fields.mayHaveFields = true;
    for (const stage of [whole, fields]) {
      stage
        .packet(0, slice('idr', 'top'))
        .packet(0, slice('reference', 'bottom'))
        .packet(1, slice('idr', 'b'));
    }
    expect(whole.told).toEqual(['key pps 0 0 top', 'picture 0 bottom']);
    expect(fields.told).toEqual(['key pps 0 0 top|bottom']);
  });

  it('counts a gap within a timestamp against that picture only', () => {
    const stage = new Stage().trusted().packet(2, slice('disposable', 'c1')).gap();
    stage.packet(2, slice('disposable', 'c2', false), true).packet(3, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['damaged disposable RTP_PACKET_LOSS', 'picture 3 d']);
  });

  it('counts a gap between timestamps against the end of one picture and what follows it', () => {
    const stage = new Stage().trusted().packet(2, slice('disposable', 'c1')).gap();
    stage.packet(4, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['damaged disposable RTP_PACKET_LOSS', 'lost', 'picture 4 d']);
  });

  it('counts a picture that is missing after a marker, and one whose first slice is missing', () => {
    const stage = new Stage().trusted().gap().packet(3, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['lost', 'damaged reference RTP_PACKET_LOSS', 'picture 3 d']);
    stage.told.length = 0;
    stage.gap().packet(5, slice('reference', 'e2', false), true);
    expect(stage.told).toEqual(['lost', 'damaged reference RTP_PACKET_LOSS']);
  });

  it('recognizes a key frame from a fragment of its middle', () => {
    const stage = new Stage().trusted().gap();
    stage.assembler.beginPacket(2, 0);
    stage.assembler.orphan(0x05);
    stage.packet(3, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['lost', 'damaged reference key RTP_PACKET_LOSS', 'picture 3 d']);
  });

  /** NAL units of a higher layer, or that announce one. */
  const layer = (type: number, text: string) =>
    Buffer.from([0x60 | type, 0x40, 0x00, 0x07, ...Buffer.from(text)]);

  it('leaves out the layers of scalable and multiview streams, and keeps slices with their prefixes together', () => {
    const stage = new Stage().trusted();
    for (const rtpTimestamp of [2, 3]) {
      const kind = rtpTimestamp === 2 ? 'idr' : 'reference';
      stage.packet(rtpTimestamp, layer(15, 'subset SPS'));
      for (const isFirst of [true, false]) {
        stage
          .packet(rtpTimestamp, layer(14, 'prefix'))
          .packet(rtpTimestamp, slice(kind, `${isFirst}`, isFirst));
      }
      stage.packet(rtpTimestamp, layer(20, 'layer 1')).packet(rtpTimestamp, layer(20, 'layer 2'));
      stage.packet(rtpTimestamp, layer(21, 'depth'), true);
    }
    expect(stage.told).toEqual(['key pps 0 2 true|false', 'picture 3 true|false']);
  });

  it('leaves out a layer that comes after the marked end of its base picture', () => {
    const stage = new Stage().trusted().packet(2, slice('reference', 'c'), true);
    stage.packet(2, layer(20, 'layer 1'), true).packet(3, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['picture 2 c', 'picture 3 d']);
  });

  it('separates base pictures that share a timestamp, each with prefixes', () => {
    const stage = new Stage();
    stage.packet(0, layer(14, 'prefix')).packet(0, slice('idr', 'a'));
    stage
      .packet(0, layer(14, 'prefix'))
      .packet(0, slice('reference', 'b'))
      .packet(1, slice('reference', 'c'));
    expect(stage.told).toEqual(['key pps 0 0 a', 'picture 0 b']);
  });

  it('refuses data partitions by name', () => {
    const stage = new Stage().trusted();
    for (const type of [2, 3, 4]) stage.packet(2, Buffer.from([0x60 | type, 0x88, 0x80, 0x61]), type === 4);
    stage.packet(3, slice('disposable', 'd'), true);
    expect(stage.told).toEqual(['damaged reference RTP_DATA_PARTITIONING', 'picture 3 d']);
  });

  it('leaves out NAL units of reserved and unspecified types', () => {
    const stage = new Stage().trusted();
    for (const type of [0, 13, 19, 22, 23, 30, 31]) stage.packet(2, layer(type, 'x'));
    stage.packet(2, slice('reference', 'c'), true);
    expect(stage.told).toEqual(['picture 2 c']);
  });

  it('stops trusting markers when a picture continues after one', () => {
    const stage = new Stage().trusted().packet(2, slice('reference', 'c1'), true);
    stage.packet(2, slice('reference', 'c2', false), true).packet(3, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['picture 2 c1', 'damaged reference RTP_EARLY_MARKER']);
    stage.packet(4, slice('reference', 'e'), true);
    expect(stage.told.at(-1)).toBe('picture 3 d');
  });

  it('drops a picture that grows too large, and continues with the next', () => {
    const stage = new Stage().trusted();
    const piece = Buffer.alloc(1_048_576, 0x55);
    stage.assembler.beginPacket(2, 0);
    stage.assembler.beginNalu(0x41, 0x9a);
    for (let index = 0; index < 9; index++) stage.assembler.append(piece, 0, piece.length);
    stage.assembler.endNalu();
    stage.assembler.marker();
    stage.packet(3, slice('reference', 'd'), true);
    expect(stage.told).toEqual(['damaged reference RTP_FRAME_TOO_LARGE', 'picture 3 d']);
  });
});
