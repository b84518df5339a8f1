/** Addresses and headers of calls to other services, as callers may give them. */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { GatewayError } from '../core/errors.ts';
import { WEBHOOK_ERRORS } from './errors.ts';

export const MAX_WEBHOOK_URL_LENGTH = 2_048;
const MAX_HEADERS = 50;
const MAX_HEADERS_LENGTH = 8_192;

/** What the gateway sets itself, and what would change how the message is framed or routed. */
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
/** What the gateway says about a delivery begins with this. */
export const OWN_HEADER_PREFIX = 'x-sluice-';

/** Fails WEBHOOK_URL_INVALID. */
export function webhookUrl(text: string): URL {
  const url = text.length <= MAX_WEBHOOK_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  const isGood =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '';
  if (!isGood) throw new GatewayError(WEBHOOK_ERRORS.WEBHOOK_URL_INVALID);
  return url;
}

/** The headers with names in lower case. Fails WEBHOOK_HEADERS_INVALID with a sentence that names the header. */
export function webhookHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MAX_HEADERS) throw invalidHeaders(`There may be at most ${MAX_HEADERS} headers.`);
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  let length = 0;
  for (const [name, value] of entries) {
    const lowerName = name.toLowerCase();
    checkSyntax(name, value);
    if (RESERVED_HEADERS.has(lowerName) || lowerName.startsWith(OWN_HEADER_PREFIX)) {
      throw invalidHeaders(`The gateway sets the header ${name} itself.`);
    }
    if (lowerName in headers) throw invalidHeaders(`The header ${name} is there twice.`);
    length += name.length + value.length;
    headers[lowerName] = value;
  }
  if (length > MAX_HEADERS_LENGTH) {
    throw invalidHeaders(`The headers may have at most ${MAX_HEADERS_LENGTH} characters in all.`);
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
