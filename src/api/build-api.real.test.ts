import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiFixture, type FixtureOptions, openApiFixture } from './api-fixture.ts';

const VALIDATE = '/api/integrations/validateToken';
const GET_ORG = '/api/org/getOrgV2';

let fixture: ApiFixture;
const start = async (options: FixtureOptions = {}) => {
  await fixture.close();
  fixture = await openApiFixture(options);
};
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('overload', () => {
  it('refuses requests but keeps responding to monitoring', async () => {
    await start({ limits: { maxEventLoopDelayMs: Number.MIN_VALUE } });
    const response = await vi.waitFor(
      async () => {
        fixture.clock.advance(1_000);
        const response = await fixture.post(VALIDATE);
        expect(response.statusCode).toBe(503);
        return response;
      },
      { timeout: 10_000 },
    );
    expect(response.headers['retry-after']).toBe('10');
    expect(response.json()).toEqual({
      error: true,
      errorMsg: expect.stringMatching(/busy/),
    });
    expect((await fixture.api.inject({ method: 'GET', url: '/healthz?probe' })).statusCode).toBe(200);
  });
});

describe('connections', () => {
  it('are closed when a body takes longer than the request timeout, even if bytes keep arriving', async () => {
    await start({ limits: { requestTimeoutMs: 500 } });
    await fixture.api.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((fixture.api.server.address() as AddressInfo).port, '127.0.0.1');
    const head = `POST ${VALIDATE} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json`;
    socket.write(`${head}\r\ncontent-length: 9000\r\n\r\n`);
    const drip = setInterval(() => socket.write(' '), 50);
    try {
      expect(await text(socket)).toMatch(/HTTP\/1\.1 408 /);
    } finally {
      clearInterval(drip);
      socket.destroy();
    }
  }, 20_000);
});

describe('shutting down', () => {
  it('responds with the envelope to what still arrives on a busy connection', async () => {
    await fixture.api.listen({ host: '127.0.0.1', port: 0 });
    const held = Promise.withResolvers<null>();
    const requested = Promise.withResolvers<void>();
    fixture.store.organizations.find = () => {
      requested.resolve();
      return held.promise;
    };
    const socket = connect((fixture.api.server.address() as AddressInfo).port, '127.0.0.1');
    const received = text(socket);
    const request = `POST ${GET_ORG} HTTP/1.1\r\nhost: a\r\nx-auth-apikey: ${fixture.own.apiKey}\r\ncontent-length: 0\r\n\r\n`;
    socket.write(request);
    await requested.promise;
    const closed = fixture.api.close();
    await vi.waitFor(() => expect(fixture.api.server.listening).toBe(false));
    const arrived = once(fixture.api.server, 'request');
    socket.write(request);
    await arrived;
    held.resolve(null);
    const [, refusal = ''] = (await received).split(/(?=HTTP\/1\.1 503)/);
    await closed;
    const [head = '', body = ''] = refusal.split('\r\n\r\n');
    expect(head.toLowerCase()).toMatch(/\r\nretry-after: 5\r\n/);
    expect(head.toLowerCase()).toMatch(/\r\nconnection: close\r\n/);
    expect(JSON.parse(body)).toMatchObject({ error: true, errorMsg: expect.stringMatching(/shutting down/) });
  });
});
