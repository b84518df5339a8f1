import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { HttpResponseHeadReader, MAX_HTTP_HEAD_BYTES, MAX_HTTP_HEADER_COUNT } from './http-response-head.ts';

const read = (text: string) => new HttpResponseHeadReader().push(Buffer.from(text, 'latin1'));

describe('HttpResponseHeadReader', () => {
  const HEAD = 'HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic realm="é"\r\nX: a\r\n b\r\n\r\n';

  it('reads status and fields, and says where the head ends', () => {
    const head = read(`${HEAD}$rest`)!;
    expect([head.statusCode, head.end]).toEqual([401, HEAD.length]);
    expect([head.headers.get('www-authenticate'), head.headers.get('x')]).toEqual(['Basic realm="é"', 'a b']);
  });

  it('reads a head that is cut anywhere', () => {
    const bytes = Buffer.from(`${HEAD}$rest`, 'latin1');
    for (let cut = 0; cut < HEAD.length; cut++) {
      const reader = new HttpResponseHeadReader();
      expect(reader.push(bytes.subarray(0, cut))).toBeNull();
      const head = reader.push(bytes.subarray(cut))!;
      expect([head.statusCode, cut + head.end]).toEqual([401, HEAD.length]);
    }
  });

  it.each([
    ['lines that end in LF alone', 'HTTP/1.1 200 OK\nA: b\n\n', 200],
    ['no reason phrase', 'HTTP/1.1 200\r\n\r\n', 200],
    ['a line that is no field', 'HTTP/1.0 200 OK\r\nnonsense\r\n\r\n', 200],
    ['several spaces', 'HTTP/1.0   503  Busy\r\n\r\n', 503],
  ])('accepts %s', (_, text, statusCode) => expect(read(text)!.statusCode).toBe(statusCode));

  it.each([
    ['an RTSP server', 'RTSP/1.0 400 Bad Request\r\n\r\n', 'not-http'],
    ['TLS', '\x16\x03\x03', 'not-http'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n', 'not-http'],
    ['no status', 'HTTP/1.0 OK\r\n\r\n', 'not-http'],
    ['an empty head', '\r\n', 'not-http'],
    [
      'too many fields',
      `HTTP/1.0 200 OK\r\n${'A: b\r\n'.repeat(MAX_HTTP_HEADER_COUNT + 1)}\r\n`,
      'too-many-headers',
    ],
    ['an endless field', `HTTP/1.0 200 OK\r\nA: ${'b'.repeat(MAX_HTTP_HEAD_BYTES)}`, 'head-too-large'],
  ])('refuses %s', (_, text, reason) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'RTSP_TUNNEL_REFUSED', context: { reason } }),
    );
  });

  it('refuses an endless head that comes in small pieces', () => {
    const reader = new HttpResponseHeadReader();
    reader.push(Buffer.from('HTTP/1.0 200 OK\r\nA: '));
    expect(() => {
      for (let count = 0; count <= MAX_HTTP_HEAD_BYTES; count++) reader.push(Buffer.from('b'));
    }).toThrow(expect.objectContaining({ context: { reason: 'head-too-large' } }));
  });

  it('fails only with its own code, and the same however the bytes are cut', () => {
    const piece = fc.constantFrom('HTTP/1.0 ', '200', ' OK', '\r\n', '\n', '\r', 'A: b', ':', ' ', '\0', 'é');
    const outcome = (chunks: readonly Buffer[]): string => {
      const reader = new HttpResponseHeadReader();
      try {
        for (const chunk of chunks) {
          const head = reader.push(chunk);
          if (head !== null) return `${head.statusCode} ${head.headers.count}`;
        }
        return 'incomplete';
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
        return (error as GatewayError).code;
      }
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, isHttp) => {
        const bytes = Buffer.from((isHttp ? 'HTTP/1.1 200 OK\r\n' : '') + pieces.join(''), 'latin1');
        expect(outcome([...bytes].map((byte) => Buffer.of(byte)))).toBe(outcome([bytes]));
      }),
      randomRuns(500),
    );
  });
});
