import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import { BoxCursor, fourCc, fourCcText } from './box-reader.ts';
import { FragmentReader } from './fragment-reader.ts';
import { writeInitSegment } from './init-segment.ts';

/** `moov/trak/mdia…` of every box, in order. */
function paths(cursor: BoxCursor, prefix = ''): string[] {
  const containers = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'dinf'];
  const found: string[] = [];
  while (cursor.next()) {
    const type = fourCcText(cursor.type);
    found.push(prefix + type);
    if (containers.includes(type)) found.push(...paths(cursor.children(), `${prefix}${type}/`));
  }
  return found;
}

describe('writeInitSegment', () => {
  it('reads back as the same tracks', () => {
    let tracks: unknown;
    const reader = new FragmentReader({
      onTracks: (read) => {
        tracks = read;
      },
      onSample: () => expect.unreachable(),
    });
    reader.push(writeInitSegment([FAKE_VIDEO, FAKE_AUDIO]));
    expect(tracks).toMatchObject([
      { codec: 'h264', timescaleHz: 90_000, codecString: 'avc1.64001e', widthPx: 640, heightPx: 360 },
      {
        codec: 'aac',
        timescaleHz: 48_000,
        codecString: 'mp4a.40.2',
        channelCount: 2,
        samplesPerFrame: 1_024,
      },
    ]);
    expect(tracks).toHaveProperty('0.sps.0', new Uint8Array(FAKE_VIDEO.sps[0]!));
    expect(tracks).toHaveProperty('0.pps.0', new Uint8Array(FAKE_VIDEO.pps[0]!));
    expect(tracks).toHaveProperty('1.audioSpecificConfig', new Uint8Array(FAKE_AUDIO.audioSpecificConfig));
  });

  it('has every box that the movie header of a fragmented file needs', () => {
    const init = writeInitSegment([FAKE_VIDEO]);
    const stbl = 'moov/trak/mdia/minf/stbl';
    expect(paths(new BoxCursor(init, 0, init.length))).toEqual([
      'ftyp',
      'moov',
      'moov/mvhd',
      'moov/trak',
      'moov/trak/tkhd',
      'moov/trak/mdia',
      'moov/trak/mdia/mdhd',
      'moov/trak/mdia/hdlr',
      'moov/trak/mdia/minf',
      'moov/trak/mdia/minf/vmhd',
      'moov/trak/mdia/minf/dinf',
      'moov/trak/mdia/minf/dinf/dref',
      stbl,
      `${stbl}/stsd`,
      `${stbl}/stts`,
      `${stbl}/stsc`,
      `${stbl}/stco`,
      `${stbl}/stsz`,
      'moov/mvex',
      'moov/mvex/trex',
    ]);
  });

  it('is the same bytes for the same tracks', () => {
    const init = writeInitSegment([FAKE_VIDEO, FAKE_AUDIO]);
    expect(writeInitSegment([{ ...FAKE_VIDEO }, { ...FAKE_AUDIO }])).toEqual(init);
  });

  it('has the brand of CMAF with one track, and not with two (ISO/IEC 23000-19 §7.3)', () => {
    const fileType = (init: Buffer) => init.subarray(0, init.readUInt32BE(0)).toString('latin1');
    expect(fileType(writeInitSegment([FAKE_VIDEO]))).toBe('\0\0\0\x1cftypcmfc\0\0\0\0cmfciso6mp41');
    expect(fileType(writeInitSegment([FAKE_VIDEO, FAKE_AUDIO]))).toBe('\0\0\0\x18ftypiso6\0\0\0\0iso6mp41');
  });

  it('repeats the chroma format of High profile after the parameter sets, and nothing for Baseline', () => {
    const avcC = (sps: string) => {
      const init = writeInitSegment([{ ...FAKE_VIDEO, sps: [Buffer.from(sps, 'hex')] }]);
      const start = init.indexOf('avcC') - 4;
      const cursor = new BoxCursor(init, start, start + init.readUInt32BE(start));
      expect(cursor.next() && cursor.type === fourCc('avcC')).toBe(true);
      return Buffer.from(cursor.view(cursor.left)).toString('hex');
    };
    const pps = '0100066' + '8ebe3cb22c0';
    expect(avcC('6764001eacd940a02ff9610000030001000003003c8f162d96')).toMatch(new RegExp(`${pps}fdf8f800$`));
    expect(avcC('6742c01eda0280bfe5c04400000fa40003')).toMatch(new RegExp(`${pps}$`));
  });

  it('leaves out parameter sets that no record can hold', () => {
    const sps = [Buffer.alloc(70_000, 0x67), ...FAKE_VIDEO.sps, Buffer.alloc(0)];
    expect(writeInitSegment([{ ...FAKE_VIDEO, sps }])).toEqual(writeInitSegment([FAKE_VIDEO]));
  });
});
