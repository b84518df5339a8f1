/** An ONVIF camera on loopback, for tests: HTTP for its services, UDP for its discovery. */

import { createHash } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Secret } from '../../core/secret.ts';
import { descendant, parseXml, textOf, type XmlElement } from '../../onvif/xml-element.ts';
import { buildDigestChallenge, verifyDigest } from '../../rtsp/auth.ts';
import {
  type FakeProfile,
  type FakeResponse,
  media2Profile,
  mediaProfile,
  NOT_AUTHORIZED,
  NOT_SUPPORTED,
  ok,
  overlaysOf,
  timeOf,
} from './fake-onvif-responses.ts';
import { FakePtz, type FakePtzHabits } from './fake-ptz.ts';
import { FakePullPoint, type FakePullPointHabits } from './fake-pull-point.ts';

const DEFAULT_HOST = '127.0.0.1';
const REALM = 'camera';

/** Its identity, as text. */
export interface FakeIdentity {
  readonly name?: string;
  readonly hardware?: string;
  readonly manufacturer?: string;
  readonly model?: string;
}

export interface FakeOnvifDeviceOptions {
  /** An address of this machine. Default: 127.0.0.1. A discovery finds one device for each. */
  readonly host?: string;
  readonly identity?: FakeIdentity;
  readonly login?: { readonly username: string; readonly password: string };
  /**
   * How the login is checked. `http-only` refuses messages that also carry the token. Default: `token`.
   */
  readonly checks?: 'token' | 'http' | 'token-and-http' | 'http-only';
  /** The time of its clock; absent: it does not report one. */
  readonly clockEpochMs?: number;
  /** Profiles by token; a text is the URL of an H.264 stream. */
  readonly streams?: Readonly<Record<string, string | FakeProfile>>;
  /** The name of each lens or channel in its picture; absent: it knows no overlays. */
  readonly overlays?: Readonly<Record<string, string>>;
  /** Whether it has GetServices, and with it Media2. Default: `none`, as before profile T. */
  readonly media2?: 'none' | 'works' | 'refuses';
  /** Whether the first media service leaves out encoders. */
  readonly hidesEncoders?: boolean;
  /** The host and port that it believes to have. Default: 192.0.2.99 and its port. */
  readonly believes?: string;
  readonly events?: FakePullPointHabits | undefined;
  /** Absent: it names the service, and does not have it. */
  readonly ptz?: FakePtzHabits | undefined;
  /** Replaces every SOAP response. */
  readonly rawResponse?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** It never answers a request for this stream. */
  readonly stallsAt?: string;
}

export class FakeOnvifDevice {
  readonly port: number;
  readonly discoveryPort: number;
  /** Names of the requested operations, in order. */
  readonly requested: string[] = [];
  /** The Authorization headers of requests. */
  readonly authorizations: string[] = [];
  readonly pullPoint: FakePullPoint;
  readonly ptz: FakePtz;
  clockEpochMs: number | undefined;
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #options: FakeOnvifDeviceOptions;

  private constructor(server: Server, socket: Socket, options: FakeOnvifDeviceOptions) {
    this.port = (server.address() as AddressInfo).port;
    this.discoveryPort = socket.address().port;
    this.clockEpochMs = options.clockEpochMs;
    this.#server = server;
    this.#socket = socket;
    this.#options = options;
    this.ptz = new FakePtz(options.ptz ?? {});
    this.pullPoint = new FakePullPoint(options.events ?? {}, () => this.#addressOf('/onvif/subscription'));
  }

  static async open(options: FakeOnvifDeviceOptions = {}): Promise<FakeOnvifDevice> {
    const { host = DEFAULT_HOST } = options;
    const server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    await new Promise<void>((resolve) => socket.bind(0, host, resolve));
    const device = new FakeOnvifDevice(server, socket, options);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { status, text, headers } = await device.#respond(request, Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/soap+xml', ...headers }).end(text);
    });
    socket.on('message', (_probe, { port, address }) => {
      for (const text of device.#discoveryResponses()) socket.send(text, port, address);
    });
    return device;
  }

  get service(): URL {
    const scheme = this.#options.tls === undefined ? 'http' : 'https';
    return new URL(`${scheme}://${this.#options.host ?? DEFAULT_HOST}:${this.port}/onvif/device_service`);
  }

  async close(): Promise<void> {
    this.pullPoint.close();
    this.#socket.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Its response twice, a response that leads to a different host, and a text that is not a response. */
  #discoveryResponses(): string[] {
    const { name = 'Front door', hardware = 'Dome-4' } = this.#options.identity ?? {};
    const scope = (kind: string, text: string) => `onvif://www.onvif.org/${kind}/${encodeURIComponent(text)}`;
    const scopes = [scope('type', 'video_encoder'), scope('name', name), scope('hardware', hardware)];
    const match = (address: string) =>
      `<e:Envelope xmlns:e="e" xmlns:d="d"><e:Body><d:ProbeMatches><d:ProbeMatch><d:Types>n:NetworkVideoTransmitter` +
      `</d:Types><d:Scopes>${escaped(scopes.join(' '))}</d:Scopes><d:XAddrs>${address}</d:XAddrs>` +
      `</d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>`;
    const own = match(`http://[fe80::1]/onvif/device_service ${this.service.href}`);
    return ['nothing', match('http://198.51.100.1/onvif/device_service'), own, own];
  }

  #addressOf(path: string): string {
    return `http://${this.#options.believes ?? `192.0.2.99:${this.port}`}${path}`;
  }

  async #respond(request: IncomingMessage, envelope: string): Promise<FakeResponse> {
    const { rawResponse } = this.#options;
    const message = parseXml(envelope);
    const { name } = descendant(message, 'Body')!.children[0]!;
    this.requested.push(name);
    if (rawResponse !== undefined) return { status: 200, text: rawResponse };
    if (name === 'GetSystemDateAndTime') {
      return ok(name, this.clockEpochMs === undefined ? '' : timeOf(this.clockEpochMs));
    }
    return this.#refusal(request, message) ?? this.#responseTo(request.url ?? '', message, name);
  }

  #responseTo(path: string, message: XmlElement, name: string): FakeResponse | Promise<FakeResponse> {
    const { media2 = 'none', ptz } = this.#options;
    const request = descendant(message, 'Body')!.children[0]!;
    if (path === '/onvif/ptz') return ptz === undefined ? NOT_SUPPORTED : this.ptz.answer(name, request);
    switch (name) {
      case 'GetDeviceInformation':
        return ok(name, this.#information());
      case 'GetCapabilities':
        return ok(name, this.#capabilities());
      case 'GetServices':
        return media2 === 'none' ? NOT_SUPPORTED : ok(name, this.#services());
      case 'GetOSDs':
        return this.#options.overlays === undefined
          ? NOT_SUPPORTED
          : ok(name, overlaysOf(this.#options.overlays));
      case 'GetProfiles':
      case 'GetStreamUri':
      case 'GetSnapshotUri':
        return this.#media(path, name, request);
      default:
        return this.pullPoint.answer(path, message, name);
    }
  }

  #information(): string {
    const { manufacturer = 'Example & Sons', model = 'Dome 4' } = this.#options.identity ?? {};
    return `<t:Manufacturer>${escaped(manufacturer)}</t:Manufacturer><t:Model>${escaped(model)}</t:Model>`;
  }

  #media(path: string, name: string, request: XmlElement): FakeResponse | Promise<FakeResponse> {
    const { streams = {}, media2, hidesEncoders = false, stallsAt } = this.#options;
    const isMedia2 = path === '/onvif/media2';
    const canMove = (token: string) => this.#options.ptz !== undefined && this.ptz.canMove(token);
    if (isMedia2 && media2 !== 'works') return NOT_SUPPORTED;
    const profiles = Object.entries(streams).map(
      ([token, stream]) => [token, typeof stream === 'string' ? { uri: stream } : stream] as const,
    );
    if (name === 'GetProfiles') {
      const listed = profiles.map(([token, profile]) =>
        isMedia2
          ? media2Profile(token, profile, canMove(token))
          : mediaProfile(token, profile, hidesEncoders, canMove(token)),
      );
      return ok(name, `${listed.join('')}<t:Profiles token="sound"/>`);
    }
    const [requested, profile] = profiles.find(([token]) => token === textOf(request, 'ProfileToken')) ?? [];
    if (requested !== undefined && requested === stallsAt) return new Promise(() => undefined);
    const uri = name === 'GetStreamUri' ? profile?.uri : profile?.snapshotUri;
    if (uri === undefined) return NOT_SUPPORTED;
    return ok(name, isMedia2 ? `<t:Uri>${uri}</t:Uri>` : `<t:MediaUri><t:Uri>${uri}</t:Uri></t:MediaUri>`);
  }

  #capabilities(): string {
    const service = (name: string, path: string) =>
      `<t:${name}><t:XAddr>${this.#addressOf(path)}</t:XAddr></t:${name}>`;
    const events = this.#options.events === undefined ? '' : service('Events', '/onvif/events');
    const device = service('Device', '/onvif/device_service');
    const ptz = this.#options.ptz === undefined ? '' : service('PTZ', '/onvif/ptz');
    return `<t:Capabilities>${device}${service('Media', '/onvif/media')}${events}${ptz}</t:Capabilities>`;
  }

  #services(): string {
    const service = (version: string, path: string) =>
      `<t:Service><t:Namespace>http://www.onvif.org/${version}/wsdl</t:Namespace>` +
      `<t:XAddr>${this.#addressOf(path)}</t:XAddr></t:Service>`;
    return [
      service('ver10/device', '/onvif/device_service'),
      service('ver10/media', '/onvif/media'),
      service('ver20/media', '/onvif/media2'),
      service('ver10/events', '/onvif/events'),
      service('ver20/ptz', '/onvif/ptz'),
    ].join('');
  }

  /** undefined: the login is right. */
  #refusal(request: IncomingMessage, message: XmlElement): FakeResponse | undefined {
    const { login, checks = 'token' } = this.#options;
    if (login === undefined) return undefined;
    const { authorization } = request.headers;
    if (authorization !== undefined) this.authorizations.push(authorization);
    if (checks !== 'token' && !this.#isDigest(request, login)) {
      const challenge = buildDigestChallenge(REALM, nonceOf(request), 'MD5', 'auth');
      const headers = { 'www-authenticate': challenge, 'content-type': 'text/html' };
      return { status: 401, text: '<html><body>401</body></html>', headers };
    }
    const isSigned = descendant(message, 'UsernameToken') !== undefined;
    if (checks === 'http-only' && isSigned) return NOT_AUTHORIZED;
    const isTokenChecked = checks === 'token' || checks === 'token-and-http';
    return isTokenChecked && !this.#isToken(message, login) ? NOT_AUTHORIZED : undefined;
  }

  #isToken(message: XmlElement, login: { readonly username: string; readonly password: string }): boolean {
    const created = textOf(message, 'Created') ?? '';
    const nonce = Buffer.from(textOf(message, 'Nonce') ?? '', 'base64');
    const digest = createHash('sha1').update(nonce).update(created).update(login.password).digest('base64');
    const isInTime = Math.abs(Date.parse(created) - (this.clockEpochMs ?? 0)) < 5_000;
    return (
      textOf(message, 'Username') === login.username && textOf(message, 'Password') === digest && isInTime
    );
  }

  #isDigest(
    request: IncomingMessage,
    login: { readonly username: string; readonly password: string },
  ): boolean {
    const credentials = { username: login.username, password: new Secret(login.password) };
    return verifyDigest(request.headers.authorization ?? '', {
      method: 'POST',
      uri: request.url ?? '',
      realm: REALM,
      nonce: nonceOf(request),
      algorithm: 'MD5',
      qop: 'auth',
      credentials,
    });
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The nonce of one URL only, as on Hikvision cameras. */
function nonceOf(request: IncomingMessage): string {
  return createHash('sha256')
    .update(request.url ?? '')
    .digest('hex')
    .slice(0, 16);
}
