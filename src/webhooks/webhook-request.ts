/** Addresses and headers of calls to other services, as callers can specify them. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { GatewayError } from '../core/errors.ts';
import { WEBHOOK_ERRORS } from './errors.ts';

export const MAX_WEBHOOK_URL_LENGTH = 2_048;
const MAX_HEADERS = 50;
const MAX_HEADERS_LENGTH = 8_192;

/** Headers that the gateway sets itself, and those that would change how the message is framed or routed. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/**
 * Ports of other protocols, whose servers might mistake part of a request for one of theirs (Fetch, "bad port"),
 * and Redis.
 */
const BAD_PORTS: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 ' +
    '123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 ' +
    '993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);
/** The gateway's own headers about a delivery begin with this. */
export const OWN_HEADER_PREFIX = 'x-sluice-';

/** Fails WEBHOOK_URL_INVALID. */
export function webhookUrl(text: string): URL {
  const url = text.length <= MAX_WEBHOOK_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  const isGood =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    !BAD_PORTS.has(url.port);
  if (!isGood) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_URL_INVALID);
  return url;
}

/** The headers with names in lower case. Fails WEBHOOK_HEADERS_INVALID with a sentence that names the header. */
export function webhookHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MAX_HEADERS) throw invalidHeaders(`There can be at most ${MAX_HEADERS} headers.`);
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  let length = 0;
  for (const [name, value] of entries) {
    const lowerName = name.toLowerCase();
    checkSyntax(name, value);
    if (RESERVED_HEADERS.has(lowerName) || lowerName.startsWith(OWN_HEADER_PREFIX)) {
      throw invalidHeaders(`The gateway sets the header ${name} itself.`);
    }
    if (lowerName in headers) throw invalidHeaders(`The header ${name} appears twice.`);
    length += name.length + value.length;
    headers[lowerName] = value;
  }
  if (length > MAX_HEADERS_LENGTH) {
    throw invalidHeaders(`The headers can have at most ${MAX_HEADERS_LENGTH} characters in total.`);
  }
  return headers;
}

function checkSyntax(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (cause) {
    throw invalidHeaders('The headers must have names and values that RFC 9110 allows.', cause);
  }
}

function invalidHeaders(sentence: string, cause?: unknown): GatewayError {
  return new GatewayError(WEBHOOK_ERRORS.WEBHOOK_HEADERS_INVALID, { sentence }, cause);
}
