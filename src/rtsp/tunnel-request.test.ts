import { describe, expect, it } from 'vitest';
import { RtspHeaders } from './headers.ts';
import { tunnelFault, tunnelRequest } from './tunnel-request.ts';

const TARGET = { path: '/live?channel=1', host: 'cam:8080' };
const COOKIE = '0123456789abcdef012345';

describe('tunnelRequest', () => {
  it('asks for the response that carries media', () => {
    expect(Buffer.from(tunnelRequest('GET', TARGET, COOKIE, null)).toString()).toBe(
      'GET /live?channel=1 HTTP/1.0\r\nHost: cam:8080\r\nUser-Agent: Sluice\r\n' +
        `x-sessioncookie: ${COOKIE}\r\nAccept: application/x-rtsp-tunnelled\r\n` +
        'Pragma: no-cache\r\nCache-Control: no-cache\r\n\r\n',
    );
  });

  it('announces a body that never ends', () => {
    expect(Buffer.from(tunnelRequest('POST', TARGET, COOKIE, 'Basic abc')).toString()).toBe(
      'POST /live?channel=1 HTTP/1.0\r\nHost: cam:8080\r\nUser-Agent: Sluice\r\n' +
        `x-sessioncookie: ${COOKIE}\r\nContent-Type: application/x-rtsp-tunnelled\r\n` +
        'Pragma: no-cache\r\nCache-Control: no-cache\r\nContent-Length: 32767\r\n' +
        'Expires: Sun, 9 Jan 1972 00:00:00 GMT\r\nAuthorization: Basic abc\r\n\r\n',
    );
  });

  it('writes no line break into a field', () => {
    expect(() => tunnelRequest('GET', TARGET, COOKIE, 'Basic a\r\nX: y')).toThrow(
      expect.objectContaining({ code: 'RTSP_UNWRITABLE' }),
    );
  });
});

describe('tunnelFault', () => {
  const fault = (statusCode: number, fields: readonly (readonly [string, string])[]) =>
    tunnelFault({ statusCode, headers: RtspHeaders.of(fields), end: 0 });

  it.each([
    ['the type of a tunnel', 'application/x-rtsp-tunnelled'],
    ['the type with a parameter', 'Application/X-RTSP-Tunnelled; charset=x'],
    ['a generic type', 'application/octet-stream'],
    ['a type of video', 'video/mp4v-es'],
  ])('accepts %s', (_, type) => expect(fault(200, [['Content-Type', type]])).toBeNull());

  it('accepts a response without a type', () => expect(fault(200, [])).toBeNull());

  it.each([
    ['a page', 200, [['Content-Type', 'text/html']], 'RTSP_TUNNEL_REFUSED', 'content-type'],
    ['chunks', 200, [['Transfer-Encoding', 'chunked']], 'RTSP_TUNNEL_REFUSED', 'transfer-encoding'],
    ['not found', 404, [], 'RTSP_TUNNEL_REFUSED', undefined],
    ['a redirect', 302, [['Location', 'https://cam/']], 'RTSP_TUNNEL_REFUSED', undefined],
    ['no free session', 503, [], 'RTSP_BUSY', undefined],
  ] as const)('refuses %s', (_, statusCode, fields, code, reason) => {
    expect(fault(statusCode, fields)).toMatchObject({ code, context: { statusCode } });
    expect(fault(statusCode, fields)?.context.reason).toBe(reason);
  });
});
