/** Reads metadata at the address that an admin gave: like a webhook, to a checked address, without redirects, and up to a limit. */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { WEBHOOK_ERRORS } from '../webhooks/errors.ts';
import { type CallOutbound, outboundCaller } from '../webhooks/outbound-call.ts';
import { webhookUrl } from '../webhooks/webhook-request.ts';
import { SAML_ERRORS } from './errors.ts';
import { MAX_METADATA_BYTES } from './provider-metadata.ts';

const TIMEOUT_MS = 10_000;
const OK = 200;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Fails SAML_METADATA_UNREACHABLE, SAML_METADATA_ADDRESS_REFUSED, SAML_METADATA_BUSY. */
export type FetchMetadata = (orgUuid: Ruuid, url: string) => Promise<string>;

/** Calls the host of metadata. */
export type ReadMetadata = CallOutbound;

export interface MetadataFetchOptions {
  readonly clock: Clock;
  readonly allowPrivateNetworks: boolean;
  /** Default: HTTPS. */
  readonly call?: ReadMetadata | undefined;
}

export function metadataFetch({ clock, allowPrivateNetworks, call }: MetadataFetchOptions): FetchMetadata {
  const get =
    call ??
    outboundCaller({ clock, allowPrivateNetworks, timeoutMs: TIMEOUT_MS, maxBytes: MAX_METADATA_BYTES });
  const places = new Pool(LIMITS.samlMetadataReads);
  return async (orgUuid, address) => {
    const url = metadataUrl(address);
    const place = places.take({ organization: orgUuid });
    if (!place.isTaken) throw new GatewayError(SAML_ERRORS.SAML_METADATA_BUSY);
    try {
      const { signal } = new AbortController();
      const accept = 'application/samlmetadata+xml, application/xml, text/xml';
      const { status, body } = await get({ url, method: 'GET', headers: { accept }, signal });
      if (status !== OK) throw unreachable(`status ${status}`);
      return body;
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      if (failure.code === WEBHOOK_ERRORS.WEBHOOK_ADDRESS_REFUSED.code) {
        throw new GatewayError(SAML_ERRORS.SAML_METADATA_ADDRESS_REFUSED);
      }
      throw failure.code.startsWith('SAML_') ? failure : unreachable(failure.code);
    } finally {
      place.giveBack();
    }
  };
}

/** https, or http on this machine. Fails SAML_METADATA_ADDRESS_REFUSED. */
export function metadataUrl(address: string): URL {
  try {
    const url = webhookUrl(address);
    if (url.protocol === 'https:' || LOOPBACK.has(url.hostname)) return url;
  } catch {
    // The same sentence.
  }
  throw new GatewayError(SAML_ERRORS.SAML_METADATA_ADDRESS_REFUSED);
}

function unreachable(reason: string): GatewayError {
  return new GatewayError(SAML_ERRORS.SAML_METADATA_UNREACHABLE, { reason });
}
