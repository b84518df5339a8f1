import { describe, expect, it } from 'vitest';
import { writeRequest, writeResponse } from './message-writer.ts';

describe('message writers', () => {
  it('write a request', () => {
    expect(writeRequest('OPTIONS', 'rtsp://h/p', [['CSeq', '1']]).toString()).toBe(
      'OPTIONS rtsp://h/p RTSP/1.0\r\nCSeq: 1\r\n\r\n',
    );
  });

  it('write a response with the length of its body in bytes', () => {
    expect(writeResponse(200, 'OK', [['CSeq', '1']], 'é').toString()).toBe(
      'RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 2\r\n\r\né',
    );
  });

  it('write header text byte for byte as it was read', () => {
    const bytes = writeRequest('OPTIONS', '*', [['Authorization', '\u00c3\u00a9']]);
    expect(bytes.includes(Buffer.from('é', 'utf8'))).toBe(true);
  });

  it.each([
    ['a value', () => writeRequest('OPTIONS', '*', [['Session', 'a\r\nX: y']])],
    ['a name', () => writeRequest('OPTIONS', '*', [['X\n', 'y']])],
    ['the URI', () => writeRequest('OPTIONS', 'rtsp://h/\r\n', [])],
    ['the URI, as a space', () => writeRequest('OPTIONS', 'rtsp://h/a b', [])],
    ['a reason phrase', () => writeResponse(200, 'OK\0', [])],
    ['a value, past Latin-1', () => writeRequest('OPTIONS', '*', [['X', '\u0100']])],
  ])('reject what would break the framing in %s', (_, write) => {
    expect(write).toThrow(expect.objectContaining({ code: 'RTSP_UNWRITABLE' }));
  });
});
