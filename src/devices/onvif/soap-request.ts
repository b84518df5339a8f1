/** One SOAP request over HTTP or HTTPS to a camera, on a connection of its own: cameras have few, and keep them badly. */

import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { GatewayError } from '../../core/errors.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import { MAX_XML_CHARS } from '../../onvif/xml-element.ts';
import {
  type AddressRule,
  addressRefused,
  cameraLookup,
  isAllowedAddress,
} from '../../sources/network/camera-address.ts';
import { type TlsTrust, trustFault } from '../../sources/network/tls-trust.ts';

const HTTPS_PORT = 443;

export interface SoapRequest {
  readonly envelope: string;
  readonly contentType: string;
  /** The value of the Authorization header; null: none. */
  readonly authorization: string | null;
}

/** What requests to one camera have in common. */
export interface SoapTarget {
  readonly addressRule: AddressRule;
  /** What the certificate must prove if the URL is https. */
  readonly tls: TlsTrust;
}

export interface SoapAnswer {
  readonly status: number;
  /** All values of WWW-Authenticate. */
  readonly challenges: readonly string[];
  readonly body: string;
}

/**
 * Fails with ONVIF_UNREACHABLE, ONVIF_CERTIFICATE_REFUSED, DIRECT_ADDRESS_REFUSED, or ONVIF_BAD_ANSWER if the response
 * is too long. `signal` ends it with ONVIF_UNREACHABLE.
 */
export async function postSoap(
  url: URL,
  { envelope, contentType, authorization }: SoapRequest,
  { addressRule, tls }: SoapTarget,
  signal: AbortSignal,
): Promise<SoapAnswer> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowedAddress(host, addressRule)) throw addressRefused(host, addressRule);
  const bytes = Buffer.from(envelope);
  const headers: Record<string, string | number> = {
    'content-type': contentType,
    'content-length': bytes.length,
    connection: 'close',
  };
  if (authorization !== null) headers.authorization = authorization;
  const options: RequestOptions = {
    ...{ method: 'POST', headers, agent: false, signal, lookup: cameraLookup(addressRule) },
  };
  try {
    if (url.protocol !== 'https:') return await answerTo(url, options, bytes);
    const socket = await connectTrusted(url, host, tls, addressRule, signal);
    try {
      // An agent would open a connection of its own.
      return await answerTo(url, { ...options, agent: undefined, createConnection: () => socket }, bytes);
    } finally {
      socket.destroy();
    }
  } catch (cause) {
    throw cause instanceof GatewayError
      ? cause
      : new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE, { host: url.host, ...reasonOf(cause) }, cause);
  }
}

/** Resolves when the certificate proved what it must, before the first byte of the request. */
async function connectTrusted(
  url: URL,
  host: string,
  trust: TlsTrust,
  addressRule: AddressRule,
  signal: AbortSignal,
): Promise<TLSSocket> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connectTls({
    host,
    port: url.port === '' ? HTTPS_PORT : Number(url.port),
    lookup: cameraLookup(addressRule),
    rejectUnauthorized: trust === 'verify',
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  socket.once('secureConnect', resolve).on('error', reject);
  try {
    await promise;
    const fault = trustFault(socket, trust);
    if (fault !== null) throw new GatewayError(ONVIF_ERRORS.ONVIF_CERTIFICATE_REFUSED, { host: url.host });
    return socket;
  } catch (cause) {
    socket.destroy();
    const isCertificate = trust === 'verify' && socket.authorizationError;
    throw isCertificate
      ? new GatewayError(
          ONVIF_ERRORS.ONVIF_CERTIFICATE_REFUSED,
          { host: url.host, ...reasonOf(cause) },
          cause,
        )
      : cause;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function answerTo(url: URL, options: RequestOptions, bytes: Buffer): Promise<SoapAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
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
    return {
      status: answer.statusCode ?? 0,
      challenges: answer.headersDistinct['www-authenticate'] ?? [],
      body: await textOfAnswer(answer),
    };
  } catch (cause) {
    call.destroy();
    throw cause;
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

function reasonOf(cause: unknown): { readonly reason?: string } {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? { reason: code } : {};
}
