/** One SOAP request over HTTP or HTTPS to a camera, on a connection of its own: cameras have few, and keep them badly. */

import { GatewayError } from '../../core/errors.ts';
import { CheckedAgents } from '../../network/checked-agents.ts';
import { BodyTooLong, callHttp } from '../../network/http-call.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import { MAX_XML_CHARS } from '../../onvif/xml-element.ts';
import type { AddressRule } from '../../sources/network/camera-address.ts';
import { cameraConnections } from '../../sources/network/camera-connections.ts';
import type { TlsTrust, TrustFault } from '../../sources/network/tls-trust.ts';

export interface SoapRequest {
  readonly envelope: string;
  readonly contentType: string;
  /** The value of the Authorization header; null: none. */
  readonly authorization: string | null;
}

/** The common part of requests to one camera. */
export interface SoapTarget {
  readonly addressRule: AddressRule;
  /** The trust that the certificate must meet if the URL is https. */
  readonly tls: TlsTrust;
}

export interface SoapResponse {
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
): Promise<SoapResponse> {
  const bytes = Buffer.from(envelope);
  const headers: Record<string, string> = {
    'content-type': contentType,
    'content-length': String(bytes.length),
    connection: 'close',
    ...(authorization === null ? {} : { authorization }),
  };
  const refuse = ({ reason }: TrustFault): GatewayError =>
    new GatewayError(ONVIF_ERRORS.ONVIF_CERTIFICATE_REFUSED, { host: url.host, reason });
  const agents = new CheckedAgents(() => cameraConnections(addressRule, tls, refuse));
  const connection = { agent: agents.agentFor(url) };
  try {
    const call = { url, method: 'POST', headers, body: bytes, signal, connection };
    const { status, message, body } = await callHttp(call, MAX_XML_CHARS);
    const challenges = message.headersDistinct['www-authenticate'] ?? [];
    return { status, challenges, body: body.toString() };
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    if (cause instanceof BodyTooLong)
      throw new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason: 'too long' });
    throw new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE, { host: url.host, ...reasonOf(cause) }, cause);
  } finally {
    agents.destroy();
  }
}

function reasonOf(cause: unknown): { readonly reason?: string } {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? { reason: code } : {};
}
