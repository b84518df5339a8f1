/**
 * Values that must never reach a log, a response or an error message. The type redacts itself: printing, JSON and
 * util.inspect all give the redacted form; only `reveal()` gives the value.
 */

import { inspect } from 'node:util';

/** A password, key or token. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** A URL whose user info is secret, such as `rtsp://user:pass@host/path`. Prints without user info. */
export class CredentialUrl {
  readonly #url: URL;

  /** Throws TypeError when `text` is not a URL; the message does not contain the text. */
  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null) throw new TypeError('not a URL');
    this.#url = url;
  }

  /** The whole URL with its credentials. */
  reveal(): string {
    return this.#url.href;
  }

  /** The same URL with a numeric address, IPv6 without brackets. */
  atAddress(address: string): CredentialUrl {
    const copy = new URL(this.#url.href);
    copy.hostname = address.includes(':') ? `[${address}]` : address;
    return new CredentialUrl(copy.href);
  }

  /** Percent-decoded user and password, null when the URL has no user info. */
  credentials(): { username: string; password: Secret } | null {
    if (this.#url.username === '' && this.#url.password === '') return null;
    return { username: decode(this.#url.username), password: new Secret(decode(this.#url.password)) };
  }

  get protocol(): string {
    return this.#url.protocol;
  }

  /** Host without port and, for IPv6, without brackets. */
  get hostname(): string {
    return this.#url.hostname.replace(/^\[|\]$/g, '');
  }

  /** Port as written, null when absent. */
  get port(): number | null {
    return this.#url.port === '' ? null : Number(this.#url.port);
  }

  /** The URL without its user info: what logs and responses show. */
  redacted(): string {
    const copy = new URL(this.#url.href);
    copy.username = '';
    copy.password = '';
    return copy.href;
  }

  toString(): string {
    return this.redacted();
  }

  toJSON(): string {
    return this.redacted();
  }

  [inspect.custom](): string {
    return this.redacted();
  }
}

/** Cameras' URLs contain raw percent signs; such text is used as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
