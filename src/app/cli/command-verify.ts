/**
 * `sluice verify`: checks the archive of a sealed case, the folder into which someone unpacked it, video that its camera signed, or
 * live video that the gateway signed.
 */

import { createHash, X509Certificate } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { LiveFinding } from '../../c2pa/verify-live.ts';
import type { CameraSignature } from '../../codec/media-signing/camera-signature.ts';
import { CERTIFICATE } from '../../connections/certificate.ts';
import { systemClock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { printable } from '../../core/printable.ts';
import type { ByteSource } from '../../evidence/byte-source.ts';
import { commonName } from '../../evidence/camera-signature.ts';
import type { TimeStampFinding } from '../../evidence/time-stamp.ts';
import {
  type ArchiveFiles,
  type ArchiveFinding,
  type FileFinding,
  verifyArchive,
} from '../../evidence/verify-archive.ts';
import type { MediaProblem } from '../../evidence/verify-media.ts';
import { zipFiles } from '../../evidence/zip-files.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { optionError } from './option-values.ts';
import {
  isLiveFolder,
  isLiveWhole,
  liveReportOf,
  verifyLiveFolder,
  verifyLiveUrl,
} from './verify-live-video.ts';
import {
  isVideoFile,
  type SignedVideo,
  type VerifiedTime,
  verifySignedVideo,
} from './verify-signed-video.ts';

const HELP = `sluice verify: check the archive of a sealed case, video that its camera signed, or signed live video

  sluice verify ARCHIVE|FOLDER [--fingerprint SHA256]
  sluice verify VIDEO [--anchor PEM]
  sluice verify URL|FOLDER [--fingerprint SHA256]

Reports whether the manifest is as the gateway signed it, whether each file is as the manifest lists it, and whether
each recorded segment is as the gateway recorded it. It needs neither a gateway nor a network.

Anyone can make a key. So compare the printed fingerprint of the certificate with the one that the operator of the
gateway gives you, or pass that one. The exit code is 1 if anything is changed, missing, or added.

A time stamp (RFC 3161) is checked against the certificate in it, whose fingerprint is printed, too. Whether to trust
that authority is yours to decide; "openssl ts -verify" checks manifest.tsr, of manifest.jws, against its root.

Of a video file (MP4), it reports which times are as the camera signed them (ONVIF Media Signing).

Of live video (evidence.signLive), it reports which segments are as the gateway signed them: those that an HLS playlist
lists now, or those in a folder of saved segments with their init segment.

Options
  --fingerprint SHA256  fingerprint of the certificate that must have signed it, 64 hexadecimal digits
  --anchor PEM          file with the certificates to which the camera's must lead

Examples
  sluice verify "Theft.zip"
  sluice verify clip.mp4 --anchor manufacturer.pem
  sluice verify https://video.example.com/live/vS6yFv3q/file.m3u8
`;

const OPTIONS = {
  config: { type: 'string' },
  fingerprint: { type: 'string' },
  anchor: { type: 'string' },
} as const;
const FINGERPRINT = /^[0-9a-f]{64}$/;
const MAX_PRINTED = 256;
const FETCH_TIMEOUT_MS = 40_000;
const PROBLEMS: Readonly<Record<MediaProblem['what'], string>> = {
  media: 'its media',
  facts: 'its camera, time, or duration',
  signature: 'its signature',
  size: 'its size',
  place: 'its place in the chain',
  'no-link': 'its link is missing',
  'no-segments': 'no segment',
  'no-beginning': 'the end of a segment without its beginning',
  'no-end': 'a segment without an end',
  'link-alone': 'a link without its segment',
  'foreign-bytes': 'bytes outside of any segment',
  'cut-off': 'a box that is cut off',
};

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseOptions('verify', args, OPTIONS, 'some');
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) {
    throw optionError('verify', positionals.join(' '), 'one archive, folder, video, or URL');
  }
  const expected = values.fingerprint?.replaceAll(':', '').toLowerCase() ?? null;
  if (expected !== null && !FINGERPRINT.test(expected)) {
    throw optionError('--fingerprint', values.fingerprint ?? '', '64 hexadecimal digits');
  }
  if (!isUrl(path) && (await isVideo(path))) return verifyVideo(path, values.anchor);
  if (values.anchor !== undefined)
    throw optionError('--anchor', values.anchor, 'nothing, unless a video file is checked');
  const live = await verifyLiveAt(path);
  if (live !== null) {
    process.stdout.write(liveReportOf(live, expected));
    return isLiveWhole(live, expected) ? 0 : 1;
  }
  const finding = await verify(path);
  const isExpected = expected === null || finding.fingerprint === expected;
  process.stdout.write(reportOf(finding, isExpected));
  return finding.isWhole && isExpected ? 0 : 1;
}

/** Fails VERIFY_UNREADABLE. */
async function verify(path: string): Promise<ArchiveFinding> {
  const newHash = () => createHash('sha256');
  try {
    if ((await stat(path)).isDirectory()) return await verifyArchive(await folderFiles(path), { newHash });
    const archive = await open(path);
    try {
      return await verifyArchive(await zipFiles(await fileSource(archive)), { newHash });
    } finally {
      await archive.close();
    }
  } catch (thrown) {
    throw new GatewayError(APP_ERRORS.VERIFY_UNREADABLE, { path }, thrown);
  }
}

function isUrl(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** null: it is not live video. Fails VERIFY_UNREADABLE. */
async function verifyLiveAt(path: string): Promise<LiveFinding | null> {
  try {
    if (isUrl(path)) return await verifyLiveUrl(path, FETCH_TIMEOUT_MS);
    const isFolder = (await stat(path)).isDirectory();
    return isFolder && (await isLiveFolder(path)) ? await verifyLiveFolder(path) : null;
  } catch (thrown) {
    throw new GatewayError(APP_ERRORS.VERIFY_UNREADABLE, { path }, thrown);
  }
}

/** Fails VERIFY_UNREADABLE. */
async function isVideo(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isDirectory() && (await isVideoFile(path));
  } catch (thrown) {
    throw new GatewayError(APP_ERRORS.VERIFY_UNREADABLE, { path }, thrown);
  }
}

/** Fails VERIFY_UNREADABLE. */
async function verifyVideo(path: string, anchor: string | undefined): Promise<number> {
  try {
    const anchors = anchor === undefined ? [] : anchorsOf(await readFile(anchor, 'utf8'));
    const video = await verifySignedVideo(path, anchors, () => systemClock.epochMs());
    process.stdout.write(videoReportOf(video));
    return video !== null && isWhole(video, anchors.length > 0) ? 0 : 1;
  } catch (thrown) {
    throw new GatewayError(APP_ERRORS.VERIFY_UNREADABLE, { path: anchor ?? path }, thrown);
  }
}

function anchorsOf(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
}

function isWhole({ isSigned, times, trust }: SignedVideo, hasAnchors: boolean): boolean {
  return (
    isSigned && times.every(({ verdict }) => verdict === 'signed') && (!hasAnchors || trust === 'trusted')
  );
}

function videoReportOf(video: SignedVideo | null): string {
  if (video === null) return 'This file has no video in H.264 or H.265.\n';
  if (!video.isSigned) return 'No camera signed this video.\n';
  const { vendor, signer, trust, times } = video;
  const shown = (text: string | undefined) => printable(text ?? 'unknown', MAX_PRINTED);
  const lines = [
    `Camera:       ${shown(vendor?.manufacturer)}, serial number ${shown(vendor?.serialNumber)}, firmware ${shown(vendor?.firmware)}`,
    `Certificate:  ${signer?.fingerprint ?? 'none'} (${shown(signer?.subject.replaceAll('\n', ', '))})`,
    `Trust:        ${TRUST[trust]}`,
    '',
    ...times.map(timeLine),
  ];
  return `${lines.join('\n')}\n`;
}

const TRUST = {
  trusted: 'the certificate leads to one of the given anchors',
  untrusted: 'the certificate leads to none of the given anchors, or was not valid at the time',
  unknown: 'not checked: pass the anchor of the manufacturer with --anchor',
} as const;

function timeLine({
  verdict,
  reason,
  fromSec,
  toSec,
  units,
  changedUnits,
  missingUnits,
}: VerifiedTime): string {
  const counts = [`${units} units`];
  if (changedUnits > 0) counts.push(`${changedUnits} changed`);
  if (missingUnits > 0) counts.push(`${missingUnits} missing`);
  if (reason !== null) counts.push(reason);
  return `${verdict.padEnd(12)}  ${fromSec.toFixed(3)} s to ${toSec.toFixed(3)} s  (${counts.join(', ')})`;
}

async function fileSource(file: FileHandle): Promise<ByteSource> {
  const { size } = await file.stat();
  return {
    byteLength: size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    },
  };
}

async function folderFiles(folder: string): Promise<ArchiveFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  const known = new Set(names);
  return {
    names,
    async open(name) {
      if (!known.has(name)) return null;
      const path = join(folder, name);
      const { size } = await stat(path);
      const read = async (offset: number, length: number): Promise<Uint8Array> => {
        const file = await open(path);
        return fileSource(file)
          .then((source) => source.read(offset, length))
          .finally(() => file.close());
      };
      return { byteLength: size, read };
    },
  };
}

function reportOf(
  { title, sealedAt, manifest, fingerprint, signer, generation, timeStamp, files, isWhole }: ArchiveFinding,
  isExpected: boolean,
): string {
  const lines = [
    `Case:         ${printable(title ?? 'unknown', MAX_PRINTED)}`,
    `Sealed:       ${printable(sealedAt ?? 'unknown', MAX_PRINTED)}`,
    `Manifest:     ${manifest}`,
    `Certificate:  ${fingerprint ?? 'unreadable'}${isExpected ? '' : ' (another one than expected)'}`,
    `Name:         ${printable(signer?.subject ?? 'unknown', MAX_PRINTED)}`,
    `Generation:   ${generation ?? 'unknown'}`,
    ...(timeStamp === null ? [] : [`Time stamp:   ${timeStampText(timeStamp)}`]),
    '',
    ...files.flatMap(linesOf),
    '',
    isWhole && isExpected
      ? 'Everything is as it was sealed. Compare the fingerprint of the certificate with the operator’s.'
      : 'This is not what was sealed.',
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether to trust the authority is for the reader to decide. */
function timeStampText({ state, atMs, authority, fingerprint }: TimeStampFinding): string {
  if (atMs === null) return state;
  const name = printable(authority ?? 'unknown', MAX_PRINTED);
  return `${state}, ${new Date(atMs).toISOString()}, by ${name} (certificate ${fingerprint ?? 'unreadable'})`;
}

function linesOf({ name, finding, media, cameraSignature }: FileFinding): string[] {
  const line = `${finding.padEnd(10)}  ${printable(name, MAX_PRINTED)}`;
  const signature = cameraSignature === null ? [] : signatureLinesOf(cameraSignature);
  if (media === null) return [line, ...signature];
  const { segments, changed, unsigned, unlinked, repaired, gaps, problems } = media;
  const counts = Object.entries({ segments, changed, unsigned, unlinked, repaired, gaps })
    .filter(([what, count]) => what === 'segments' || count > 0)
    .map(([what, count]) => `${count} ${what}`);
  return [
    `${line}  (${counts.join(', ')})`,
    ...signature,
    ...problems.map(({ what, epochMs }) => {
      const segment = epochMs === null ? '' : `the segment of ${new Date(epochMs).toISOString()}: `;
      return `            changed: ${segment}${PROBLEMS[what]}`;
    }),
  ];
}

/** What the gateway found when it sealed the case. */
function signatureLinesOf({ groups, certificate, manufacturer, serialNumber }: CameraSignature): string[] {
  const counts = Object.entries(groups)
    .filter(([verdict, count]) => verdict === 'signed' || count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  const shown = (text: string | null | undefined) => printable(text ?? 'unknown', MAX_PRINTED);
  const name = certificate === null ? 'unknown' : commonName(certificate.subject);
  return [
    `            by the camera: ${counts.join(', ')} (groups of pictures)`,
    `            camera: ${shown(manufacturer)}, serial number ${shown(serialNumber)}, certificate ${shown(certificate?.sha256)} (${shown(name)})`,
  ];
}

export const verifyCommand: Command = { help: HELP, run };
