/** What a location must be like, beyond its schema. */

import type { Ruuid } from '../../core/ruuid.ts';
import { isTimeZone } from '../../core/time-zone.ts';
import type { Location } from '../../store/entities.ts';
import { invalidField } from '../base/request-body.ts';

/** Locations within locations. */
const MAX_DEPTH = 16;

/** The name without the blanks around it. Fails INVALID_FIELD. */
export function checkedLocationName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalidField('location.name must not be blank.');
  return trimmed;
}

/** Fails INVALID_FIELD. */
export function checkTimeZone(tz: string | undefined): void {
  if (tz !== undefined && !isTimeZone(tz)) {
    throw invalidField('location.tz must be an IANA time zone such as America/New_York.');
  }
}

/** Fails INVALID_FIELD when the location is not one of `known` or stands as deep as locations may. */
export function checkParent(known: readonly Location[], parentUuid: Ruuid): void {
  const byUuid = new Map(known.map((location) => [location.uuid, location]));
  let parent = byUuid.get(parentUuid);
  if (parent === undefined) throw invalidField('parentLocationUuid: there is no location with this UUID.');
  for (let depth = 1; parent !== undefined; depth++) {
    if (depth >= MAX_DEPTH) {
      throw invalidField(`parentLocationUuid: locations stand at most ${MAX_DEPTH} deep.`);
    }
    parent = parent.parentUuid === null ? undefined : byUuid.get(parent.parentUuid);
  }
}
