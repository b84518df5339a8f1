import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
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

describe('what Node’s parser makes of it', () => {
  let server: Server;
  let requests: IncomingMessage[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
  });

  /** The targets of the requests in `text`, with one behind it that says where it ended. */
  async function targetsOf(text: string): Promise<string[]> {
    requests = [];
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.resume();
    socket.on('error', () => undefined);
    socket.end(`${text}GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1');
    await once(socket, 'close');
    return requests.map(({ url = '' }) => url);
  }

  const piece = fc.oneof(
    fc.constantFrom(
      '\r\n',
      '\n',
      '\r',
      ' ',
      '\t',
      ':',
      ',',
      '\0',
      '\x7f',
      '\xe9',
      'GET / HTTP/1.1',
      ' HTTP/1.1\r\n',
    ),
    fc.constantFrom('Content-Length', 'Transfer-Encoding', 'content-length: 5', 'transfer-encoding: chunked'),
    fc.constantFrom(
      'Upgrade: h2c',
      'Connection: close',
      'Connection: keep-alive',
      'Expect: 100-continue',
      'Host: b',
    ),
    fc.string({ maxLength: 6 }),
  );
  const line = fc.oneof(
    fc.tuple(fc.stringMatching(/^[a-z-]{1,8}$/), fc.array(piece, { maxLength: 3 })).map(([name, value]) => {
      return `${name}:${value.join('')}\r\n`;
    }),
    fc.array(piece, { maxLength: 4 }).map((pieces) => `${pieces.join('')}\r\n`),
  );
  const anyRequest = fc
    .tuple(
      fc.constantFrom('GET', 'HEAD'),
      fc.stringMatching(/^\/[!-~]{0,12}$/),
      fc.array(line, { maxLength: 4 }),
    )
    .map(([method, target, lines]) => ({
      target,
      text: `${method} ${target} HTTP/1.1\r\n${HOST}${lines.join('')}\r\n`,
    }));

  it('is one request, which ends where the text ends', async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ target, text }) => {
        const found = read(text);
        if (found === null) return;
        plain++;
        expect(found.target).toBe(target);
        expect(await targetsOf(text)).toEqual([target, '/behind']);
      }),
      randomRuns(3_000),
    );
    expect(plain).toBeGreaterThan(300);
  });
});
