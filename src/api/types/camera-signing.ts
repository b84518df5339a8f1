/** What a camera's signatures say about its video, as the API returns it. */

import type { Static } from 'typebox';
import { SIGNER_TRUSTS } from '../../codec/media-signing/media-signer.ts';
import { VERDICT_REASONS } from '../../codec/media-signing/media-verifier.ts';
import { int64, namedType, nullable, oneOf, plainText } from '../../http/fields/field-types.ts';
import { SIGNING_STATES, type SigningState } from '../../stream/signing-state.ts';
import { EXAMPLE_TIME_MS } from './examples.ts';

const SHOWN_STATES = SIGNING_STATES.filter((state) => state !== 'unknown');

export const CAMERA_SIGNING_SCHEMA = namedType('CameraSigningType', {
  state: oneOf(
    SHOWN_STATES,
    'none: the camera does not sign. signed: as it signed it. incomplete: frames were lost, the others are as signed. ' +
      'unverifiable: no usable statement of the camera arrives. changed: within the last hour, video was not as the ' +
      'camera signed it. stopped: the camera signed, and does not anymore.',
  ),
  sinceMs: nullable(int64('Since when, epoch milliseconds. Lost frames do not begin it again.')),
  changedAtMs: nullable(
    int64(
      'When video last was not as the camera signed it, epoch milliseconds; absent: not since the gateway started.',
    ),
  ),
  reason: nullable(oneOf(VERDICT_REASONS, 'Why it is not signed; absent if it is.')),
  trust: nullable(
    oneOf(
      SIGNER_TRUSTS,
      'Whether the certificate leads to one of sources.signingAnchors; unknown: there are none. Absent without a certificate.',
    ),
  ),
  subject: nullable(plainText('Subject of the camera’s certificate, one attribute a line.')),
  issuer: nullable(plainText('Issuer of the certificate.')),
  fingerprint: nullable(plainText('SHA-256 of the certificate, hexadecimal.')),
  manufacturer: nullable(plainText('The manufacturer, as the camera signed it.')),
  serialNumber: nullable(plainText('The serial number of the camera, as it signed it.')),
  firmware: nullable(plainText('Its firmware, as it signed it.')),
});

/** null: nothing is known. */
export function cameraSigning(
  signing: SigningState | undefined,
): Static<typeof CAMERA_SIGNING_SCHEMA> | null {
  if (signing === undefined || signing.state === 'unknown') return null;
  const { state, sinceEpochMs, changedAtEpochMs, reason, trust, signer, vendor } = signing;
  return {
    state,
    sinceMs: sinceEpochMs,
    changedAtMs: changedAtEpochMs,
    reason,
    trust: signer === null ? null : trust,
    subject: signer?.subject ?? null,
    issuer: signer?.issuer ?? null,
    fingerprint: signer?.fingerprint ?? null,
    manufacturer: vendor?.manufacturer ?? null,
    serialNumber: vendor?.serialNumber ?? null,
    firmware: vendor?.firmware ?? null,
  };
}

export const EXAMPLE_SIGNING = cameraSigning({
  state: 'signed',
  sinceEpochMs: EXAMPLE_TIME_MS,
  changedAtEpochMs: null,
  reason: null,
  trust: 'trusted',
  signer: {
    subject: 'CN=Lobby camera',
    issuer: 'CN=Example manufacturer CA',
    fingerprint: '9f2c64b1e07d5a3386c1d24f7be90a5518c3f6727d4e9b60a1f58c2d3e7b4a90',
  },
  vendor: { manufacturer: 'Example', serialNumber: 'B8A44F0012', firmware: '11.4.2' },
});
