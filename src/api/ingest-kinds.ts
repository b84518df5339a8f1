/**
 * Every kind that can be reported, in the order in which documents show them and imports store them: what others refer to
 * comes first. A kind added here gets its endpoint, its documentation and its place in imports.
 */

import type { IngestKind } from '../ingest/ingest-kind.ts';
import {
  accessRevocations,
  componentEvents,
  credentials,
  doors,
  elevatorLandings,
  licenses,
  occupancyCounts,
  posEvents,
  proximityTags,
  thresholdCrossings,
} from '../platform/endpoints/ingest-kinds.ts';
import { deviceHealth, deviceReports, policyAlerts, savedClips } from './ingest/event-kinds.ts';

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
