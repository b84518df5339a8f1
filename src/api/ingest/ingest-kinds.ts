/**
 * Every kind that can be reported, in the order in which documents show them and imports store them: what others refer
 * to comes first. A kind that is added here has its endpoint, its documents and its place in imports.
 */

import type { IngestKind } from '../../ingest/ingest-kind.ts';
import { accessRevocations } from './access-revocations.ts';
import { componentEvents } from './component-events.ts';
import { credentials } from './credentials.ts';
import { deviceHealth } from './device-health.ts';
import { deviceReports } from './device-reports.ts';
import { doors } from './doors.ts';
import { elevatorLandings } from './elevator-landings.ts';
import { licenses } from './licenses.ts';
import { occupancyCounts } from './occupancy-counts.ts';
import { policyAlerts } from './policy-alerts.ts';
import { posEvents } from './pos-events.ts';
import { proximityTags } from './proximity-tags.ts';
import { savedClips } from './saved-clips.ts';
import { thresholdCrossings } from './threshold-crossings.ts';

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
