import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { tunnelRequest } from '../tunnel-request.ts';
import { TunnelBody } from './tunnel-body.ts';
import { isHttpStart, MAX_TUNNEL_HEAD_BYTES, TUNNEL_RESPONSE, TunnelHeadReader } from './tunnel-head.ts';

const COOKIE = 'abcdefghijklmnopqrstuv';
const target = { path: '/live/token', host: 'gateway:8554' };

describe('the head of a tunnel', () => {
  it.each(['GET', 'POST'] as const)('of a %s is read wherever it is cut', (method) => {
    const request = Buffer.concat([tunnelRequest(method, target, COOKIE, null), Buffer.from('T1BU')]);
    for (let cut = 1; cut < request.length; cut++) {
      const reader = new TunnelHeadReader();
      const first = reader.push(request.subarray(0, cut));
      const head = first ?? reader.push(request.subarray(cut));
      if (head === null || head === 'refused') throw new Error(`cut at ${cut}: ${head}`);
      const at = first === null ? cut + head.end : head.end;
      expect([head.method, head.cookie, request.subarray(at).toString()]).toEqual([method, COOKIE, 'T1BU']);
    }
  });

  it.each([
    ['no cookie', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another method', 'PUT / HTTP/1.1\r\nx-sessioncookie: a\r\n\r\n'],
    ['another protocol', 'GET / RTSP/1.0\r\nx-sessioncookie: a\r\n\r\n'],
    ['a cookie with a space', 'GET / HTTP/1.1\r\nx-sessioncookie: a b\r\n\r\n'],
    ['too many fields', `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(40)}x-sessioncookie: a\r\n\r\n`],
    ['no end', `GET / HTTP/1.1\r\n${'a'.repeat(MAX_TUNNEL_HEAD_BYTES)}`],
  ])('with %s is refused', (_what, text) => {
    expect(new TunnelHeadReader().push(Buffer.from(text))).toBe('refused');
  });

  it('never throws, and holds no more than its limit', () => {
    const property = fc.property(fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 20 }), (chunks) => {
      const reader = new TunnelHeadReader();
      let bytes = 0;
      for (const chunk of chunks) {
        const head = reader.push(chunk);
        bytes += chunk.length;
        if (head !== null) break;
        expect(bytes).toBeLessThan(MAX_TUNNEL_HEAD_BYTES);
      }
    });
    fc.assert(property, randomRuns(300));
  });

  it('tells HTTP from RTSP by its first bytes', () => {
    const text = (value: string) => isHttpStart(Buffer.from(value));
    expect(['GET /', 'POST ', 'GET_PARAMETER', 'PLAY', 'OPTIONS'].map(text)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(['G', 'GET', 'P', 'POST', ''].map(text)).toEqual([null, null, null, null, null]);
    expect(TUNNEL_RESPONSE.toString()).toMatch(/\r\n\r\n$/);
  });
});

describe('the body of a tunnel', () => {
  it('is the bytes of all requests, however they are encoded and cut', () => {
    const property = fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (requests, piece, hasLines) => {
        const encoded = requests.map((each) => Buffer.from(each).toString('base64'));
        const text = Buffer.from(encoded.join(hasLines ? '\r\n' : ''));
        const body = new TunnelBody();
        const decoded: Buffer[] = [];
        for (let at = 0; at < text.length; at += piece)
          decoded.push(body.push(text.subarray(at, at + piece))!);
        expect(Buffer.concat(decoded)).toEqual(Buffer.concat(requests));
      },
    );
    fc.assert(property, randomRuns(300));
  });

  it('that is anything else is refused', () => {
    expect(new TunnelBody().push(Buffer.from('OPTIONS *'))).toBeNull();
  });
});
