import { describe, expect, it } from 'vitest';
import { type ClipFileOptions, clipFile, memorySource } from '../../test/support/clip-files.ts';

import { readClip } from '../isobmff/clip-reader.ts';
import { clipSegments, clipTracks } from './clip-segments.ts';

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** The same boxes with what `change` makes of the content of those that hold no others; null: it stays. */
function changed(bytes: Buffer, change: (type: string) => Buffer | null): Buffer {
  const boxes: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + size);
    // Its tables are those of the sound.
    const isOther = type === 'trak' && !content.includes('soun');
    if (CONTAINERS.has(type) && !isOther) boxes.push(box(type, changed(content, change)));
    else boxes.push(box(type, change(isOther ? '' : type) ?? content));
    at += size;
  }
  return Buffer.concat(boxes);
}

/** One sample a chunk, all in the same place. */
function withSound(file: Buffer, sampleBytes: number, count: number, durationTicks = 1_024): Buffer {
  const offset = file.indexOf('mdat') + 4;
  return changed(file, (type) => {
    if (type === 'stsz') return words(0, sampleBytes, count);
    if (type === 'stts') return words(0, 1, count, durationTicks);
    if (type === 'stsc') return words(0, 1, 1, 1, 1);
    if (type === 'stco') return words(0, count, ...Array.from({ length: count }, () => offset));
    return null;
  });
}

const PROGRESSIVE: ClipFileOptions = { seconds: 1 };

describe('a file that says more than it has', () => {
  it('is refused if its samples lie over each other', () => {
    const file = clipFile(PROGRESSIVE);
    expect(readClip(memorySource(withSound(file, 10, 100))).tracks).toHaveLength(2);
    const bomb = withSound(file, 1_000, 5_000);
    expect(bomb.length).toBeLessThan(200_000);
    expect(() => readClip(memorySource(bomb))).toThrow(expect.objectContaining({ code: 'ISOBMFF_LIMIT' }));
  });

  it('is refused if its tracks have more samples than a clip can have', () => {
    const file = withSound(clipFile(PROGRESSIVE), 1, 1);
    const offset = file.indexOf('mdat') + 4;
    const sound = changed(file, (type) => {
      if (type === 'stsz') return words(0, 1, 130_000);
      if (type === 'stts') return words(0, 1, 130_000, 1_024);
      if (type === 'stsc') return words(0, 1, 1, 130_000, 1);
      return type === 'stco' ? words(0, 1, offset) : null;
    });
    const moov = sound.subarray(sound.indexOf('moov') - 4);
    const trak = moov.subarray(moov.lastIndexOf('trak') - 4);
    const copied = trak.subarray(0, trak.readUInt32BE());
    const more = box('moov', moov.subarray(8), ...Array.from({ length: 14 }, () => copied));
    const whole = Buffer.concat([sound.subarray(0, sound.length - moov.length), more]);
    expect(() => readClip(memorySource(whole))).toThrow(expect.objectContaining({ code: 'ISOBMFF_LIMIT' }));
  });

  it('is refused if a moment of it has more samples than a fragment can have', () => {
    const cut = (samples: number) => {
      const source = memorySource(withSound(clipFile({ seconds: 3 }), 1, samples, 1));
      return [...clipSegments(clipTracks(readClip(source)), source)];
    };
    expect(cut(10_000)).toHaveLength(2);
    expect(() => cut(12_000)).toThrow(expect.objectContaining({ code: 'CMAF_CLIP_SAMPLE' }));
  });

  it('is refused if its fragments have, also those of tracks that it does not describe', () => {
    const file = clipFile({ ...PROGRESSIVE, muxer: '-movflags +empty_moov+default_base_moof+frag_keyframe' });
    const traf = box('traf', box('tfhd', words(0, 99)), box('trun', words(0, 900_000)));
    const fragments = Array.from({ length: 3 }, () => box('moof', traf));
    expect(readClip(memorySource(Buffer.concat([file, fragments[0]!]))).tracks).toHaveLength(2);
    const whole = Buffer.concat([file, ...fragments]);
    expect(() => readClip(memorySource(whole))).toThrow(expect.objectContaining({ code: 'ISOBMFF_LIMIT' }));
  });
});
