/** `sluice verify` of live video that the gateway signed: at the URL of a playlist, or in a folder of saved files. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Parser } from 'm3u8-parser';
import { type LiveFile, type LiveFileFinding, type LiveFinding, verifyLive } from '../../c2pa/verify-live.ts';
import { printable } from '../../core/printable.ts';
import { namesOf } from '../../evidence/certificate-names.ts';

const LIVE_FILE = /\.(?:mp4|m4s|m4v)$/;
const SEGMENT_NAME = /(?:^|\/)seg_(\d+)\.(?:m4s|m4v|mp4)$/;
const MAX_FILE_BYTES = 64 * 1_048_576;
const MAX_PRINTED = 256;
const PROBLEMS: Readonly<Record<Extract<LiveFileFinding, { state: 'broken' }>['problem'], string>> = {
  form: 'its form',
  content: 'its content',
  signature: 'its signature',
  session: 'it is of another session',
  'session-key': 'the key of its session',
  time: 'its time, for which the key is not valid',
  number: 'it is in the place of another segment',
};

/** Whether a folder has live video, and not the archive of a case. Fails like the file system. */
export async function isLiveFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return !names.includes('manifest.json') && names.some((name) => LIVE_FILE.test(name));
}

/** Fails like the file system. */
export async function verifyLiveFolder(folder: string): Promise<LiveFinding> {
  const names = (await readdir(folder)).filter((name) => LIVE_FILE.test(name));
  const byNumber = (one: string, other: string) => (numberOf(one) ?? -1) - (numberOf(other) ?? -1);
  return verifyLive(filesOf(names.sort(byNumber), (name) => readFile(join(folder, name))));
}

/** What a playlist lists now. Fails like `fetch`, and with an Error that names the response. */
export async function verifyLiveUrl(url: string, timeoutMs: number): Promise<LiveFinding> {
  const fetched = (address: string) => fetchedBytes(address, timeoutMs);
  const [address, playlist] = await mediaPlaylist(url, fetched);
  const names: string[] = [];
  for (const { uri, map } of playlist.segments) {
    if (uri === undefined || map === undefined) continue;
    if (!names.includes(map.uri)) names.push(map.uri);
    names.push(uri);
  }
  return verifyLive(filesOf(names, (name) => fetched(new URL(name, address).href)));
}

/** Whether all of it is signed, by this certificate if one is expected. */
export function isLiveWhole(
  { signers, files, segments, missing }: LiveFinding,
  expected: string | null,
): boolean {
  const isExpected = signers.every(({ fingerprint }) => expected === null || fingerprint === expected);
  return segments > 0 && missing === 0 && isExpected && files.every(({ state }) => state === 'signed');
}

export function liveReportOf(finding: LiveFinding, expected: string | null): string {
  const { signers, files, segments, missing } = finding;
  if (signers.length === 0 && files.every(({ state }) => state === 'unsigned'))
    return 'This video is not signed.\n';
  const signed = files.filter(({ state }) => state === 'signed').length;
  const lines = [
    ...signers.flatMap(({ streamId, certificate, fingerprint, manifestId, session }) => [
      `Certificate:  ${fingerprint}${expected === null || fingerprint === expected ? '' : ' (another one than expected)'}`,
      `Name:         ${printable(namesOf(certificate)?.subject ?? 'unknown', MAX_PRINTED)}`,
      `Stream:       ${printable(streamId, MAX_PRINTED)}`,
      `Session:      ${printable(manifestId, MAX_PRINTED)}, since ${timeText(session.createdAtSec)}`,
    ]),
    '',
    ...files.map(lineOf),
    '',
    `${signed} of ${segments} segments are signed${missing > 0 ? `, ${missing} between them are missing` : ''}.`,
    isLiveWhole(finding, expected)
      ? 'Everything is as the gateway published it. Compare the fingerprint of the certificate with the operator’s.'
      : 'This is not what the gateway published.',
  ];
  return `${lines.join('\n')}\n`;
}

function lineOf(file: LiveFileFinding): string {
  const name = printable(file.name, MAX_PRINTED);
  if (file.state === 'unsigned') return `not signed  ${name}`;
  if (file.state === 'broken') return `changed     ${name}  (${PROBLEMS[file.problem]})`;
  return `signed      ${name}  ${timeText(file.signedAtSec)}`;
}

function timeText(epochSec: number): string {
  return new Date(epochSec * 1_000).toISOString();
}

async function* filesOf(
  names: readonly string[],
  read: (name: string) => Promise<Uint8Array>,
): AsyncIterable<LiveFile> {
  for (const name of names) yield { name, bytes: await read(name), number: numberOf(name) };
}

function numberOf(name: string): number | null {
  const digits = SEGMENT_NAME.exec(name.split('?')[0]!)?.[1];
  return digits === undefined ? null : Number(digits);
}

interface Playlist {
  readonly playlists?: readonly { readonly uri: string }[];
  readonly segments: readonly { readonly uri?: string; readonly map?: { readonly uri: string } }[];
}

/** The first variant of a Multivariant Playlist, and its URL. */
async function mediaPlaylist(
  url: string,
  fetched: (url: string) => Promise<Uint8Array>,
): Promise<[url: string, playlist: Playlist]> {
  const parser = new Parser();
  parser.push(new TextDecoder().decode(await fetched(url)));
  parser.end();
  const playlist = parser.manifest as Playlist;
  const variant = playlist.playlists?.[0];
  return variant === undefined ? [url, playlist] : mediaPlaylist(new URL(variant.uri, url).href, fetched);
}

async function fetchedBytes(url: string, timeoutMs: number): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`the server responded ${response.status}`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_FILE_BYTES) throw new Error(`a file has more than ${MAX_FILE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
