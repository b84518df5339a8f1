/** Access controlled elevator landings, as reported by the devices that operate them. */

import { Type } from 'typebox';
import { landingReportRules } from '../../access-control/report-rules.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_LANDING_UUID,
  LANDING_FIELDS,
  LANDING_SHADOW_FIELDS,
} from '../component/elevator/landing-type.ts';
import { EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';

export const elevatorLandings = defineIngestKind({
  name: 'elevatorLandings',
  summary: 'Reports access controlled elevator landings.',
  description:
    'Read by the endpoints under `/api/component/elevator/`. A landing whose `uuid` is already known counts as a ' +
    'duplicate: the row’s fields replace its own, and its other fields and its labels stay.',
  row: Type.Object({
    uuid: ruuid('The landing.'),
    ownerDeviceUuid: ruuid('The device that operates it.'),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    ...optionalFields(LANDING_FIELDS),
    shadow: Type.Optional(Type.Object(optionalFields(LANDING_SHADOW_FIELDS))),
  }),
  example: {
    uuid: EXAMPLE_LANDING_UUID,
    ownerDeviceUuid: deriveRuuid('example', 'elevator controller'),
    locationUuid: EXAMPLE_LOCATION_UUID,
    name: 'Elevator A, floor 3',
    floorNumber: 3,
    shadow: { state: { source: 'DEFAULT_STATE', state: 'ACCESS_CONTROLLED' } },
  },
  rules: landingReportRules,
});
