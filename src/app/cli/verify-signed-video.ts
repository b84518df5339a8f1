/** Checks a video file whose camera signed it (ONVIF Media Signing), such as a clip or a recorded file. */

import type { X509Certificate } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { naluEnd } from '../../codec/kept-nalus.ts';
import type { MediaSigner, SignerTrust } from '../../codec/media-signing/media-signer.ts';
import {
  type GroupVerdict,
  MediaVerifier,
  type VerdictReason,
  type VerifiedGroup,
} from '../../codec/media-signing/media-verifier.ts';
import type { SigningVendor } from '../../codec/media-signing/signing-sei.ts';
import type { VideoTrack } from '../../codec/track.ts';
import { type ByteSource, type ClipTrack, looksLikeIsoMedia, readClip } from '../../isobmff/clip-reader.ts';

/** Times in a row with the same verdict, in seconds from the beginning of the file. */
export interface VerifiedTime {
  readonly verdict: GroupVerdict;
  readonly reason: VerdictReason | null;
  readonly fromSec: number;
  toSec: number;
  units: number;
  changedUnits: number;
  missingUnits: number;
}

export interface SignedVideo {
  readonly isSigned: boolean;
  readonly vendor: SigningVendor | null;
  /** null: no usable certificate. */
  readonly signer: MediaSigner | null;
  /** The worst one of all groups. */
  readonly trust: SignerTrust;
  readonly times: readonly VerifiedTime[];
}

const LENGTH_BYTES = 4;
const MS = 1_000;

/** A file that can be read while `work` runs. Fails like the file system. */
export async function withFile<T>(path: string, work: (source: ByteSource) => Promise<T> | T): Promise<T> {
  const file = openSync(path, 'r');
  try {
    const byteLength = fstatSync(file).size;
    const read = (offset: number, length: number): Uint8Array => {
      const bytes = Buffer.alloc(length);
      let filled = 0;
      while (filled < length) {
        const count = readSync(file, bytes, filled, length - filled, offset + filled);
        if (count === 0) break;
        filled += count;
      }
      return bytes;
    };
    return await work({ byteLength, read });
  } finally {
    closeSync(file);
  }
}

export function isVideoFile(path: string): Promise<boolean> {
  return withFile(path, looksLikeIsoMedia);
}

/** null: it has no video in H.264 or H.265. Fails ISOBMFF_…, and like the file system. */
export function verifySignedVideo(
  path: string,
  anchors: readonly X509Certificate[],
  nowMs: () => number,
): Promise<SignedVideo | null> {
  return withFile(path, (source) => {
    const found = readClip(source).tracks.find(({ track }) => track.kind === 'video');
    if (found === undefined) return null;
    const track = found.track as VideoTrack;
    const verifier = new MediaVerifier({ codec: track.codec, anchors, isRecording: true, nowMs });
    const groups: VerifiedGroup[] = [];
    for (const { nalu, atMs } of nalusOf(source, found)) groups.push(...verifier.push(nalu, atMs));
    groups.push(...verifier.end());
    return summaryOf(groups, verifier);
  });
}

function* nalusOf(
  source: ByteSource,
  { track, samples }: ClipTrack,
): Generator<{ nalu: Uint8Array; atMs: number }> {
  const { timescaleHz } = track as VideoTrack;
  const firstTicks = samples.dtsTicks[0]!;
  for (let index = 0; index < samples.count; index++) {
    const sample = source.read(samples.offsets[index]!, samples.sizesBytes[index]!);
    const atMs = ((samples.dtsTicks[index]! - firstTicks) / timescaleHz) * MS;
    for (let at = 0; at < sample.length; ) {
      const end = naluEnd(sample, at);
      if (end < 0) break;
      yield { nalu: sample.subarray(at + LENGTH_BYTES, end), atMs };
      at = end;
    }
  }
}

function summaryOf(groups: readonly VerifiedGroup[], { isSigned, vendor }: MediaVerifier): SignedVideo {
  const times: VerifiedTime[] = [];
  for (const { verdict, reason, fromMs, toMs, units, changedUnits, missingUnits } of groups) {
    const toSec = (toMs ?? fromMs ?? 0) / MS;
    const last = times.at(-1);
    if (last?.verdict === verdict && last.reason === reason) {
      last.toSec = toSec;
      last.units += units;
      last.changedUnits += changedUnits;
      last.missingUnits += missingUnits;
    } else {
      times.push({ verdict, reason, fromSec: (fromMs ?? 0) / MS, toSec, units, changedUnits, missingUnits });
    }
  }
  const signed = groups.filter(({ signer }) => signer !== null);
  const trusts = new Set(signed.map(({ trust }) => trust));
  const trust = trusts.has('untrusted') ? 'untrusted' : trusts.has('unknown') ? 'unknown' : 'trusted';
  return {
    isSigned,
    vendor,
    signer: signed.at(-1)?.signer ?? null,
    trust: signed.length === 0 ? 'unknown' : trust,
    times,
  };
}
