import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { PartBytes } from '../../cmaf/part-bytes.ts';
import {
  encodeHead,
  encodeRecord,
  FRAME_LIMITS,
  type Frame,
  type FrameLimits,
  GREETING_LIMITS,
  RECORD,
} from './frame-header.ts';
import { FrameReader } from './frame-reader.ts';
import { greetingOf, rawFrame } from './links-fixture.ts';

const HEARTBEAT = Buffer.alloc(4);

interface MediaRecord {
  readonly record: Uint8Array;
  readonly media: Uint8Array;
}

interface Read {
  readonly frames: (Frame | MediaRecord)[];
  readonly heartbeats: number;
}

function read(chunks: readonly Uint8Array[], limits: FrameLimits = FRAME_LIMITS): Read {
  const frames: (Frame | MediaRecord)[] = [];
  const held: PartBytes[] = [];
  let heartbeats = 0;
  const sink = {
    onFrame: (frame: Frame) => void frames.push(plain(frame)),
    onRecord: (record: Buffer, media: PartBytes) => {
      held.push(media);
      frames.push({ record: Uint8Array.from(record), media: new Uint8Array() });
    },
    onHeartbeat: () => void heartbeats++,
  };
  const reader = new FrameReader(sink, limits);
  try {
    for (const chunk of chunks) {
      const lent = Uint8Array.from(chunk);
      reader.push(lent);
      // Borrowed: whatever the reader keeps of it would show.
      lent.fill(0xee);
    }
  } finally {
    reader.stop();
  }
  // Later reads do not change it.
  const media = held.map((one) => Uint8Array.from(one.join()));
  for (const one of held) one.release();
  const whole = frames.map((one) => ('media' in one ? { ...one, media: media.shift()! } : one));
  return { frames: whole, heartbeats };
}

function plain({ header, bytes }: Frame): Frame {
  return { header, bytes: bytes.map((attachment) => Uint8Array.from(attachment)) };
}

/** Bytes as strings: to compare arrays of 100 kB takes seconds. */
function comparable(frame: Frame | MediaRecord): object {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
  if ('media' in frame) return { record: text(frame.record), media: text(frame.media) };
  return { header: frame.header, bytes: frame.bytes.map(text) };
}

function encode(frame: Frame | MediaRecord): Buffer {
  if ('media' in frame) {
    return Buffer.concat([encodeRecord(frame.record, frame.media.length), frame.media]);
  }
  return Buffer.concat([encodeHead(frame.header, frame.bytes), ...frame.bytes]);
}

/** `stream` in pieces that end at these places. */
function cut(stream: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  let start = 0;
  return ends.map((end) => {
    const piece = stream.subarray(start, end);
    start = end;
    return piece;
  });
}

const body = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const kind = fc
  .string({ minLength: 1, maxLength: 50, unit: 'grapheme' })
  .filter((text) => text.length <= 100);
const frame: fc.Arbitrary<Frame> = fc.record({
  header: fc.oneof(
    fc.record({ type: fc.constant('message' as const), kind, body }),
    fc.record({ type: fc.constant('request' as const), id: fc.nat(), kind, body }),
    fc.record({ type: fc.constant('response' as const), id: fc.nat(), body }),
  ),
  bytes: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }),
});
const record: fc.Arbitrary<MediaRecord> = fc.record({
  record: fc.uint8Array({ minLength: 1, maxLength: 1_500 }),
  media: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    // More than a block.
    fc
      .record({ bytes: fc.integer({ min: 60_000, max: 140_000 }), value: fc.nat(255) })
      .map(({ bytes, value }) => new Uint8Array(bytes).fill(value)),
  ),
});
const RECORD_EXAMPLE: MediaRecord = { record: Uint8Array.of(1, 2), media: Uint8Array.of(3, 4, 5) };
const EXAMPLE: Frame = {
  header: { type: 'request', id: 7, kind: 'part', body: { text: 'ä🙂' } },
  bytes: [Uint8Array.of(1, 2, 3), new Uint8Array(0), Uint8Array.of(4)],
};

describe('the reader of frames', () => {
  it('reads what was written, wherever the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(frame, record), { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (frames, places) => {
          const stream = Buffer.concat(frames.flatMap((each) => [encode(each), HEARTBEAT]));
          const { frames: found, heartbeats } = read(cut(stream, places));
          expect(heartbeats).toBe(frames.length);
          expect(found.map(comparable)).toEqual(frames.map(comparable));
        },
      ),
      randomRuns(300),
    );
  });

  it('reads a frame in single bytes', () => {
    const stream = Buffer.concat([encode(EXAMPLE), encode(RECORD_EXAMPLE)]);
    const singly = Array.from(stream, (_, at) => stream.subarray(at, at + 1));
    expect(read(singly).frames).toEqual([EXAMPLE, RECORD_EXAMPLE]);
  });

  it('reports nothing of a frame that is cut short, at any length', () => {
    const before = mediaBlockBytes().used;
    for (const stream of [encode(EXAMPLE), encode(RECORD_EXAMPLE)]) {
      for (let length = 0; length < stream.length; length++) {
        expect(read([stream.subarray(0, length)])).toEqual({ frames: [], heartbeats: 0 });
      }
    }
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('fails with a code of its own for any bytes, or reads them', () => {
    const prefixed = fc.tuple(fc.nat(40), fc.uint8Array({ maxLength: 60 }));
    fc.assert(
      fc.property(prefixed, ([length, bytes]) => {
        try {
          read([Buffer.from([0, 0, 0, length]), bytes]);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^LINK_FRAME_(MALFORMED|LIMIT)$/) });
        }
      }),
      randomRuns(1_000),
    );
  });

  it('reports no frame after it was stopped, also in the same chunk', () => {
    const frames: Frame[] = [];
    const reader = new FrameReader(
      {
        onFrame: (each) => {
          frames.push(plain(each));
          reader.stop();
        },
        onRecord: (_, media) => media.release(),
        onHeartbeat: () => undefined,
      },
      FRAME_LIMITS,
    );
    reader.push(Buffer.concat([encode(EXAMPLE), encode(EXAMPLE)]));
    expect(frames).toEqual([EXAMPLE]);
  });
});

describe('limits of frames', () => {
  it('a header of 4 GB is refused from its length alone', () => {
    expect(() => read([Buffer.from([0x80, 0, 0, 0])])).toThrow(
      expect.objectContaining({
        code: 'LINK_FRAME_LIMIT',
        context: { what: 'header bytes', value: 2 ** 31, limit: FRAME_LIMITS.headerBytes },
      }),
    );
  });

  it('a record of 2 GB is refused from its length alone, and so are its media', () => {
    expect(() => read([Buffer.alloc(4, 0xff)])).toThrow(
      expect.objectContaining({
        code: 'LINK_FRAME_LIMIT',
        context: { what: 'record bytes', value: 2 ** 31 - 1, limit: FRAME_LIMITS.recordBytes },
      }),
    );
    const lengths = Buffer.alloc(8, 0xff);
    lengths.writeUInt32BE(RECORD + 10);
    expect(() => read([lengths])).toThrow(
      expect.objectContaining({
        code: 'LINK_FRAME_LIMIT',
        context: expect.objectContaining({ what: 'frame bytes' }),
      }),
    );
    expect(() => encodeRecord(Uint8Array.of(1), FRAME_LIMITS.frameBytes)).toThrow(
      expect.objectContaining({ code: 'LINK_FRAME_LIMIT' }),
    );
  });

  it.each([
    ['attachments', Array.from({ length: FRAME_LIMITS.attachments + 1 }, () => 0)],
    ['frame bytes', [FRAME_LIMITS.frameBytes]],
    ['frame bytes', [2 ** 53 - 1, 2 ** 53 - 1]],
  ])('too many %s are refused from the header alone', (what, sizes) => {
    const header = JSON.stringify({ type: 'message', kind: 'a', sizes });
    expect(() => read([rawFrame(header)])).toThrow(
      expect.objectContaining({ code: 'LINK_FRAME_LIMIT', context: expect.objectContaining({ what }) }),
    );
  });

  it('as many attachments as are allowed are read', () => {
    const bytes = Array.from({ length: FRAME_LIMITS.attachments }, () => Uint8Array.of(1));
    const { frames } = read([encode({ header: { type: 'message', kind: 'a', body: null }, bytes })]);
    expect((frames[0] as Frame).bytes.length).toBe(FRAME_LIMITS.attachments);
  });

  it('before the greeting nothing can be attached', () => {
    expect(read([encode({ header: greetingOf('a'), bytes: [] })], GREETING_LIMITS).frames.length).toBe(1);
    for (const large of [EXAMPLE, RECORD_EXAMPLE]) {
      expect(() => read([encode(large)], GREETING_LIMITS)).toThrow(
        expect.objectContaining({ code: 'LINK_FRAME_LIMIT' }),
      );
    }
  });
});

describe('a malformed header', () => {
  const error = { code: 'X', kind: 'limit', message: '', context: {}, cause: null };
  it.each([
    ['{', 'the header is not JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'the header is not UTF-8'],
    ['[]', 'the header is not an object'],
    ['null', 'the header is not an object'],
    ['{}', 'the header has no known type'],
    ['{"type":"__proto__"}', 'the header has no known type'],
    ['{"type":"message"}', 'kind is not a text of 1 to 100 characters'],
    [JSON.stringify({ type: 'message', kind: 'a'.repeat(101) }), 'kind is not a text of 1 to 100 characters'],
    ['{"type":"request","kind":"a"}', 'id is not a number'],
    ['{"type":"response","id":-1}', 'id is not a number'],
    ['{"type":"message","kind":"a","sizes":{}}', 'sizes is not a list of sizes'],
    ['{"type":"message","kind":"a","sizes":[1.5]}', 'sizes is not a list of sizes'],
    ['{"type":"greeting","version":"1"}', 'version is not a number'],
    ['{"type":"greeting","version":1,"cluster":""}', 'cluster is not a text of 1 to 200 characters'],
    ['{"type":"end"}', 'error is not an object'],
    ['{"type":"end","error":{}}', 'error has no code or message'],
    [JSON.stringify({ type: 'end', error: { ...error, kind: 'toString' } }), 'error has no known kind'],
    [
      JSON.stringify({ type: 'end', error: { ...error, context: { a: [] } } }),
      'error has no context of plain values',
    ],
    [JSON.stringify({ type: 'end', error: { ...error, cause: 1 } }), 'error has a cause that is not text'],
    [JSON.stringify({ type: 'end', error, sizes: [1] }), 'a frame of type end has attachments'],
  ])('%s: %s', (header, what) => {
    expect(() => read([rawFrame(header)])).toThrow(
      expect.objectContaining({ code: 'LINK_FRAME_MALFORMED', context: { what } }),
    );
  });
});
