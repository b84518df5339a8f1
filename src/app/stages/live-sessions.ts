/** What signs live video, with the gateway's key for evidence (docs/design/live-signatures.md). */

import { X509Certificate } from 'node:crypto';
import { LiveSession, streamIdOf } from '../../c2pa/live-session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { fingerprintOf } from '../../evidence/certificate.ts';
import { SigningCertificates } from '../../evidence/signing-certificates.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { BeginSession } from '../../stream/packaging/live-signing.ts';
import { readVersion } from '../process/version.ts';
import type { StoreStage } from './start-store.ts';

export interface LiveSessions {
  /** Begins the sessions of one rendition. */
  readonly of: (cameraUuid: Ruuid, rendition: RenditionName) => BeginSession;
  /** SHA-256 of the certificate, hexadecimal. */
  readonly fingerprint: string;
}

/** The first start creates the key and its certificate. Fails like the store. */
export async function liveSessionsOf(
  { store, secrets }: Pick<StoreStage, 'store' | 'secrets'>,
  clock: Clock,
): Promise<LiveSessions> {
  const secret = secrets.evidenceKey;
  const certificates = new SigningCertificates({ certificates: store.signingCertificates, secret, clock });
  const current = await certificates.current();
  const certificate = new X509Certificate(current.pem).raw;
  const identity = { key: certificates.keyOf(current).key, certificate, version: readVersion() };
  return {
    of: (cameraUuid, rendition) => {
      const streamId = streamIdOf(cameraUuid, rendition);
      return (session) => new LiveSession({ identity, streamId, ...session });
    },
    fingerprint: fingerprintOf(current.pem),
  };
}
