/** The sender, judged by a mail server that others test with. */

import { afterEach, describe, expect, it } from 'vitest';
import { TestSmtpServer, type TestSmtpServerOptions } from '../../test/support/smtp-server.ts';
import { systemClock } from '../core/clock.ts';
import type { MailSettings } from './mail-settings.ts';
import { SmtpClient, type SmtpClientOptions } from './smtp-client.ts';

const TO = 'ada@example.com';
const MESSAGE = Buffer.from(`From: a@example.com\r\nTo: ${TO}\r\nSubject: Hello\r\n\r\nText\r\n`);
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serverWith(options: TestSmtpServerOptions = {}): Promise<TestSmtpServer> {
  const server = await TestSmtpServer.open(options);
  closers.push(() => server.close());
  return server;
}

function clientOf(
  server: { readonly port: number; readonly certificate: { readonly certPem: string } },
  settings: Partial<MailSettings> = {},
  options: Partial<SmtpClientOptions> = {},
): SmtpClient {
  const client = new SmtpClient({
    settings: {
      host: 'localhost',
      port: server.port,
      tls: 'starttls',
      allowsPlain: false,
      user: null,
      password: null,
      oauth: null,
      from: 'alarms@example.com',
      name: 'Sluice',
      ...settings,
    },
    clock: systemClock,
    token: async () => 'unused',
    ca: server.certificate.certPem,
    ...options,
  });
  closers.push(() => client.close());
  return client;
}

const send = (client: SmtpClient, to = TO) =>
  client.send({ from: 'alarms@example.com', to, message: MESSAGE }, new AbortController().signal);

describe('a mail', () => {
  it('goes encrypted by STARTTLS, with a login, and its reply is that of the server', async () => {
    const server = await serverWith({
      onAuth: ({ username, password }, _session, done) =>
        done(null, username === 'slu' && password === 'ice' ? { user: username } : {}),
    });
    const client = clientOf(server, { user: 'slu', password: 'ice' });
    expect(await send(client)).toMatch(/^250 .*queued as 4711/);
    expect(server.mailbox).toMatchObject([
      { from: 'alarms@example.com', to: [TO], user: 'slu', isEncrypted: true },
    ]);
    expect(server.mailbox[0]!.mail.subject).toBe('Hello');
  });

  it('goes by TLS from the first byte', async () => {
    const server = await serverWith({ secure: true });
    await send(clientOf(server, { tls: 'implicit' }));
    expect(server.mailbox).toMatchObject([{ isEncrypted: true }]);
  });

  it('goes with a token of OAuth 2.0', async () => {
    const server = await serverWith({
      authMethods: ['XOAUTH2'],
      onAuth: ({ username, accessToken }, _session, done) =>
        done(null, accessToken === 'a-token' ? { user: username } : { data: { status: '401' } }),
    });
    const oauth = {
      tokenUrl: 'https://x',
      clientId: 'a',
      clientSecret: 'b',
      refreshToken: null,
      scope: null,
    };
    const client = clientOf(server, { user: 'slu@x.example', oauth }, { token: async () => 'a-token' });
    await send(client);
    expect(server.mailbox).toMatchObject([{ user: 'slu@x.example' }]);
    const wrong = clientOf(server, { user: 'slu@x.example', oauth }, { token: async () => 'old' });
    await expect(send(wrong)).rejects.toMatchObject({ code: 'MAIL_LOGIN_REFUSED' });
  });

  it('uses a kept connection, also after the server closed it', async () => {
    const server = await serverWith();
    const client = clientOf(server);
    await send(client);
    await send(client);
    expect([server.mailbox.length, server.totalConnections]).toEqual([2, 1]);
    await server.endConnections();
    await send(client);
    expect([server.mailbox.length, server.totalConnections]).toEqual([3, 2]);
  });
});

describe('nothing is sent', () => {
  it('in the clear if the server offers no STARTTLS', async () => {
    const server = await serverWith({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    await expect(send(clientOf(server))).rejects.toMatchObject({ code: 'MAIL_TLS_FAILED' });
    expect(server.mailbox).toEqual([]);
  });

  it('to a server whose certificate proves nothing', async () => {
    const server = await serverWith();
    await expect(send(clientOf(server, {}, { ca: undefined }))).rejects.toMatchObject({
      code: 'MAIL_TLS_FAILED',
    });
    await expect(send(clientOf(server, { host: '127.0.0.2' }))).rejects.toMatchObject({
      code: /MAIL_TLS_FAILED|MAIL_CONNECTION_FAILED/,
    });
  });

  it('in the clear beyond this machine', async () => {
    const server = await serverWith();
    const resolveHost = async () => [{ address: '192.0.2.1', family: 4 }];
    const settings = { host: 'mail.example', tls: 'none' } as const;
    await expect(send(clientOf(server, settings, { resolveHost }))).rejects.toMatchObject({
      code: 'MAIL_PLAIN_REFUSED',
    });
    await send(clientOf(server, { tls: 'none' }));
    const atLoopback = async () => [{ address: '127.0.0.1', family: 4 }];
    await send(clientOf(server, settings, { resolveHost: atLoopback }));
    expect(server.mailbox).toMatchObject([{ isEncrypted: false }, { isEncrypted: false }]);
  });
});

describe('a server that', () => {
  it.each([
    ['refuses the recipient for good', 550, 'MAIL_RECIPIENT_REFUSED'],
    ['asks to come back, as with greylisting', 451, 'MAIL_POSTPONED'],
  ])('%s', async (_what, status, code) => {
    const server = await serverWith({ onRecipient: () => ({ status, text: 'No such mailbox' }) });
    await expect(send(clientOf(server))).rejects.toMatchObject({
      code,
      context: { status, reply: `${status} No such mailbox` },
    });
  });

  it.each([
    [554, 'MAIL_REFUSED'],
    [452, 'MAIL_POSTPONED'],
  ])('answers %i to the message', async (status, code) => {
    const server = await serverWith({ onMessage: () => ({ status, text: 'Not now' }) });
    await expect(send(clientOf(server))).rejects.toMatchObject({ code, context: { status } });
  });

  it('refuses the login', async () => {
    const server = await serverWith({ onAuth: (_auth, _session, done) => done(null, {}) });
    await expect(send(clientOf(server, { user: 'slu', password: 'wrong' }))).rejects.toMatchObject({
      code: 'MAIL_LOGIN_REFUSED',
      context: { status: 535 },
    });
  });

  it('is not there, or has no name', async () => {
    const server = await serverWith();
    await server.close();
    await expect(send(clientOf(server))).rejects.toMatchObject({ code: 'MAIL_CONNECTION_FAILED' });
    const resolveHost = async () => Promise.reject(new Error('ENOTFOUND'));
    await expect(send(clientOf(server, { host: 'mail.example' }, { resolveHost }))).rejects.toMatchObject({
      code: 'MAIL_HOST_UNKNOWN',
    });
  });

  it('hangs with the message, which ends with the deadline and frees the connection', async () => {
    const server = await serverWith({ onMessage: () => 'hang' });
    await expect(send(clientOf(server, {}, { timeoutMs: 400 }))).rejects.toMatchObject({
      code: 'MAIL_TIMED_OUT',
    });
    await expect.poll(() => server.connections).toBe(0);
  });

  it('never greets', async () => {
    const server = await serverWith({ onConnect: () => undefined });
    await expect(send(clientOf(server, {}, { timeoutMs: 400 }))).rejects.toMatchObject({
      code: 'MAIL_TIMED_OUT',
    });
  });

  it('is left alone when the sender stops', async () => {
    const server = await serverWith({ onMessage: () => 'hang' });
    const stop = new AbortController();
    const sending = clientOf(server).send({ from: 'a@example.com', to: TO, message: MESSAGE }, stop.signal);
    await expect.poll(() => server.connections).toBe(1);
    stop.abort();
    await expect(sending).rejects.toThrow();
    await expect.poll(() => server.connections).toBe(0);
  });
});

it('refuses addresses that would add commands', async () => {
  const server = await serverWith();
  const to = `${TO}>\r\nRCPT TO:<eve@example.com`;
  await expect(send(clientOf(server), to)).rejects.toMatchObject({ code: 'MAIL_ADDRESS_INVALID' });
  expect(server.mailbox).toEqual([]);
});
