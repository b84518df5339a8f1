import { describe, expect, it } from 'vitest';
import { readPlainRequest } from './plain-request.ts';

const HOST = 'Host: a\r\n';

function read(text: string) {
  return readPlainRequest(text, null);
}

describe('a plain request', () => {
  it('says what is requested, and how', () => {
    const fields = `${HOST}Accept-Encoding: gzip\r\naccept-encoding:br\r\nRange: bytes=0-\r\n\r\n`;
    expect(read(`GET /a/b?c=d HTTP/1.1\r\n${fields}`)).toEqual({
      isHead: false,
      target: '/a/b?c=d',
      fields: { text: fields, acceptEncoding: 'gzip, br', hasRange: true },
    });
    expect(read(`HEAD / HTTP/1.1\r\n${HOST}\r\n`)).toMatchObject({
      isHead: true,
      target: '/',
      fields: { acceptEncoding: undefined, hasRange: false },
    });
  });

  it('shares the fields of the one before it if they are the same', () => {
    const first = read(`GET /1 HTTP/1.1\r\n${HOST}\r\n`)!;
    const second = readPlainRequest(`GET /2 HTTP/1.1\r\n${HOST}\r\n`, first.fields)!;
    expect(second.fields).toBe(first.fields);
    expect(second.target).toBe('/2');
    const third = readPlainRequest(`GET /3 HTTP/1.1\r\n${HOST}Range: bytes=0-\r\n\r\n`, first.fields)!;
    expect(third.fields.hasRange).toBe(true);
  });

  it.each([
    ['a body', `GET / HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\n`],
    ['chunks', `GET / HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n`],
    ['another method', `POST / HTTP/1.1\r\n${HOST}\r\n`],
    ['another version', `GET / HTTP/1.0\r\n${HOST}\r\n`],
    ['a version before it', `GET / HTTP/1.0\r\nX: y HTTP/1.1\r\n${HOST}\r\n`],
    ['a second request', `GET / HTTP/1.1\r\n${HOST}\r\nGET / HTTP/1.1\r\n${HOST}\r\n`],
    ['bytes behind it', `GET / HTTP/1.1\r\n${HOST}\r\nmore`],
    ['half a head', `GET / HTTP/1.1\r\n${HOST}`],
    ['an empty line before it', `\r\nGET / HTTP/1.1\r\n${HOST}\r\n`],
    ['an upgrade', `GET / HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['a last request', `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
    ['an expectation', `GET / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\n\r\n`],
    ['no host', 'GET / HTTP/1.1\r\nA: b\r\n\r\n'],
    ['no fields', 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    ['a whole URL', `GET http://a/ HTTP/1.1\r\n${HOST}\r\n`],
    ['a space in the target', `GET /a b HTTP/1.1\r\n${HOST}\r\n`],
    ['a line feed alone', `GET / HTTP/1.1\r\n${HOST}A: b\nContent-Length: 3\r\n\r\n`],
    ['a carriage return alone', `GET / HTTP/1.1\r\n${HOST}A: b\rContent-Length: 3\r\n\r\n`],
    ['a continued line', `GET / HTTP/1.1\r\n${HOST}A: b\r\n c\r\n\r\n`],
    ['a space before the colon', `GET / HTTP/1.1\r\n${HOST}Content-Length : 3\r\n\r\n`],
    ['a zero byte', `GET / HTTP/1.1\r\n${HOST}A: \0\r\n\r\n`],
  ])('is not one with %s', (_what, text) => {
    expect(read(text)).toBeNull();
  });
});
