import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxCursor, BoxStream, fourCc, fourCcText, MAX_BOXES, MAX_NESTING } from './box-reader.ts';

function box(type: string, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

function longBox(type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1, 0);
  header.write(type, 4, 'latin1');
  header.writeBigUInt64BE(BigInt(16 + content.length), 8);
  return Buffer.concat([header, content]);
}

/** Reads `bytes` in chunks of `chunkBytes` and returns the output, with the code of the error that ended it. */
function readStream(bytes: Uint8Array, chunkBytes: number, maxGatheredBytes?: number): string[] {
  const seen: string[] = [];
  const stream = new BoxStream(
    {
      wants: (type) => fourCcText(type) !== 'skip',
      onBox: (type, content, boxOffset, contentOffset) =>
        seen.push(
          `${fourCcText(type)}@${boxOffset}+${contentOffset} ${Buffer.from(content).toString('hex')}`,
        ),
    },
    maxGatheredBytes,
  );
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) stream.push(bytes.subarray(at, at + chunkBytes));
  } catch (error) {
    seen.push(error instanceof GatewayError ? error.code : String(error));
  }
  return seen;
}

function codeOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
  return 'ok';
}

const STREAM = Buffer.concat([
  box('ftyp', Buffer.from('0102', 'hex')),
  box('skip', Buffer.alloc(40)),
  box('free'),
  longBox('mdat', Buffer.from('a1a2a3', 'hex')),
  box('moof', Buffer.from('ff', 'hex')),
]);
const STREAM_BOXES = ['ftyp@0+8 0102', 'free@58+66 ', 'mdat@66+82 a1a2a3', 'moof@85+93 ff'];

describe('BoxStream', () => {
  it('finds boxes with 32- and 64-bit sizes however the stream is cut', () => {
    const input = Buffer.from(STREAM);
    for (let chunkBytes = 1; chunkBytes <= STREAM.length; chunkBytes++) {
      expect(readStream(STREAM, chunkBytes)).toEqual(STREAM_BOXES);
    }
    expect(STREAM.equals(input)).toBe(true);
  });

  it('waits for the rest of a stream truncated at any length', () => {
    for (let length = 0; length < STREAM.length; length++) {
      const seen = readStream(STREAM.subarray(0, length), 7);
      expect(STREAM_BOXES.slice(0, seen.length)).toEqual(seen);
      expect(seen.length).toBeLessThan(STREAM_BOXES.length);
    }
  });

  it.each([
    ['smaller than its header', '00000007 6d646174'],
    ['without an end', '00000000 6d646174'],
    ['64-bit and smaller than its header', '00000001 6d646174 0000000000000008'],
  ])('rejects a box %s', (_title, hex) => {
    expect(readStream(Buffer.from(hex.replaceAll(' ', ''), 'hex'), 64)).toEqual(['ISOBMFF_BOX_SIZE']);
  });

  it('refuses to gather more than its limit before it gathers anything, but skips any size', () => {
    const header = Buffer.from('7fffffff6d646174', 'hex');
    expect(readStream(header, 8)).toEqual(['ISOBMFF_LIMIT']);
    expect(readStream(box('mdat', Buffer.alloc(100)), 8, 99)).toEqual(['ISOBMFF_LIMIT']);
    expect(readStream(Buffer.from('7fffffff736b6970', 'hex'), 8)).toEqual([]);
    expect(readStream(Buffer.from('000000016d646174ffffffffffffffff', 'hex'), 8)).toEqual([
      'ISOBMFF_BOX_INVALID',
    ]);
  });

  it('passes on a box that lies in one chunk in place', () => {
    const chunk = box('mdat', Buffer.alloc(10));
    let content: Uint8Array | null = null;
    new BoxStream({ wants: () => true, onBox: (_type, bytes) => (content = bytes) }).push(chunk);
    expect(content!.buffer).toBe(chunk.buffer);
  });

  it('survives any bytes, the same way however they are cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 9 }), (bytes, chunkBytes) => {
        expect(readStream(bytes, chunkBytes, 64)).toEqual(readStream(bytes, bytes.length || 1, 64));
      }),
      randomRuns(3_000),
    );
  });
});

function cursorOf(bytes: Uint8Array): BoxCursor {
  return new BoxCursor(bytes, 0, bytes.length);
}

describe('BoxCursor', () => {
  it('walks siblings and children, and reads fields', () => {
    const cursor = cursorOf(
      Buffer.concat([
        box('moov', box('mvhd', Buffer.from('01000203fffffffe0000000100000002', 'hex')), box('free')),
        box('moof'),
      ]),
    );
    expect(cursor.next()).toBe(true);
    expect(cursor.type).toBe(fourCc('moov'));
    const child = cursor.children();
    expect(child.next()).toBe(true);
    expect([child.u8(), child.u24(), child.i32(), child.u64(), child.left]).toEqual([
      1,
      0x203,
      -2,
      2 ** 32 + 2,
      0,
    ]);
    expect([child.next(), fourCcText(child.type), child.next()]).toEqual([true, 'free', false]);
    expect([cursor.next(), fourCcText(cursor.type), cursor.next()]).toEqual([true, 'moof', false]);
  });

  it('lets a size of 0 reach to the end of the container', () => {
    const bytes = Buffer.from('000000006d646174aabb', 'hex');
    const cursor = cursorOf(bytes);
    expect([cursor.next(), cursor.left, cursor.next()]).toEqual([true, 2, false]);
  });

  it.each([
    ['reaching beyond its container', '00000009 6d646174'],
    ['smaller than its header', '00000004 6d646174'],
    ['truncated in its header', '000000'],
    ['truncated in its 64-bit size', '00000001 6d646174 00000000'],
  ])('rejects a box %s', (_title, hex) => {
    const cursor = cursorOf(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
    expect(codeOf(() => cursor.next())).toBe('ISOBMFF_BOX_SIZE');
  });

  it('refuses to read a field beyond its box, even though the bytes exist', () => {
    const cursor = cursorOf(Buffer.concat([box('mvhd', Buffer.alloc(3)), box('free', Buffer.alloc(8))]));
    cursor.next();
    expect(codeOf(() => cursor.u32())).toBe('ISOBMFF_BOX_TRUNCATED');
    expect(codeOf(() => cursor.view(4))).toBe('ISOBMFF_BOX_TRUNCATED');
    expect(cursor.u24()).toBe(0);
  });

  it('limits nesting and the number of boxes over all levels', () => {
    let nested = box('xxxx');
    for (let depth = 0; depth < MAX_NESTING + 2; depth++) nested = box('xxxx', nested);
    const descend = (cursor: BoxCursor): void => {
      while (cursor.next()) descend(cursor.children());
    };
    expect(codeOf(() => descend(cursorOf(nested)))).toBe('ISOBMFF_LIMIT');
    const many = box('xxxx', Buffer.concat(Array.from({ length: MAX_BOXES }, () => box('xxxx'))));
    expect(codeOf(() => descend(cursorOf(many)))).toBe('ISOBMFF_LIMIT');
    expect(codeOf(() => descend(cursorOf(many.subarray(8, -8))))).toBe('ok');
  });
});
