import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { toGatewayError } from '../core/errors.ts';
import { OUTPUT_RECORDS, recordOf, SoundRecordReader } from './sound-records.ts';

const HELLO = Buffer.from('sluice-sound-server 2\n');
const MAX_BODY_BYTES = 1_536;

interface Heard {
  readonly stream: number;
  readonly kind: number;
  readonly body: Buffer;
}

/** Everything that a server said, in these chunks. */
function heard(chunks: readonly Buffer[]): Heard[] {
  const records: Heard[] = [];
  const reader = new SoundRecordReader((stream, kind, body) =>
    records.push({ stream, kind, body: Buffer.from(body) }),
  );
  for (const chunk of chunks) reader.push(chunk);
  return records;
}

function written({ stream, kind, body }: Heard): Buffer {
  const record = recordOf(stream, kind, body.length);
  body.copy(record, record.length - body.length);
  return record;
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length]!;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const anyRecord = fc.record({
  stream: fc.nat(0xff_ff_ff_ff),
  kind: fc.constantFrom(...Object.values(OUTPUT_RECORDS), 0, 99),
  body: fc.uint8Array({ maxLength: MAX_BODY_BYTES }).map((bytes) => Buffer.from(bytes)),
});

describe('SoundRecordReader', () => {
  it('finds the same records however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(anyRecord, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 8 }),
        (records, sizes) => {
          const bytes = Buffer.concat([HELLO, ...records.map(written)]);
          expect(heard(cut(bytes, sizes))).toEqual(records);
        },
      ),
      randomRuns(200),
    );
  });

  it('finds them cut at every byte, and nothing in one that is not complete', () => {
    const records = [
      { stream: 1, kind: OUTPUT_RECORDS.frame, body: Buffer.from('frame') },
      { stream: 2, kind: OUTPUT_RECORDS.failed, body: Buffer.alloc(0) },
    ];
    const bytes = Buffer.concat([HELLO, ...records.map(written)]);
    for (let at = 0; at <= bytes.length; at++) {
      expect(heard([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(records);
      expect(heard([bytes.subarray(0, at)]).length).toBeLessThan(at === bytes.length ? 3 : 2);
    }
  });

  it('takes any other bytes for a fault with a code, and keeps less than a record of them', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.uint8Array({ maxLength: 3_000 })), (greets, chunks) => {
        const bytes = chunks.map((chunk) => Buffer.from(chunk));
        try {
          const records = heard(greets ? [HELLO, ...bytes] : bytes);
          for (const { body } of records) expect(body.length).toBeLessThanOrEqual(MAX_BODY_BYTES);
        } catch (error) {
          expect(toGatewayError(error).code).toBe('FFMPEG_BAD_OUTPUT');
        }
      }),
      randomRuns(200),
    );
  });

  it.each([
    ['no greeting', Buffer.from('ffmpeg version 5.1')],
    ['half a greeting', Buffer.from('sluice-picture-server 1\n')],
    ['a record that is too long', Buffer.concat([HELLO, recordOf(1, 1, 0).fill(0xff, 8)])],
  ])('refuses %s', (_what, bytes) => {
    expect(() => heard([bytes])).toThrow(expect.objectContaining({ code: 'FFMPEG_BAD_OUTPUT' }));
  });
});
