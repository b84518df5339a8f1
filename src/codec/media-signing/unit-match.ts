/**
 * Finds the units that a statement of the camera is about among those that arrived. Where units are missing, a key frame can be among
 * them: those after it are then compared with the list as a group that begins with its first hash.
 */

import type { SignedUnit } from './signed-units.ts';
import type { SignedGroup } from './signing-sei.ts';

/** `begin` to `end`: indices of the units. */
export interface GroupMatch {
  readonly begin: number;
  readonly end: number;
  /** Of the group's first unit, as the camera sent it; null: not known. */
  readonly firstHash: Buffer | null;
  /** Units that are not as signed, or that nobody signed. */
  readonly changed: number;
  readonly missing: number;
  /** Units are missing, and without the list no one knows whether those that arrived are as signed. */
  readonly isUnknown: boolean;
}

export interface MatchOptions {
  /** The statement is about the first of the units, or statements were lost. Otherwise it can be about units before all of these. */
  readonly isInPlace: boolean;
  /** Units are missing after the last one. */
  readonly endsWithGap: boolean;
  readonly hashOf: (bytes: Uint8Array) => Buffer;
  /** As UnitHasher.after. */
  readonly hashAfter: (first: Buffer, own: Buffer) => Buffer;
}

/** `hashes`: of all units, in order; null: not sent. null: it is about units that did not arrive. */
export function matchGroup(
  units: readonly SignedUnit[],
  group: SignedGroup,
  hashes: Buffer | null,
  options: MatchOptions,
): GroupMatch | null {
  const { isInPlace, endsWithGap, hashOf } = options;
  for (const begin of possibleBegins(units, isInPlace)) {
    const end = endOfGroup(units, begin, group);
    const inRange = units.slice(begin, end);
    if (hashOf(Buffer.concat(inRange.map(({ hash }) => hash))).equals(group.hash)) {
      return { begin, end, firstHash: inRange[0]?.hash ?? null, changed: 0, missing: 0, isUnknown: false };
    }
  }
  // The list is signed, too, and says which units differ. At the end of a stream, signers fill in nothing else.
  const hasList = hashes !== null && hashes.length > 0 && hashes.length % group.hash.length === 0;
  if (hasList) {
    const match = matchList(units, group, hashes, options);
    if (match !== null) return match;
  }
  if (!isInPlace) return null;
  const end = endOfGroup(units, 0, group);
  const hasGap = endsWithGap || units.slice(0, end + 1).some(isBehindGap);
  const firstHash = hashes?.subarray(0, group.hash.length) ?? null;
  if (!hasGap) {
    const missing = Math.max(0, group.units - end);
    return { begin: 0, end, firstHash, changed: end, missing, isUnknown: false };
  }
  // With the list, no unit of the group arrived. Without it, the first gap tells how far its units reach at most.
  if (hasList) return { begin: 0, end: 0, firstHash, changed: 0, missing: group.units, isUnknown: false };
  return {
    begin: 0,
    end,
    firstHash: null,
    changed: 0,
    missing: Math.max(1, group.units - end),
    isUnknown: true,
  };
}

/** Units of a group whose key frame is missing; more count as missing, too. */
const MAX_DOUBTFUL = 1_024;
/** Groups that wait for a statement are few: a camera states something about each. */
const MAX_BEGINS = 128;

function* possibleBegins(units: readonly SignedUnit[], isInPlace: boolean): Generator<number> {
  if (isInPlace) yield 0;
  let left = MAX_BEGINS;
  for (const [index, { isFirst }] of units.entries()) {
    if (!isFirst || (index === 0 && isInPlace)) continue;
    if (left-- === 0) return;
    yield index;
  }
}

/** Before the next key frame; a part has as many units as stated at most. */
function endOfGroup(units: readonly SignedUnit[], begin: number, group: SignedGroup): number {
  let end = Math.min(begin + 1, units.length);
  while (end < units.length && !units[end]!.isFirst) end++;
  return group.isPart ? Math.min(end, begin + group.units) : end;
}

/** Units that are in the list in its order are as signed. null: not one is. */
function matchList(
  units: readonly SignedUnit[],
  group: SignedGroup,
  hashes: Buffer,
  { isInPlace, hashAfter }: MatchOptions,
): GroupMatch | null {
  const size = group.hash.length;
  const listed = Array.from({ length: hashes.length / size }, (_, index) =>
    hashes.subarray(index * size, (index + 1) * size),
  );
  const list = new Map(listed.map((hash, index) => [hash.toString('latin1'), index]));
  const placeOf = (hash: Buffer) => list.get(hash.toString('latin1')) ?? -1;
  const hasFirst = units.some(({ hash }) => hash.equals(listed[0]!));
  let left = MAX_DOUBTFUL;
  const places = units.map(({ hash, own, isDoubtful }) =>
    hasFirst || own === null || !isDoubtful || left-- <= 0
      ? placeOf(hash)
      : placeOf(hashAfter(listed[0]!, own)),
  );
  const first = places.findIndex((place) => place >= 0);
  if (first < 0) return null;
  const last = places.findLastIndex((place) => place >= 0);
  const begin = beginOf(units, first, isInPlace);
  const end = group.isPart ? last + 1 : Math.max(last + 1, endAfter(units, begin, last, group));
  let matched = 0;
  let reached = -1;
  for (const place of places.slice(begin, end)) {
    if (place <= reached) continue;
    reached = place;
    matched++;
  }
  const changed = end - begin - matched;
  const missing = Math.max(0, listed.length - matched - changed);
  return { begin, end, firstHash: listed[0]!, changed, missing, isUnknown: false };
}

/** Behind a gap, units that are not in the list belong to the next group, whose key frame is missing. */
function endAfter(units: readonly SignedUnit[], begin: number, last: number, group: SignedGroup): number {
  const end = endOfGroup(units, begin, group);
  const gap = units.findIndex(({ isAfterGap }, index) => index > last && isAfterGap);
  return gap < 0 ? end : Math.min(end, gap);
}

export function isBehindGap({ isAfterGap, isDoubtful }: SignedUnit): boolean {
  return isAfterGap || isDoubtful;
}

/** The key frame at or before `first`, the first unit that is as signed; after a gap, the unit behind it. */
function beginOf(units: readonly SignedUnit[], first: number, isInPlace: boolean): number {
  const key = units.findLastIndex(({ isFirst }, at) => at <= first && isFirst);
  const gap = units.findLastIndex(({ isAfterGap }, at) => at <= first && isAfterGap);
  const begin = isInPlace && key <= 0 ? 0 : Math.max(key, 0);
  return Math.max(begin, gap);
}
