/**
 * Asks one camera over ONVIF what it is and where its streams are. Everything stays on the given host: other hosts in
 * the camera's responses are ignored, so that it cannot lead us elsewhere.
 */

import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  type DeviceInformation,
  GET_CAPABILITIES,
  GET_DEVICE_INFORMATION,
  GET_PROFILES,
  GET_SYSTEM_DATE_AND_TIME,
  getStreamUri,
  readDeviceInformation,
  readMediaAddress,
  readProfiles,
  readStreamUri,
  readSystemTimeMs,
} from '../../onvif/device-messages.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import { type OnvifLogin, readSoapBody, SOAP_CONTENT_TYPE, soapEnvelope } from '../../onvif/soap.ts';
import { MAX_XML_CHARS, type XmlElement } from '../../onvif/xml-element.ts';
import {
  type AddressRule,
  addressRefused,
  cameraLookup,
  isAllowedAddress,
} from '../network/camera-address.ts';

const NONCE_BYTES = 16;

export interface OnvifStream {
  readonly profileToken: string;
  /** As RTP names it, for example `h264`; null if the camera does not say. */
  readonly codec: string | null;
  /** Without login. */
  readonly rtspUrl: string;
}

export interface OnvifDevice extends DeviceInformation {
  /** The main stream first. */
  readonly streams: readonly OnvifStream[];
}

export interface OnvifDeviceOptions {
  readonly clock: Clock;
  /** For all requests together. */
  readonly timeoutMs: number;
  readonly login: OnvifLogin | null;
  /** Default: `anywhere`. */
  readonly addressRule?: AddressRule;
}

/** Fails with ONVIF_UNREACHABLE, ONVIF_BAD_ANSWER, ONVIF_NOT_AUTHENTICATED, ONVIF_REFUSED or DIRECT_ADDRESS_REFUSED. */
export async function inspectOnvifDevice(service: URL, options: OnvifDeviceOptions): Promise<OnvifDevice> {
  const deadline = new AbortController();
  const timer = options.clock.after(options.timeoutMs, () => deadline.abort());
  try {
    return await new OnvifConversation(service, options, deadline.signal).inspect();
  } finally {
    timer.cancel();
  }
}

class OnvifConversation {
  readonly #service: URL;
  readonly #options: OnvifDeviceOptions;
  readonly #signal: AbortSignal;
  /** How far the camera's clock is ahead of ours. */
  #clockOffsetMs = 0;

  constructor(service: URL, options: OnvifDeviceOptions, signal: AbortSignal) {
    this.#service = service;
    this.#options = options;
    this.#signal = signal;
  }

  async inspect(): Promise<OnvifDevice> {
    const { clock, login } = this.#options;
    // Requested without a login, which every camera answers (Core §8.3.5).
    const cameraMs = readSystemTimeMs(await this.#ask(this.#service, GET_SYSTEM_DATE_AND_TIME, null));
    if (cameraMs !== null) this.#clockOffsetMs = cameraMs - clock.epochMs();
    const information = readDeviceInformation(await this.#ask(this.#service, GET_DEVICE_INFORMATION, login));
    const mediaText = readMediaAddress(await this.#ask(this.#service, GET_CAPABILITIES, login));
    const media = mediaText === null ? null : this.#onSameHost(mediaText, /^https?:$/);
    if (media === null) return { ...information, streams: [] };
    const streams: OnvifStream[] = [];
    for (const { token, encoding } of readProfiles(await this.#ask(media, GET_PROFILES, login))) {
      const uri = readStreamUri(await this.#ask(media, getStreamUri(token), login));
      const url = uri === null ? null : this.#onSameHost(uri, /^rtsps?:$/);
      if (url === null) continue;
      streams.push({ profileToken: token, codec: encoding?.toLowerCase() ?? null, rtspUrl: url.href });
    }
    return { ...information, streams };
  }

  /** Cameras behind NAT name the address that they know; the one that responded is the one to use. */
  #onSameHost(text: string, protocols: RegExp): URL | null {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !protocols.test(url.protocol)) return null;
    url.hostname = this.#service.hostname;
    url.username = '';
    url.password = '';
    return url;
  }

  async #ask(url: URL, message: string, login: OnvifLogin | null): Promise<XmlElement> {
    const createdEpochMs = this.#options.clock.epochMs() + this.#clockOffsetMs;
    const nonce = randomBytes(NONCE_BYTES);
    const envelope = soapEnvelope(message, login === null ? null : { login, createdEpochMs, nonce });
    const { status, body } = await post(url, envelope, this.#signal, this.#options.addressRule ?? 'anywhere');
    if (status === 401) throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED);
    return readSoapBody(body);
  }
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Fails with ONVIF_UNREACHABLE, or with ONVIF_BAD_ANSWER if the response is too long. */
async function post(
  url: URL,
  envelope: string,
  signal: AbortSignal,
  addressRule: AddressRule,
): Promise<HttpAnswer> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowedAddress(host, addressRule)) throw addressRefused(host);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const bytes = Buffer.from(envelope);
  const headers = { 'content-type': SOAP_CONTENT_TYPE, 'content-length': bytes.length, connection: 'close' };
  // Cameras have self-signed certificates; the login is a digest and never sent in the clear.
  const lookup = cameraLookup(addressRule);
  const options = { method: 'POST', headers, agent: false, signal, rejectUnauthorized: false, lookup };
  const call = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
  call.on('response', resolve);
  call.on('upgrade', (_answer, socket) => {
    socket.destroy();
    reject(new Error('the host changes the protocol'));
  });
  call.on('error', reject);
  call.end(bytes);
  try {
    const answer = await promise;
    return { status: answer.statusCode ?? 0, body: await textOfAnswer(answer) };
  } catch (cause) {
    call.destroy();
    throw cause instanceof GatewayError
      ? cause
      : new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE, { host: url.host }, cause);
  }
}

async function textOfAnswer(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_XML_CHARS) throw new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason: 'too long' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
