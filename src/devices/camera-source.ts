/**
 * Where a camera is and how it is opened, as callers of the API describe it: addresses without a login, and the login in
 * fields of its own. A stored password goes only where it already went: a new address needs the password again.
 */

import { GatewayError } from '../core/errors.ts';
import { type CredentialUrl, Secret } from '../core/secret.ts';
import { parsePulledUrl, parseSchemeUrl } from '../sources/network/camera-url.ts';
import { parseTlsTrust } from '../sources/network/tls-trust.ts';
import type { Camera } from '../store/entities.ts';
import { isPushed } from '../store/pushed-address.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { type RtspLogin, urlWithLogin } from './rtsp-endpoint.ts';

/** The fields that decide how a camera is opened. */
export type CameraSource = Pick<
  Camera,
  'rtspUrl' | 'substreamUrl' | 'onvifUrl' | 'engine' | 'transport' | 'audio' | 'clock' | 'tls'
>;

/**
 * Absent: stays as it is, or the default of a new camera. '': there is none. The login counts for all addresses of the
 * camera; an address can contain another one. An address as `shownSource` shows it means the stored one.
 */
export interface CameraSourceFields
  extends Partial<Pick<Camera, 'engine' | 'transport' | 'audio' | 'clock'>> {
  readonly mainUrl?: string | undefined;
  readonly substreamUrl?: string | undefined;
  readonly onvifUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** As parseTlsTrust reads it. */
  readonly tls?: string | undefined;
}

/** A source without its secrets. */
export interface ShownSource extends Pick<Camera, 'engine' | 'transport' | 'audio' | 'clock' | 'tls'> {
  /** null: a device pushes the main stream. */
  readonly mainUrl: string | null;
  readonly substreamUrl: string | null;
  readonly onvifUrl: string | null;
  /** null: no login is stored. */
  readonly username: string | null;
  readonly hasPassword: boolean;
}

type UrlField = 'mainUrl' | 'substreamUrl' | 'onvifUrl';

const STORED_AS = { mainUrl: 'rtspUrl', substreamUrl: 'substreamUrl', onvifUrl: 'onvifUrl' } as const;
const DEFAULTS = { engine: 'auto', transport: 'auto', audio: 'auto', clock: 'arrival', tls: 'any' } as const;
const ONVIF_SCHEMES = ['http', 'https'];

/** Parameters in which a password is are shown as `…`. */
export function shownSource(source: CameraSource): ShownSource {
  const { engine, transport, audio, clock, tls } = source;
  const login = storedLogin(source);
  return {
    engine,
    transport,
    audio,
    clock,
    tls,
    mainUrl: isPushed(source.rtspUrl) ? null : source.rtspUrl.toString(),
    substreamUrl: source.substreamUrl?.toString() ?? null,
    onvifUrl: source.onvifUrl?.toString() ?? null,
    username: login === null ? null : login.username,
    hasPassword: login !== null && login.password.reveal() !== '',
  };
}

/**
 * `known`: null for a new camera. Fails CAMERA_SOURCE_URL_INVALID, CAMERA_TLS_INVALID, and CAMERA_PASSWORD_NEEDED if a stored password
 * would go to another address than before.
 */
export function mergedSource(known: CameraSource | null, given: CameraSourceFields): CameraSource {
  const { engine, transport, audio, clock, tls } = { ...(known ?? DEFAULTS), ...withoutAbsent(given) };
  const trust = parseTlsTrust(tls);
  if (trust === null) throw new GatewayError(DEVICE_ERRORS.CAMERA_TLS_INVALID);
  const login = new LoginChange(known, given);
  const rtspUrl = login.urlFor('mainUrl');
  if (rtspUrl === null) throw invalidUrl('mainUrl');
  const source = {
    rtspUrl,
    substreamUrl: login.urlFor('substreamUrl'),
    onvifUrl: login.urlFor('onvifUrl'),
    engine,
    transport,
    audio,
    clock,
    tls: trust,
  };
  if (known !== null && trust !== known.tls && trust !== 'verify' && login.isStoredPasswordUsed) {
    throw passwordNeeded('tls');
  }
  return source;
}

class LoginChange {
  readonly #known: CameraSource | null;
  readonly #given: CameraSourceFields;
  readonly #stored: RtspLogin | null;
  /** undefined: the caller gives none. */
  readonly #login: RtspLogin | null | undefined;
  #isStoredPasswordUsed = false;

  constructor(known: CameraSource | null, given: CameraSourceFields) {
    this.#known = known;
    this.#given = given;
    this.#stored = known === null ? null : storedLogin(known);
    this.#login = this.#givenLogin();
  }

  get isStoredPasswordUsed(): boolean {
    return this.#isStoredPasswordUsed;
  }

  /** null: there is none. Fails like `mergedSource`. */
  urlFor(field: UrlField): CredentialUrl | null {
    const before = this.#known?.[STORED_AS[field]] ?? null;
    const text = this.#given[field];
    if (text === '') return null;
    const isSame = text === undefined || text === before?.toString();
    const url = isSame ? before : parseUrl(field, text);
    if (url === null) return null;
    const own = url.credentials();
    if (this.#login === undefined && (isSame || own !== null)) {
      if (isSame && own !== null) this.#isStoredPasswordUsed = true;
      return url;
    }
    const login = this.#login === undefined ? this.#stored : this.#login;
    if (login !== null && this.#given.password === undefined) this.#requireKnownPlace(field, url, login);
    return urlWithLogin(url.reveal(), login);
  }

  #givenLogin(): RtspLogin | null | undefined {
    const { username, password } = this.#given;
    if (username === undefined && password === undefined) return undefined;
    if (username === '' && (password ?? '') === '') return null;
    const name = username ?? this.#stored?.username ?? '';
    return {
      username: name,
      password: password === undefined ? (this.#stored?.password ?? new Secret('')) : new Secret(password),
    };
  }

  /** Fails CAMERA_PASSWORD_NEEDED. */
  #requireKnownPlace(field: UrlField, url: CredentialUrl, { password }: RtspLogin): void {
    const text = password.reveal();
    if (text === '') return;
    this.#isStoredPasswordUsed = true;
    const known = this.#known;
    const places = known === null ? [] : [known.rtspUrl, known.substreamUrl, known.onvifUrl];
    const isKnown = places.some(
      (place) => place !== null && place.credentials()?.password.reveal() === text && isSamePlace(place, url),
    );
    if (!isKnown) throw passwordNeeded(field);
  }
}

/** The login of the main stream. If a device pushes that stream, the login of the substream or of ONVIF. */
function storedLogin({ rtspUrl, substreamUrl, onvifUrl }: CameraSource): RtspLogin | null {
  for (const url of [isPushed(rtspUrl) ? null : rtspUrl, substreamUrl, onvifUrl]) {
    const login = url?.credentials() ?? null;
    if (login !== null) return login;
  }
  return null;
}

function isSamePlace(a: CredentialUrl, b: CredentialUrl): boolean {
  return a.protocol === b.protocol && a.hostname === b.hostname && a.port === b.port;
}

/** Fails CAMERA_SOURCE_URL_INVALID, which does not repeat the text, because it can contain a password. */
function parseUrl(field: UrlField, text: string): CredentialUrl {
  const url = field === 'onvifUrl' ? parseSchemeUrl(text, ONVIF_SCHEMES) : parsePulledUrl(text);
  if (url === null) throw invalidUrl(field);
  return url;
}

function withoutAbsent({ engine, transport, audio, clock, tls }: CameraSourceFields) {
  return {
    ...(engine === undefined ? {} : { engine }),
    ...(transport === undefined ? {} : { transport }),
    ...(audio === undefined ? {} : { audio }),
    ...(clock === undefined ? {} : { clock }),
    ...(tls === undefined ? {} : { tls }),
  };
}

function invalidUrl(field: UrlField): GatewayError {
  return new GatewayError(DEVICE_ERRORS.CAMERA_SOURCE_URL_INVALID, { field });
}

function passwordNeeded(field: UrlField | 'tls'): GatewayError {
  return new GatewayError(DEVICE_ERRORS.CAMERA_PASSWORD_NEEDED, { field });
}
