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

  /** The same URL with another scheme, such as `rtsp:`. */
  withProtocol(protocol: string): CredentialUrl {
    return new CredentialUrl(this.#url.href.replace(/^[^:]+:/, protocol));
  }

  /** The same URL with this port written out. */
  withPort(port: number): CredentialUrl {
    const copy = new URL(this.#url.href);
    copy.port = String(port);
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

  /**
   * The URL without its user info, and without the passphrase of an SRT URL: what requests name and responses show. Logs
   * show the printed form.
   */
  redacted(): string {
    const copy = new URL(this.#url.href);
    copy.username = '';
    copy.password = '';
    if (copy.protocol === 'srt:' && copy.searchParams.has('passphrase'))
      copy.searchParams.delete('passphrase');
    return copy.href;
  }

  toString(): string {
    return this.#shown();
  }

  toJSON(): string {
    return this.#shown();
  }

  [inspect.custom](): string {
    return this.#shown();
  }

  /** The URL for logs: some firmwares take the login in the path or in the query, too. */
  #shown(): string {
    return this.redacted().replace(PASSWORD_PARAMETER, '$1…');
  }
}

/**
 * Whether a URL was torn by a raw # or ? in its password, which ends the authority: the user became the host, and the rest of the password
 * a part of the URL that is shown. An @ in the path belongs there only if the apparent host looks like one, and the text after the @ does
 * not.
 */
export function isTornUrl(text: string): boolean {
  const { hash, hostname, pathname, search } = new URL(text);
  const rest = `${pathname}${search}`;
  if (hash !== '') return true;
  return rest.includes('@') && (!/[.:]/.test(hostname) || /@[^/?@]*[.:]/.test(rest));
}

/** `user=admin&password=x&channel=1` and `user=admin_password=x_channel=1` (Xiongmai), `?pwd=x` (Foscam). */
const PASSWORD_PARAMETER =
  /([/?&;_](?:pass(?:word|wd|phrase)?|pwd|psw|auth|token)=)(?:(?!_[a-z]+=)[^/?&;#])*/gi;

/** One character as UTF-8 of one to four bytes, escaped. */
const ESCAPED_CHARACTER =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;

/** Cameras' passwords contain raw percent signs: text that is not an escape is used unchanged. */
function decode(text: string): string {
  return text.replace(ESCAPED_CHARACTER, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}
