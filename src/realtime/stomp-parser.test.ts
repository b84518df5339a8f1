import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { anyText } from '../core/any-text-fixture.ts';
import { HEART_BEAT, type StompHeaders, writeStompFrame } from './stomp-frame.ts';
import {
  MAX_STOMP_BODY_BYTES,
  MAX_STOMP_HEAD_BYTES,
  MAX_STOMP_HEADERS,
  StompParser,
} from './stomp-parser.ts';

interface PlainFrame {
  readonly command: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function parse(...chunks: (string | Buffer)[]): PlainFrame[] {
  const parser = new StompParser();
  return chunks.flatMap((chunk) =>
    parser.push(Buffer.from(chunk as string)).map(({ command, headers, body }) => ({
      command,
      body: body.toString(),
      headers: Object.fromEntries(headers),
    })),
  );
}

const CONVERSATION = Buffer.concat([
  Buffer.from('\r\n\nCONNECT\r\naccept-version:1.1,1.2\r\nhost:a:b\r\n\r\n\0\n'),
  Buffer.from('SUBSCRIBE\nid:0\ndestination:/topic\\cchange\\\\x\\n\n\n\0\r\n'),
  Buffer.from('SEND\ncontent-length:5\n\na\0\n\nb\0'),
  Buffer.from('SEND\nempty:\nempty:second\n\nGrüße\0DISCONNECT\n\n\0'),
]);
const FRAMES: readonly PlainFrame[] = [
  { command: 'CONNECT', headers: { 'accept-version': '1.1,1.2', host: 'a:b' }, body: '' },
  { command: 'SUBSCRIBE', headers: { id: '0', destination: '/topic:change\\x\n' }, body: '' },
  { command: 'SEND', headers: { 'content-length': '5' }, body: 'a\0\n\nb' },
  { command: 'SEND', headers: { empty: '' }, body: 'Grüße' },
  { command: 'DISCONNECT', headers: {}, body: '' },
];

describe('StompParser', () => {
  it('reads frames with either line end, escapes, bodies with and without a length', () => {
    expect(parse(CONVERSATION)).toEqual(FRAMES);
  });

  it('reads the same wherever the stream is cut', () => {
    for (let at = 0; at <= CONVERSATION.length; at++) {
      expect(parse(CONVERSATION.subarray(0, at), CONVERSATION.subarray(at))).toEqual(FRAMES);
    }
    expect(parse(...Array.from(CONVERSATION, (byte) => Buffer.of(byte)))).toEqual(FRAMES);
  });

  it('returns no frame before it is complete', () => {
    const frame = Buffer.from('SEND\ncontent-length:3\n\nabc\0');
    for (let length = 0; length < frame.length; length++) {
      expect(parse(frame.subarray(0, length))).toEqual([]);
    }
  });

  it('does not keep or change what it is given', () => {
    const parser = new StompParser();
    const [head, rest] = [Buffer.from('SEND\na:b\n'), Buffer.from('\nbody\0')];
    parser.push(head);
    head.fill(0x7a);
    const [frame] = parser.push(rest);
    expect(rest.toString()).toBe('\nbody\0');
    rest.fill(0x7a);
    expect(frame!.body.toString()).toBe('body');
  });

  it('ignores heart-beats', () => {
    expect(parse(HEART_BEAT, '\r\n', '\r', '\n', HEART_BEAT)).toEqual([]);
  });

  it.each([
    ['no command', '\t\n\n\0'],
    ['lower case', 'connect\n\n\0'],
    ['a header without a colon', 'SEND\nheader\n\n\0'],
    ['a header without a name', 'SEND\n:value\n\n\0'],
    ['an undefined escape', 'SEND\na:\\t\n\n\0'],
    ['a backslash at the end', 'SEND\na:b\\\n\n\0'],
    ['a CR inside a header', 'SEND\na:b\rc\n\n\0'],
    ['a length that is not a number', 'SEND\ncontent-length:-1\n\n\0'],
    ['no NUL where the length says', 'SEND\ncontent-length:1\n\nabc\0'],
  ])('fails on %s', (_name, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'STOMP_MALFORMED_FRAME' }));
  });

  it.each([
    ['a head without an end', `SEND\n${'a:b\n'.repeat(MAX_STOMP_HEAD_BYTES / 4 + 1)}`],
    ['a long header', `SEND\na:${'b'.repeat(MAX_STOMP_HEAD_BYTES)}\n\n\0`],
    ['many headers', `SEND\n${'a:b\n'.repeat(MAX_STOMP_HEADERS + 1)}\n\0`],
    ['a long body', `SEND\ncontent-length:${MAX_STOMP_BODY_BYTES + 1}\n\n`],
    ['a body without an end', `SEND\n\n${'a'.repeat(MAX_STOMP_BODY_BYTES + 1)}`],
  ])('refuses %s', (_name, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'STOMP_FRAME_TOO_LARGE' }));
  });

  it('reads back what is written, no matter what it says and where it is cut', () => {
    const text = anyText({ maxLength: 40 }).filter((value) => !value.includes('\0'));
    const header = fc.tuple(
      text.filter((name) => name !== '' && name !== 'content-length'),
      text,
    );
    const headers = fc.uniqueArray(header, { selector: ([name]) => name, maxLength: 6 });
    const body = fc.option(fc.uint8Array({ maxLength: 200 }));
    const cuts = fc.array(fc.nat(400), { maxLength: 4 });
    fc.assert(
      fc.property(headers, body, cuts, (written: StompHeaders, bytes, at) => {
        const frame = writeStompFrame('MESSAGE', written, bytes === null ? null : Buffer.from(bytes));
        const parser = new StompParser();
        const edges = [0, ...at.toSorted((a, b) => a - b), frame.length];
        const read = edges.slice(1).flatMap((end, i) => parser.push(frame.subarray(edges[i]!, end)));
        expect(read).toHaveLength(1);
        const { 'content-length': length, ...others } = Object.fromEntries(read[0]!.headers);
        expect(Object.entries(others)).toEqual(Object.entries(Object.fromEntries(written)));
        expect(length).toBe(bytes === null ? undefined : String(bytes.length));
        expect(read[0]!.body).toEqual(Buffer.from(bytes ?? []));
      }),
      randomRuns(500),
    );
  });

  it('fails only with its own errors on any input', () => {
    const piece = fc.oneof(
      fc.constantFrom('SEND', 'CONNECT', '\n', '\r\n', '\r', '\0', ':', '\\', 'a', 'content-length:3\n'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (chunks) => {
        try {
          parse(...chunks);
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^STOMP_(MALFORMED_FRAME|FRAME_TOO_LARGE)$/);
        }
      }),
      randomRuns(10_000),
    );
  });
});
