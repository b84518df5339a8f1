/**
 * A conversation with one camera: where its services are, how far its clock is off, and how it wants to see the login.
 * Everything stays on the given host: other hosts in the camera's responses are ignored, so that it cannot lead us
 * elsewhere. Passwords are only ever sent as digests.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  GET_CAPABILITIES,
  GET_SERVICES,
  GET_SYSTEM_DATE_AND_TIME,
  readCapabilities,
  readServices,
  readSystemTimeMs,
  type ServiceAddresses,
} from '../../onvif/device-messages.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import type { SubscriptionReference } from '../../onvif/event-messages.ts';
import {
  type OnvifLogin,
  readSoapBody,
  type SoapMessage,
  soapContentType,
  soapEnvelope,
} from '../../onvif/soap.ts';
import type { XmlElement } from '../../onvif/xml-element.ts';
import { buildAuthorization, type DigestChallenge, parseChallenge } from '../../rtsp/auth.ts';
import { type AddressRule, ANYWHERE } from '../../sources/network/camera-address.ts';
import type { TlsTrust } from '../../sources/network/tls-trust.ts';
import { postSoap, type SoapResponse } from './soap-request.ts';

const NONCE_BYTES = 16;
/** A camera that shows whole seconds, and the time that its response takes, look like this much. */
const CLOCK_JUMP_MS = 2_500;
/** Challenges are kept per URL. */
const MAX_CHALLENGES = 16;

export interface OnvifClientOptions {
  readonly clock: Clock;
  readonly login: OnvifLogin | null;
  /** Default: `anywhere`. */
  readonly addressRule?: AddressRule | undefined;
  /** Default: `any`. */
  readonly tls?: TlsTrust | undefined;
}

/** The services of a camera on the host that responded; null: it has no such service. */
export type OnvifServices = Readonly<Record<Exclude<keyof ServiceAddresses, 'device'>, URL | null>>;

/** A place within a camera that messages can be sent to, such as a subscription. */
export interface OnvifEndpoint {
  readonly url: URL;
  /** As the camera wrote it. */
  readonly to: string;
  /** Reference parameters, as XML. */
  readonly parameters: string;
}

/**
 * How this camera wants to see the login. It starts with `token`, the digest in the message. If the host demands Digest
 * of HTTP, it gets `both`; if it then refuses the message, `http` alone.
 */
type LoginForm = 'token' | 'both' | 'http';

interface CountedChallenge {
  readonly challenge: DigestChallenge;
  used: number;
}

export class OnvifClient {
  readonly #service: URL;
  readonly #options: OnvifClientOptions;
  /** Hikvision ties a nonce to the URL that it was issued for. */
  readonly #challenges = new Map<string, CountedChallenge>();
  #form: LoginForm = 'token';
  #clockOffsetMs: number | null = null;
  /** The camera's own URL of its device service. */
  #believed: URL | null = null;

  constructor(service: URL, options: OnvifClientOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** How far the camera's clock is ahead of ours; null: the camera does not report it. */
  get clockOffsetMs(): number | null {
    return this.#clockOffsetMs;
  }

  /**
   * Reads the camera's clock. Requested without a login, which every camera should answer (Core §8.3.5); one that does
   * not gets digests by our clock. Fails ONVIF_UNREACHABLE, ONVIF_BAD_ANSWER, DIRECT_ADDRESS_REFUSED.
   */
  async readClock(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    try {
      const sentMonoMs = clock.monoMs();
      const response = await this.#post(this.#service, GET_SYSTEM_DATE_AND_TIME, 'none', null, signal);
      const cameraMs = readSystemTimeMs(readResponse(response));
      // It showed that time halfway between request and response, more or less.
      const halfMs = Math.round((clock.monoMs() - sentMonoMs) / 2);
      this.#clockOffsetMs = cameraMs === null ? null : cameraMs - clock.epochMs() + halfMs;
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.kind !== 'peer-refused') throw thrown;
      this.#clockOffsetMs = null;
    }
  }

  /** Fails like `ask`. */
  async services(signal: AbortSignal): Promise<OnvifServices> {
    const { device, media, media2, events, ptz, search, replay } = await this.#addresses(signal);
    this.#believed = device !== null && URL.canParse(device) ? new URL(device) : null;
    return {
      media: this.#serviceAt(media),
      media2: this.#serviceAt(media2),
      events: this.#serviceAt(events),
      ptz: this.#serviceAt(ptz),
      search: this.#serviceAt(search),
      replay: this.#serviceAt(replay),
    };
  }

  /**
   * Asks the device service, or `at`. Fails ONVIF_UNREACHABLE, ONVIF_BAD_ANSWER, ONVIF_CERTIFICATE_REFUSED,
   * ONVIF_NOT_AUTHENTICATED, ONVIF_NOT_SUPPORTED, ONVIF_REFUSED, DIRECT_ADDRESS_REFUSED.
   */
  async ask(message: SoapMessage, signal: AbortSignal, at?: URL | OnvifEndpoint): Promise<XmlElement> {
    const endpoint = at !== undefined && !(at instanceof URL) ? at : null;
    const url = endpoint?.url ?? (at instanceof URL ? at : this.#service);
    try {
      return await this.#authenticated(url, message, endpoint, signal);
    } catch (thrown) {
      if (!isLoginRefused(thrown) || !(await this.#hasClockJumped(signal))) throw thrown;
      return await this.#authenticated(url, message, endpoint, signal);
    }
  }

  /**
   * A URL from a response, on the host that responded; null if it is none of `protocols`. Cameras behind NAT name the
   * address that they know, others 0.0.0.0 or one of a link that is down.
   */
  onSameHost(text: string, protocols: RegExp): URL | null {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !protocols.test(url.protocol)) return null;
    url.hostname = this.#service.hostname;
    url.username = '';
    url.password = '';
    return url;
  }

  /** A place that the camera named, known after `services`; null if it is no HTTP URL. */
  endpointAt({ address, parameters }: SubscriptionReference): OnvifEndpoint | null {
    const url = this.#serviceAt(address);
    return url === null ? null : { url, to: address, parameters };
  }

  /** GetServices is newer than GetCapabilities, and the only one that knows Media2. */
  async #addresses(signal: AbortSignal): Promise<ServiceAddresses> {
    try {
      const services = readServices(await this.ask(GET_SERVICES, signal));
      if (services.media !== null || services.media2 !== null) return services;
    } catch (thrown) {
      if (!isPassedOver(thrown)) throw thrown;
    }
    return readCapabilities(await this.ask(GET_CAPABILITIES, signal));
  }

  /**
   * The URL of a service. If its port is the device service's port as the camera knows it, we use the port that we reached: NAT changes
   * ports, too. Services on other ports keep theirs.
   */
  #serviceAt(text: string | null): URL | null {
    const url = text === null ? null : this.onSameHost(text, /^https?:$/);
    if (url === null) return null;
    if (this.#believed?.port === url.port && this.#believed.protocol === url.protocol) {
      url.protocol = this.#service.protocol;
      url.port = this.#service.port;
    }
    return url;
  }

  async #hasClockJumped(signal: AbortSignal): Promise<boolean> {
    const before = this.#clockOffsetMs;
    await this.readClock(signal);
    const after = this.#clockOffsetMs;
    return before === null ? after !== null : after !== null && Math.abs(after - before) > CLOCK_JUMP_MS;
  }

  async #authenticated(
    url: URL,
    message: SoapMessage,
    endpoint: OnvifEndpoint | null,
    signal: AbortSignal,
  ): Promise<XmlElement> {
    const first = await this.#post(url, message, this.#form, endpoint, signal);
    const challenge = first.status === 401 ? digestOf(first) : null;
    if (challenge === null || this.#options.login === null) return readResponse(first);
    this.#keepChallenge(url, challenge);
    if (this.#form === 'token') this.#form = 'both';
    const second = await this.#post(url, message, this.#form, endpoint, signal);
    // A second 401 is about the password: another try would only bring the account closer to being locked.
    if (second.status === 401 || this.#form === 'http') return readResponse(second);
    try {
      return readResponse(second);
    } catch (thrown) {
      if (!isLoginRefused(thrown)) throw thrown;
      const third = await this.#post(url, message, 'http', endpoint, signal);
      const body = readResponse(third);
      this.#form = 'http';
      return body;
    }
  }

  #post(
    url: URL,
    message: SoapMessage,
    form: LoginForm | 'none',
    endpoint: OnvifEndpoint | null,
    signal: AbortSignal,
  ): Promise<SoapResponse> {
    const { clock, login, addressRule = ANYWHERE, tls = 'any' } = this.#options;
    const isSigned = login !== null && (form === 'token' || form === 'both');
    const createdEpochMs = clock.epochMs() + (this.#clockOffsetMs ?? 0);
    const signature = isSigned ? { login, createdEpochMs, nonce: randomBytes(NONCE_BYTES) } : null;
    const address = endpoint === null ? null : { ...endpoint, messageId: `urn:uuid:${randomUUID()}` };
    const request = {
      envelope: soapEnvelope(message, signature, address),
      contentType: soapContentType(message),
      authorization: form === 'none' ? null : this.#authorization(url, login),
    };
    return postSoap(url, request, { addressRule, tls }, signal);
  }

  #authorization(url: URL, login: OnvifLogin | null): string | null {
    const counted = this.#challenges.get(url.href);
    if (counted === undefined || login === null) return null;
    counted.used += 1;
    const uri = url.pathname + url.search;
    const cnonce = randomBytes(NONCE_BYTES).toString('hex');
    const request = { method: 'POST', uri, nonceCount: counted.used, cnonce };
    return buildAuthorization(counted.challenge, login, request);
  }

  #keepChallenge(url: URL, challenge: DigestChallenge): void {
    if (this.#challenges.size >= MAX_CHALLENGES) this.#challenges.clear();
    this.#challenges.set(url.href, { challenge, used: 0 });
  }
}

/** Whether a camera that refuses this may still have an older way. */
export function isPassedOver(thrown: unknown): boolean {
  return (
    thrown instanceof GatewayError &&
    (thrown.code === ONVIF_ERRORS.ONVIF_NOT_SUPPORTED.code ||
      thrown.code === ONVIF_ERRORS.ONVIF_REFUSED.code ||
      thrown.code === ONVIF_ERRORS.ONVIF_BAD_ANSWER.code)
  );
}

/** Basic would show the password to anyone on the way. */
function digestOf({ challenges }: SoapResponse): DigestChallenge | null {
  const challenge = parseChallenge(challenges);
  return challenge?.scheme === 'digest' ? challenge : null;
}

function readResponse({ status, body }: SoapResponse): XmlElement {
  if (status === 401) throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED);
  return readSoapBody(body);
}

function isLoginRefused(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code;
}
