/** A mail server for tests, of the library that others judge clients with, and the mailbox that it fills. */

import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { CertificateWithKey } from '../../src/connections/acme/self-signed.ts';
import { selfSignedFor } from '../../src/connections/certificate-fixture.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | null;
  readonly isEncrypted: boolean;
  readonly source: string;
  readonly mail: ParsedMail;
}

/** A reply in place of the usual one. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface TestSmtpServerOptions extends SMTPServerOptions {
  /** What the server replies to a recipient; null: it accepts. */
  readonly onRecipient?: (address: string, session: SMTPServerSession) => Reply | null;
  /** What the server replies to a message; null: it accepts; 'hang': it never replies. */
  readonly onMessage?: (source: string) => Reply | 'hang' | null;
}

export class TestSmtpServer {
  readonly mailbox: ReceivedMail[] = [];
  readonly certificate: CertificateWithKey;
  readonly port: number;
  connections = 0;
  mostConnections = 0;
  totalConnections = 0;
  readonly #server: SMTPServer;

  private constructor(server: SMTPServer, certificate: CertificateWithKey, port: number) {
    this.#server = server;
    this.certificate = certificate;
    this.port = port;
  }

  static async open(options: TestSmtpServerOptions = {}): Promise<TestSmtpServer> {
    const certificate = selfSignedFor('mail');
    const { onRecipient, onMessage, ...given } = options;
    let opened: TestSmtpServer | null = null;
    const server = new SMTPServer({
      authOptional: true,
      logger: false,
      key: certificate.keyPem,
      cert: certificate.certPem,
      closeTimeout: 100,
      onConnect: (_session, done) => {
        const self = opened!;
        self.connections += 1;
        self.totalConnections += 1;
        self.mostConnections = Math.max(self.mostConnections, self.connections);
        done();
      },
      onClose: () => {
        opened!.connections -= 1;
      },
      onRcptTo: ({ address }, session, done) => done(errorOf(onRecipient?.(address, session) ?? null)),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const source = Buffer.concat(chunks);
          const reply = onMessage?.(source.toString()) ?? null;
          if (reply === 'hang') return;
          if (reply !== null) {
            done(errorOf(reply));
            return;
          }
          void opened!.receive(source, session).then(() => done(null, 'queued as 4711'));
        });
      },
      ...given,
    });
    server.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = server.listen(0, '127.0.0.1', resolve);
    await promise;
    opened = new TestSmtpServer(server, certificate, (listener.address() as { port: number }).port);
    return opened;
  }

  async receive(source: Buffer, { envelope, user, secure }: SMTPServerSession): Promise<void> {
    const { mailFrom, rcptTo } = envelope;
    this.mailbox.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      user: (user as string | undefined) ?? null,
      isEncrypted: secure,
      source: source.toString(),
      mail: await simpleParser(source),
    });
  }

  /** What came for an address, in order. */
  for(address: string): ParsedMail[] {
    return this.mailbox.filter(({ to }) => to.includes(address)).map(({ mail }) => mail);
  }

  /** As a server does with connections that are idle. */
  async endConnections(): Promise<void> {
    for (const connection of this.#server.connections) (connection as { close(): void }).close();
    await new Promise((resolve) => setImmediate(resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function errorOf(reply: Reply | null): Error | null {
  if (reply === null) return null;
  return Object.assign(new Error(reply.text), { responseCode: reply.status });
}
