/** Texts of the page that checks cases. */

import type { CameraSignature } from '../../src/codec/media-signing/camera-signature.ts';
import { commonName } from '../../src/evidence/camera-signature.ts';
import type { TimeStampFinding } from '../../src/evidence/time-stamp.ts';
import type { ArchiveFinding, FileFinding } from '../../src/evidence/verify-archive.ts';
import type { MediaFinding, MediaProblem } from '../../src/evidence/verify-media.ts';
import { timeFormat } from '../words/formats.ts';
import { t } from '../words/plain-words.ts';

/** With seconds and the zone, as a report needs it. */
export function timeText(epochMs: number): string {
  return timeFormat('zonedDate').format(epochMs);
}

export function stateText(finding: FileFinding['finding']): string {
  switch (finding) {
    case 'whole':
      return t('Whole');
    case 'changed':
      return t('Changed');
    case 'missing':
      return t('Missing');
    case 'extra':
      return t('Added');
    case 'unreadable':
      return t('Cannot be read');
  }
}

export function manifestText(manifest: ArchiveFinding['manifest']): string {
  switch (manifest) {
    case 'whole':
      return t('The list of files is as it was signed.');
    case 'changed':
      return t('The list of files, its signature, or its certificate was changed.');
    case 'missing':
      return t('The list of files or its signature is missing.');
  }
}

/** Whom to trust about the time is for the reader to decide. */
export function timeStampText({ state, atMs, authority }: TimeStampFinding): string {
  switch (state) {
    case 'whole':
      return t('{time}, confirmed by {name}', { time: timeText(atMs!), name: authority ?? '' });
    case 'changed':
      return t('Changed, or of another archive');
    case 'missing':
      return t('Missing');
    case 'unverifiable':
      return t('Not checked, because this page does not know this kind of signature');
  }
}

/** What a recording is made of. */
export function mediaTexts({
  segments,
  unsigned,
  unlinked,
  repaired,
  gaps,
  changed,
}: MediaFinding): string[] {
  const counts: [number, string][] = [
    [segments, t('Segments: {count}', { count: segments })],
    [changed, t('Not as recorded: {count}', { count: changed })],
    [unsigned, t('Signed by an unknown key: {count}', { count: unsigned })],
    [unlinked, t('Recorded by an older version, without proof: {count}', { count: unlinked })],
    [repaired, t('Repaired after an interruption: {count}', { count: repaired })],
    [gaps, t('Gaps in the recording: {count}', { count: gaps })],
  ];
  return counts.filter(([count], index) => index === 0 || count > 0).map(([, text]) => text);
}

/** What the camera itself signed, as the gateway found it when it sealed the case. */
export function signatureTexts({
  groups,
  certificate,
  manufacturer,
  serialNumber,
}: CameraSignature): string[] {
  const { signed, incomplete, changed, unverifiable } = groups;
  const counts: [number, string][] = [
    [signed, t('Signed by the camera: {count} groups of pictures', { count: signed })],
    [incomplete, t('Signed by the camera, with lost frames: {count}', { count: incomplete })],
    [changed, t('Not as the camera signed it: {count}', { count: changed })],
    [unverifiable, t('Signature of the camera not checked: {count}', { count: unverifiable })],
  ];
  const texts = counts.filter(([count], index) => index === 0 || count > 0).map(([, text]) => text);
  if (changed > 0) {
    texts.push(t('A frame that the gateway put in place of a lost one counts as not signed.'));
  }
  if (certificate !== null) {
    texts.push(
      t('Certificate of the camera: {name}, issued by {issuer}', {
        name: commonName(certificate.subject),
        issuer: commonName(certificate.issuer),
      }),
      t('Fingerprint of that certificate: {fingerprint}', { fingerprint: certificate.sha256 }),
    );
  }
  if (serialNumber !== null) {
    texts.push(
      t('Camera: {manufacturer}, serial number {serialNumber}', {
        manufacturer: manufacturer ?? '',
        serialNumber,
      }),
    );
  }
  return texts;
}

export function problemText({ what, epochMs }: MediaProblem): string {
  if (epochMs === null) return problemName(what);
  return t('{time}: {problem}', { time: timeText(epochMs), problem: problemName(what) });
}

function problemName(what: MediaProblem['what']): string {
  switch (what) {
    case 'media':
      return t('The video of this segment was changed.');
    case 'facts':
      return t('The camera, time, or duration of this segment was changed.');
    case 'signature':
      return t('The signature of this segment is wrong.');
    case 'size':
      return t('The size of this segment was changed.');
    case 'place':
      return t('This segment is not where it was recorded.');
    case 'no-link':
      return t('The proof of this segment is missing.');
    case 'no-segments':
      return t('The file has no segments.');
    case 'no-beginning':
      return t('A segment has no beginning.');
    case 'no-end':
      return t('A segment has no end.');
    case 'link-alone':
      return t('A proof has no segment.');
    case 'foreign-bytes':
      return t('The file has bytes that were not recorded.');
    case 'cut-off':
      return t('The file is cut off.');
  }
}
