/** Finds the units that a statement of the camera is about among those that arrived. */

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
}

export interface MatchOptions {
  /** The statement is about the first of the units, or statements were lost. Otherwise it can be about units before all of these. */
  readonly isInPlace: boolean;
  readonly hashOf: (bytes: Uint8Array) => Buffer;
}

/** `hashes`: of all units, in order; null: not sent. null: it is about units that did not arrive. */
export function matchGroup(
  units: readonly SignedUnit[],
  group: SignedGroup,
  hashes: Buffer | null,
  { isInPlace, hashOf }: MatchOptions,
): GroupMatch | null {
  for (const begin of possibleBegins(units, isInPlace)) {
    const end = endOfGroup(units, begin, group);
    const inRange = units.slice(begin, end);
    if (hashOf(Buffer.concat(inRange.map(({ hash }) => hash))).equals(group.hash)) {
      return { begin, end, firstHash: inRange[0]?.hash ?? null, changed: 0, missing: 0 };
    }
  }
  // The list is signed, too, and says which units differ. At the end of a stream, signers fill in nothing else.
  if (hashes !== null && hashes.length % group.hash.length === 0) {
    const match = matchList(units, group, hashes, isInPlace);
    if (match !== null) return match;
  }
  if (!isInPlace) return null;
  const end = endOfGroup(units, 0, group);
  const missing = Math.max(0, group.units - end);
  const firstHash = hashes?.subarray(0, group.hash.length) ?? null;
  return { begin: 0, end, firstHash, changed: end, missing };
}

function* possibleBegins(units: readonly SignedUnit[], isInPlace: boolean): Generator<number> {
  if (isInPlace) yield 0;
  for (const [index, { isFirst }] of units.entries()) if (isFirst && (index > 0 || !isInPlace)) yield index;
}

/** Before the next key frame; a part has as many units as stated at most. */
function endOfGroup(units: readonly SignedUnit[], begin: number, group: SignedGroup): number {
  const next = units.findIndex(({ isFirst }, index) => index > begin && isFirst);
  const end = next < 0 ? units.length : next;
  return group.isPart ? Math.min(end, begin + group.units) : end;
}

/** Units that are in the list in its order are as signed. null: not one is. */
function matchList(
  units: readonly SignedUnit[],
  group: SignedGroup,
  hashes: Buffer,
  isInPlace: boolean,
): GroupMatch | null {
  const size = group.hash.length;
  const listed = Array.from({ length: hashes.length / size }, (_, index) =>
    hashes.subarray(index * size, (index + 1) * size),
  );
  const places = new Map(listed.map((hash, index) => [hash.toString('latin1'), index]));
  const placeOf = ({ hash }: SignedUnit) => places.get(hash.toString('latin1')) ?? -1;
  const first = units.findIndex((unit) => placeOf(unit) >= 0);
  if (first < 0) return null;
  const last = units.findLastIndex((unit) => placeOf(unit) >= 0);
  const begin =
    isInPlace && !units.slice(1, first + 1).some(({ isFirst }) => isFirst) ? 0 : beginOf(units, first);
  const end = Math.max(last + 1, endOfGroup(units, begin, group));
  let matched = 0;
  let place = -1;
  for (const unit of units.slice(begin, end)) {
    const found = placeOf(unit);
    if (found <= place) continue;
    place = found;
    matched++;
  }
  const changed = end - begin - matched;
  const missing = Math.max(0, listed.length - matched - changed);
  return { begin, end, firstHash: listed[0]!, changed, missing };
}

/** The key frame at or before `index`. */
function beginOf(units: readonly SignedUnit[], index: number): number {
  const begin = units.findLastIndex(({ isFirst }, at) => at <= index && isFirst);
  return Math.max(begin, 0);
}
