import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import type { RtspRequest, RtspResponse } from './message.ts';
import { DEFAULT_RTSP_READER_LIMITS, RtspMessageReader, type RtspMessageSink } from './message-reader.ts';
import { writeRequest, writeResponse } from './message-writer.ts';

/** Everything that a reader emits, with frames copied. */
class Recorder implements RtspMessageSink {
  readonly events: string[] = [];
  readonly requests: RtspRequest[] = [];
  readonly responses: RtspResponse[] = [];
  readonly frameBuffers: Uint8Array[] = [];

  onRequest(request: RtspRequest): void {
    this.requests.push(request);
    this.events.push(`request ${request.method} ${request.uri} ${latin1(request.body)}`);
  }

  onResponse(response: RtspResponse): void {
    this.responses.push(response);
    this.events.push(`response ${response.statusCode} ${response.reasonPhrase} ${latin1(response.body)}`);
  }

  onInterleaved(channel: number, chunk: Uint8Array, start: number, end: number): void {
    this.frameBuffers.push(chunk);
    this.events.push(`frame ${channel} ${latin1(chunk.subarray(start, end))}`);
  }
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

function frame(channel: number, payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([0x24, channel, bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

function read(...chunks: (string | Uint8Array)[]): Recorder {
  const recorder = new Recorder();
  const reader = new RtspMessageReader(recorder);
  for (const chunk of chunks) reader.push(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk);
  return recorder;
}

const OK = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n';

/** One of everything that can arrive on a connection. */
const SCENE = Buffer.concat([
  Buffer.from(OK),
  frame(0, 'early'),
  writeResponse(401, 'Unauthorized', [['WWW-Authenticate', 'Basic realm="x"']]),
  Buffer.from('\r\n\r\nRTSP/1.0 200 OK\nContent-length:  4\nX: a\n b\n\nbody\r\n'),
  frame(1, ''),
  frame(255, '$RTSP/1.0 200 OK\r\n\r\n'),
  writeRequest('GET_PARAMETER', 'rtsp://h/p', [['CSeq', '7']], 'volume'),
  frame(2, Buffer.alloc(3_000, 'x')),
]);
const SCENE_EVENTS = [
  'response 200 OK ',
  'frame 0 early',
  'response 401 Unauthorized ',
  'response 200 OK body',
  'frame 1 ',
  'frame 255 $RTSP/1.0 200 OK\r\n\r\n',
  'request GET_PARAMETER rtsp://h/p volume',
  `frame 2 ${'x'.repeat(3_000)}`,
];

describe('RtspMessageReader', () => {
  it('reads messages and frames from one chunk', () => {
    const recorder = read(SCENE);
    expect(recorder.events).toEqual(SCENE_EVENTS);
    expect(recorder.responses[2]!.headers.get('x')).toBe('a b');
    expect(recorder.requests[0]!.headers.get('cseq')).toBe('7');
  });

  it('reads them split at every byte', () => {
    for (let at = 1; at < SCENE.length; at++) {
      expect(read(SCENE.subarray(0, at), SCENE.subarray(at)).events).toEqual(SCENE_EVENTS);
    }
  });

  it('reads them byte by byte', () => {
    expect(read(...Array.from(SCENE, (byte) => Uint8Array.of(byte))).events).toEqual(SCENE_EVENTS);
  });

  it('truncated at every length emits a prefix', () => {
    for (let length = 0; length < SCENE.length; length++) {
      const { events } = read(SCENE.subarray(0, length));
      expect(events).toEqual(SCENE_EVENTS.slice(0, events.length));
      expect(events.length).toBeLessThan(SCENE_EVENTS.length);
    }
  });

  it('passes whole frames on in place and does not change the input', () => {
    const chunk = Buffer.concat([frame(0, 'one'), frame(1, 'two')]);
    const before = Buffer.from(chunk);
    const recorder = read(chunk);
    expect(recorder.frameBuffers.map((buffer) => buffer === chunk)).toEqual([true, true]);
    expect(chunk).toEqual(before);
  });

  it('reads frames of the largest length', () => {
    const payload = Buffer.alloc(0xffff, 'y');
    const bytes = frame(3, payload);
    expect(read(bytes.subarray(0, 40_000), bytes.subarray(40_000), OK).events).toEqual([
      `frame 3 ${payload}`,
      'response 200 OK ',
    ]);
  });

  it('keeps names case-insensitive and values repeated in order', () => {
    const { responses } = read(
      'RTSP/1.0 200 OK\r\nWWW-Authenticate: a\r\nwww-AUTHENTICATE : b\r\nEmpty:\r\n\r\n',
    );
    const { headers } = responses[0]!;
    expect(headers.all('WWW-Authenticate')).toEqual(['a', 'b']);
    expect([headers.get('empty'), headers.get('none')]).toEqual(['', null]);
  });

  it('accepts a status line without a reason phrase', () => {
    expect(read('RTSP/1.0 404\r\n\r\n').events).toEqual(['response 404  ']);
  });

  it.each([
    ['a frame of another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'start-line'],
    ['a byte that no message starts with', '\0', 'no-message-start'],
    ['bytes after a frame', `${frame(0, 'a').toString('latin1')}\x80`, 'no-message-start'],
    ['a control byte', 'RTSP/1.0 200 O\x01K\r\n\r\n', 'control-byte'],
    ['a CR within a line', 'RTSP/1.0 200 OK\r\nA: b\rc\r\n\r\n', 'bare-cr'],
    ['a header without name', 'RTSP/1.0 200 OK\r\n: b\r\n\r\n', 'header-line'],
    ['a header without colon', 'RTSP/1.0 200 OK\r\nnonsense\r\n\r\n', 'header-line'],
    ['a negative length', 'RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n', 'content-length'],
    [
      'lengths that disagree',
      'RTSP/1.0 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'content-length',
    ],
    ['endless empty lines', '\r\n'.repeat(1_000), 'empty-lines'],
  ])('fails on %s', (_, text, reason) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'RTSP_FRAMING', context: expect.objectContaining({ reason }) }),
    );
  });

  it('says where in the connection the framing was lost', () => {
    expect(() => read(OK, frame(0, 'abc'), '??')).toThrow(
      expect.objectContaining({ context: expect.objectContaining({ offsetBytes: OK.length + 7 }) }),
    );
  });

  it.each([
    ['headBytes', `RTSP/1.0 200 OK\r\nX: ${'x'.repeat(DEFAULT_RTSP_READER_LIMITS.headBytes)}`],
    [
      'headerCount',
      `RTSP/1.0 200 OK\r\n${'X: y\r\n'.repeat(DEFAULT_RTSP_READER_LIMITS.headerCount + 1)}\r\n`,
    ],
    ['bodyBytes', `RTSP/1.0 200 OK\r\nContent-Length: ${DEFAULT_RTSP_READER_LIMITS.bodyBytes + 1}\r\n\r\n`],
    ['bodyBytes', `RTSP/1.0 200 OK\r\nContent-Length: ${'9'.repeat(400)}\r\n\r\n`],
  ])('limits %s', (limit, text) => {
    const error = expect.objectContaining({
      code: 'RTSP_MESSAGE_TOO_LARGE',
      context: expect.objectContaining({ limit }),
    });
    expect(() => read(text)).toThrow(error);
    expect(() => read(...Array.from(text, (character) => character))).toThrow(error);
  });

  it('ignores input after a failure', () => {
    const recorder = new Recorder();
    const reader = new RtspMessageReader(recorder);
    expect(() => reader.push(Buffer.from('?'))).toThrow(GatewayError);
    reader.push(Buffer.from(OK));
    expect(recorder.events).toEqual([]);
  });

  it('emits nothing more after it is stopped within a callback', () => {
    const recorder = new Recorder();
    const reader = new RtspMessageReader({
      onRequest: () => undefined,
      onResponse: () => undefined,
      onInterleaved: (...frameOf) => {
        recorder.onInterleaved(...frameOf);
        reader.stop();
      },
    });
    reader.push(Buffer.concat([frame(0, 'first'), frame(0, 'second')]));
    expect(recorder.events).toEqual(['frame 0 first']);
  });

  it('reads every stored response of a camera', () => {
    const folder = join(import.meta.dirname, 'sdp/fixtures');
    for (const file of readdirSync(folder)) {
      const { responses } = read(readFileSync(join(folder, file)));
      expect([file, responses.length, responses[0]?.headers.get('content-type')]).toEqual([
        file,
        1,
        'application/sdp',
      ]);
    }
  });

  it('reads any frames cut anywhere', () => {
    const frames = fc.array(fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 300 })), { maxLength: 8 });
    const cuts = fc.array(fc.nat(2_000), { maxLength: 6 });
    fc.assert(
      fc.property(frames, cuts, (list, at) => {
        const bytes = Buffer.concat(list.map(([channel, payload]) => frame(channel, payload)));
        const ends = [...at.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(read(...chunks).events).toEqual(
          list.map(([channel, payload]) => `frame ${channel} ${latin1(payload)}`),
        );
      }),
      randomRuns(2_000),
    );
  });

  it('throws nothing but its two codes on damaged input', () => {
    const damage = fc.array(fc.tuple(fc.nat(SCENE.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = Buffer.from(SCENE);
        for (const [at, value] of changes) bytes[at] = value;
        expect(['RTSP_FRAMING', 'RTSP_MESSAGE_TOO_LARGE', null]).toContain(failureOf(bytes));
      }),
      randomRuns(2_000),
    );
  });
});

function failureOf(bytes: Uint8Array): string | null {
  try {
    read(bytes);
    return null;
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}
