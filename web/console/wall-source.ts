/** What a watched wall shows: a wall, several walls in turn, or chosen cameras. It is in the address, so it survives a reload. */

import { place } from './places.ts';

export type WallSource =
  | { readonly kind: 'walls'; readonly uuids: readonly string[] }
  | { readonly kind: 'cameras'; readonly uuids: readonly string[] };

/** More cameras or walls are not looked at, and would not fit an address. */
export const MAX_WATCHED = 64;

const UUID = /^[\w-]{22}$/;

export function watchPlace({ kind, uuids }: WallSource): string {
  const [uuid] = uuids;
  if (kind === 'walls' && uuids.length === 1) return place(`walls/${uuid}/watch`);
  return place(`watch?${kind}=${uuids.slice(0, MAX_WATCHED).join(',')}`);
}

/** `wallUuid`: of the path; `query`: of the address. */
export function wallSourceOf(
  wallUuid: string | undefined,
  query: Readonly<Record<string, string>>,
): WallSource {
  if (wallUuid !== undefined) return { kind: 'walls', uuids: [wallUuid] };
  const kind = query.walls === undefined ? 'cameras' : 'walls';
  const uuids = (query[kind] ?? '').split(',').filter((uuid) => UUID.test(uuid));
  return { kind, uuids: [...new Set(uuids)].slice(0, MAX_WATCHED) };
}
