/** What a camera signed in a time of its video, as the API returns it. */

import type { Static } from 'typebox';
import type { CameraSignature } from '../../codec/media-signing/camera-signature.ts';
import { int32, namedType, nullable, plainText } from '../../http/fields/field-types.ts';

export const CAMERA_SIGNATURE_FIELDS = {
  signed: int32('Groups of pictures that are as the camera signed them.'),
  incomplete: int32('Those of which frames are missing, and the others are as signed.'),
  changed: int32(
    'Those that are not as signed. Frames that the gateway put in place of lost ones count, too.',
  ),
  unverifiable: int32('Those without a usable statement of the camera.'),
  subject: nullable(plainText('Subject of the camera’s certificate, one attribute a line.')),
  issuer: nullable(plainText('Issuer of the certificate.')),
  fingerprint: nullable(plainText('SHA-256 of the certificate, hexadecimal.')),
  manufacturer: nullable(plainText('The manufacturer, as the camera signed it.')),
  serialNumber: nullable(plainText('The serial number of the camera, as it signed it.')),
};

export const CAMERA_SIGNATURE_SCHEMA = namedType('CameraSignatureType', CAMERA_SIGNATURE_FIELDS);

export function cameraSignatureResponse({
  groups,
  certificate,
  manufacturer,
  serialNumber,
}: CameraSignature): Static<typeof CAMERA_SIGNATURE_SCHEMA> {
  return {
    ...groups,
    subject: certificate?.subject ?? null,
    issuer: certificate?.issuer ?? null,
    fingerprint: certificate?.sha256 ?? null,
    manufacturer,
    serialNumber,
  };
}
