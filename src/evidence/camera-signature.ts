/** What a camera signed in a file, as the manifest of a sealed case has it. Without Node.js. */

import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';

const VERDICTS = ['signed', 'incomplete', 'changed', 'unverifiable'] as const;
const MAX_TEXT = 1_000;

/** Of a manifest, which is untrusted; null: it is none. */
export function cameraSignatureOf(value: unknown): CameraSignature | null {
  const { groups, certificate, manufacturer, serialNumber } = fieldsOf(value);
  const counts = fieldsOf(groups);
  if (!VERDICTS.every((verdict) => Number.isSafeInteger(counts[verdict]))) return null;
  const { subject, issuer, sha256 } = fieldsOf(certificate);
  const names = [subject, issuer, sha256].map(textOf);
  return {
    groups: {
      signed: Number(counts.signed),
      incomplete: Number(counts.incomplete),
      changed: Number(counts.changed),
      unverifiable: Number(counts.unverifiable),
    },
    certificate: names.includes(null) ? null : { subject: names[0]!, issuer: names[1]!, sha256: names[2]! },
    manufacturer: textOf(manufacturer),
    serialNumber: textOf(serialNumber),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : null;
}

/** The common name of a subject, one attribute a line; the whole of one that has none. */
export function commonName(subject: string): string {
  const attributes = subject.split('\n');
  return attributes.find((each) => each.startsWith('CN='))?.slice('CN='.length) ?? attributes.join(', ');
}
