/** Location access revocations: who cannot enter which location. */

import { Type } from 'typebox';
import { CredentialService } from '../../access-control/credential-service.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { REVOCATION_FIELDS } from '../accesscontrol/access-revocation-type.ts';
import { optionalFields } from '../fields/field-groups.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../fields/field-types.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { locationUuidsOf, unknownReference } from './row-fields.ts';

export const accessRevocations = defineIngestKind({
  name: 'accessRevocations',
  summary: 'Reports location access revocations.',
  description:
    'Read by `/api/accesscontrol/findLocationAccessRevocationsByOrg`. A revocation whose `uuid` is already known ' +
    'counts as a duplicate: the row’s fields replace its own, and its other fields stay.',
  row: Type.Object({
    uuid: ruuid('The revocation.'),
    name: text('Its name.', MAX_NAME_LENGTH),
    locationUuid: Type.Optional(ruuid('The location.')),
    ...optionalFields(REVOCATION_FIELDS),
  }),
  example: {
    uuid: deriveRuuid('example', 'access revocation'),
    name: 'Contractors at night',
    locationUuid: EXAMPLE_LOCATION_UUID,
    groupUuids: [deriveRuuid('example', 'group')],
  },
  async problemsOf(context, rows) {
    const locations = await locationUuidsOf(context);
    const schedules = new Set((await context.store.schedules.list(context.orgUuid)).map(({ uuid }) => uuid));
    return rows.map(({ locationUuid, scheduleUuid }) => {
      if (locationUuid !== undefined && !locations.has(locationUuid)) {
        return unknownReference('locationUuid', 'a location');
      }
      if (scheduleUuid === undefined || schedules.has(scheduleUuid)) return null;
      return unknownReference('scheduleUuid', 'a schedule');
    });
  },
  store({ orgUuid, store, nowMs }, rows) {
    const clock = { epochMs: () => nowMs };
    return new CredentialService({ store, clock }).reportRevocations(orgUuid, rows);
  },
});
