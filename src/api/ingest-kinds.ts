/**
 * Every kind that can be reported, in the order in which documents show them and imports store them: what others refer to
 * comes first. A kind added here gets its endpoint, its documentation and its place in imports.
 */

import type { IngestKind } from '../ingest/ingest-kind.ts';
import { accessRevocations } from './ingest/access-revocations.ts';
import { componentEvents } from './ingest/component-events.ts';
import { credentials } from './ingest/credentials.ts';
import { doors } from './ingest/doors.ts';
import { elevatorLandings } from './ingest/elevator-landings.ts';
import { deviceHealth, deviceReports, policyAlerts, savedClips } from './ingest/event-kinds.ts';
import { licenses } from './ingest/licenses.ts';
import { occupancyCounts } from './ingest/occupancy-counts.ts';
import { posEvents } from './ingest/pos-events.ts';
import { proximityTags } from './ingest/proximity-tags.ts';
import { thresholdCrossings } from './ingest/threshold-crossings.ts';

export const INGEST_KINDS: readonly IngestKind[] = [
  doors,
  elevatorLandings,
  credentials,
  accessRevocations,
  proximityTags,
  thresholdCrossings,
  occupancyCounts,
  policyAlerts,
  componentEvents,
  savedClips,
  posEvents,
  deviceHealth,
  deviceReports,
  licenses,
];
