/** What signs live video, with the gateway's key for evidence (docs/design/live-signatures.md). */

import { X509Certificate } from 'node:crypto';
import { LiveSession, streamIdOf } from '../../c2pa/live-session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { SigningCertificates } from '../../evidence/signing-certificates.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { BeginSession } from '../../stream/packaging/live-signing.ts';
import { readVersion } from '../process/version.ts';
import type { StoreStage } from './start-store.ts';

/** Begins the sessions of one rendition. */
export type LiveSessions = (cameraUuid: Ruuid, rendition: RenditionName) => BeginSession;

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
  return (cameraUuid, rendition) => {
    const streamId = streamIdOf(cameraUuid, rendition);
    return (of) => new LiveSession({ identity, streamId, ...of });
  };
}
