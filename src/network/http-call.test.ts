import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyTooLong, callHttp, type HttpCall, openResponse, readStart } from './http-call.ts';

const ENDLESS: RequestListener = (_request, response) => {
  const write = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(16_384)));
  };
  response.on('drain', write);
  write();
};

/** A call of a host in memory, which answers with `listener`. */
function callOf(listener: RequestListener, call: Partial<HttpCall> = {}): HttpCall {
  return callOver((socket) => void createServer(listener).emit('connection', socket), call);
}

function callOver(serve: (socket: Duplex) => void, call: Partial<HttpCall> = {}): HttpCall {
  const createConnection = (): Duplex => {
    const [client, server] = duplexPair();
    serve(server);
    return client;
  };
  const url = new URL('http://host.example:8080/a?b=1');
  return {
    url,
    headers: {},
    signal: new AbortController().signal,
    connection: { createConnection },
    ...call,
  };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((thrown: unknown) => thrown);

describe('a call', () => {
  it('sends method, path, headers and body, and reads the response', async () => {
    const seen: unknown[] = [];
    const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method, url, headers } = request;
      seen.push(
        method,
        url,
        headers.host,
        headers['x-site'],
        Buffer.concat(await request.toArray()).toString(),
      );
      response.writeHead(201, { 'x-answer': 'yes' }).end('made');
    };
    const call = callOf(listener, { method: 'POST', headers: { 'x-site': 'Pier 4' }, body: '{}' });
    const { status, message, body } = await callHttp(call, 100);
    expect(seen).toEqual(['POST', '/a?b=1', 'host.example:8080', 'Pier 4', '{}']);
    expect([status, message.headers['x-answer'], body.toString()]).toEqual([201, 'yes', 'made']);
  });

  it('reads a body as long as the limit, and not a byte more, with and without its length', async () => {
    const sized: RequestListener = (_request, response) => void response.end('12345');
    const chunked: RequestListener = (_request, response) =>
      void response.write('123', () => response.end('45'));
    for (const listener of [sized, chunked]) {
      expect((await callHttp(callOf(listener), 5)).body.toString()).toBe('12345');
      expect(await failureOf(callHttp(callOf(listener), 4))).toBeInstanceOf(BodyTooLong);
    }
  });

  it('does not read a body without end', async () => {
    expect(await failureOf(callHttp(callOf(ENDLESS), 65_536))).toBeInstanceOf(BodyTooLong);
    const message = await openResponse(callOf(ENDLESS));
    const { bytes, isCut } = await readStart(message, 40_000);
    expect([bytes.length, isCut, message.destroyed]).toEqual([40_000, true, true]);
  });

  it('does not read a header without end', async () => {
    const call = callOver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const line = `x: ${'y'.repeat(1_000)}\r\n`;
      for (let lines = 0; lines < 17; lines++) socket.write(line);
    });
    expect(await failureOf(callHttp(call, 10))).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  });

  it('follows no redirect', async () => {
    const paths: unknown[] = [];
    const listener: RequestListener = (request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    expect(await callHttp(callOf(listener), 10)).toMatchObject({ status: 302 });
    expect(paths).toEqual(['/a?b=1']);
  });

  it('fails if the connection ends within the body', async () => {
    const listener: RequestListener = (request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{', () => request.socket.destroy());
    };
    expect(await failureOf(callHttp(callOf(listener), 1_000))).toMatchObject({ code: 'ECONNRESET' });
  });

  it('fails if the host changes the protocol', async () => {
    const call = callOver((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      );
    });
    expect(await failureOf(callHttp(call, 10))).toMatchObject({ message: 'the host changes the protocol' });
  });

  it('ends with its signal, before the response and within its body', async () => {
    for (const respond of [() => undefined, (response: ServerResponse) => void response.write('1')]) {
      const ending = new AbortController();
      const listener: RequestListener = (_request, response) => {
        respond(response);
        setImmediate(() => ending.abort());
      };
      const failure = await failureOf(callHttp(callOf(listener, { signal: ending.signal }), 10));
      expect(failure).toBeInstanceOf(Error);
    }
  });

  it('stops sending its body when the response is complete', async () => {
    const call = callOf((_request, response) => void response.writeHead(409).end('no'), {
      method: 'PATCH',
      // The host reads only what its buffers hold.
      body: (async function* (): AsyncGenerator<Buffer> {
        for (;;) yield Buffer.alloc(65_536);
      })(),
    });
    expect(await callHttp(call, 10)).toMatchObject({ status: 409, body: Buffer.from('no') });
  });

  it('fails with the error of a body that cannot be read', async () => {
    const unreadable = Object.assign(new Error('unreadable'), { code: 'EIO' });
    const call = callOf(() => undefined, {
      method: 'PATCH',
      // biome-ignore lint/correctness/useYield: it fails before its first chunk.
      body: (async function* (): AsyncGenerator<Buffer> {
        throw unreadable;
      })(),
    });
    expect(await failureOf(callHttp(call, 10))).toBe(unreadable);
  });
});
