/** An ONVIF camera on loopback, for tests: HTTP for its services, UDP for its discovery. */

import { createHash } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { descendant, parseXml, textOf, type XmlElement } from '../../onvif/xml-element.ts';

const HOST = '127.0.0.1';

export interface FakeOnvifDeviceOptions {
  readonly login?: { readonly username: string; readonly password: string };
  /** What its clock shows; absent: it does not say. */
  readonly clockEpochMs?: number;
  /** Stream URLs by profile token. */
  readonly streams?: Readonly<Record<string, string>>;
  /** Replaces every SOAP response. */
  readonly rawAnswer?: string;
}

export class FakeOnvifDevice {
  readonly port: number;
  readonly discoveryPort: number;
  /** Names of the requested operations, in order. */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #options: FakeOnvifDeviceOptions;

  private constructor(server: Server, socket: Socket, options: FakeOnvifDeviceOptions) {
    this.port = (server.address() as AddressInfo).port;
    this.discoveryPort = socket.address().port;
    this.#server = server;
    this.#socket = socket;
    this.#options = options;
  }

  static async open(options: FakeOnvifDeviceOptions = {}): Promise<FakeOnvifDevice> {
    const server = createServer();
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
    await new Promise<void>((resolve) => socket.bind(0, HOST, resolve));
    const device = new FakeOnvifDevice(server, socket, options);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { status, text } = device.#answer(Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/soap+xml' }).end(text);
    });
    socket.on('message', (_probe, { port, address }) => {
      for (const text of device.#discoveryAnswers()) socket.send(text, port, address);
    });
    return device;
  }

  get service(): URL {
    return new URL(`http://${HOST}:${this.port}/onvif/device_service`);
  }

  async close(): Promise<void> {
    this.#socket.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Its response twice, one that leads to a different host, and something that is not a response. */
  #discoveryAnswers(): string[] {
    const match = (address: string) =>
      `<e:Envelope xmlns:e="e" xmlns:d="d"><e:Body><d:ProbeMatches><d:ProbeMatch><d:XAddrs>${address}</d:XAddrs>` +
      `</d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>`;
    const own = match(`http://[fe80::1]/onvif/device_service ${this.service.href}`);
    return ['nothing', match('http://198.51.100.1/onvif/device_service'), own, own];
  }

  #answer(envelope: string): { status: number; text: string } {
    const { rawAnswer, streams = {}, clockEpochMs } = this.#options;
    const message = parseXml(envelope);
    const request = descendant(message, 'Body')!.children[0]!;
    this.asked.push(request.name);
    if (rawAnswer !== undefined) return { status: 200, text: rawAnswer };
    if (request.name === 'GetSystemDateAndTime')
      return ok(clockEpochMs === undefined ? '' : timeOf(clockEpochMs));
    if (!this.#isLoggedIn(message)) return { status: 400, text: soap(NOT_AUTHORIZED) };
    switch (request.name) {
      case 'GetDeviceInformation':
        return ok('<t:Manufacturer>Example &amp; Sons</t:Manufacturer><t:Model>Dome 4</t:Model>');
      case 'GetCapabilities':
        return ok(`<t:Media><t:XAddr>http://192.0.2.99:${this.port}/onvif/media</t:XAddr></t:Media>`);
      case 'GetProfiles':
        return ok(`${Object.keys(streams).map(profile).join('')}<t:Profiles token="sound"/>`);
      case 'GetStreamUri':
        return ok(
          `<t:MediaUri><t:Uri>${streams[textOf(request, 'ProfileToken') ?? '']}</t:Uri></t:MediaUri>`,
        );
      default:
        return { status: 500, text: soap('<e:Fault/>') };
    }
  }

  #isLoggedIn(message: XmlElement): boolean {
    const { login, clockEpochMs = 0 } = this.#options;
    if (login === undefined) return true;
    const created = textOf(message, 'Created') ?? '';
    const nonce = Buffer.from(textOf(message, 'Nonce') ?? '', 'base64');
    const digest = createHash('sha1').update(nonce).update(created).update(login.password).digest('base64');
    const isInTime = Math.abs(Date.parse(created) - clockEpochMs) < 5_000;
    return (
      textOf(message, 'Username') === login.username && textOf(message, 'Password') === digest && isInTime
    );
  }
}

const NOT_AUTHORIZED =
  '<e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>ter:NotAuthorized</e:Value></e:Subcode></e:Code></e:Fault>';

function soap(body: string): string {
  return `<?xml version="1.0"?><e:Envelope xmlns:e="e" xmlns:t="t"><e:Body>${body}</e:Body></e:Envelope>`;
}

function ok(fields: string): { status: number; text: string } {
  return { status: 200, text: soap(`<t:Response>${fields}</t:Response>`) };
}

function profile(token: string): string {
  return (
    `<t:Profiles token="${token}"><t:VideoEncoderConfiguration><t:Encoding>H264</t:Encoding>` +
    '</t:VideoEncoderConfiguration></t:Profiles>'
  );
}

function timeOf(epochMs: number): string {
  const time = new Date(epochMs);
  const tag = (name: string, value: number) => `<t:${name}>${value}</t:${name}>`;
  return (
    `<t:UTCDateTime><t:Time>${tag('Hour', time.getUTCHours())}${tag('Minute', time.getUTCMinutes())}` +
    `${tag('Second', time.getUTCSeconds())}</t:Time><t:Date>${tag('Year', time.getUTCFullYear())}` +
    `${tag('Month', time.getUTCMonth() + 1)}${tag('Day', time.getUTCDate())}</t:Date></t:UTCDateTime>`
  );
}
