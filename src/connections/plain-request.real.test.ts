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

  /** The targets of the requests in `text`, with a final request that shows where it ended. */
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
