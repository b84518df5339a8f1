/** Every migration, oldest first. */

import { initialSchema } from './0001-initial-schema.ts';
import { resourcesAndEvents } from './0002-resources-and-events.ts';
import { oauth } from './0003-oauth.ts';
import { declaredDevices } from './0004-declared-devices.ts';
import { relativeSchedules } from './0005-relative-schedules.ts';
import { crossings } from './0006-crossings.ts';
import { crossingObjects } from './0007-crossing-objects.ts';
import { unfinishedEvents } from './0008-unfinished-events.ts';
import { resourcesByOrganisation } from './0009-resources-by-organisation.ts';
import { cameraTls } from './0010-camera-tls.ts';
import { mergedViewings } from './0011-merged-viewings.ts';
import { auditActionNames } from './0012-audit-action-names.ts';
import { recordings } from './0013-recordings.ts';
import { recordingPurposes } from './0014-recording-purposes.ts';
import { uploads } from './0015-uploads.ts';
import { videoWalls } from './0016-video-walls.ts';
import { cameraClock } from './0017-camera-clock.ts';
import { cameraAudio } from './0018-camera-audio.ts';
import { cameraOnvif } from './0019-camera-onvif.ts';
import { people } from './0020-people.ts';
import { acknowledgedAlertsAndRuns } from './0021-acknowledged-alerts-and-runs.ts';
import { endedViews } from './0022-ended-views.ts';
import { passkeys } from './0023-passkeys.ts';
import { providerSignIns } from './0024-provider-sign-ins.ts';
import { shareCdn } from './0025-share-cdn.ts';
import { changeLog } from './0026-change-log.ts';
import { clusterLeases } from './0027-cluster-leases.ts';
import { leases } from './0028-leases.ts';
import { recordingBlocks } from './0029-recording-blocks.ts';
import { loggedEvents } from './0030-logged-events.ts';
import { nodesOfUploads } from './0031-nodes-of-uploads.ts';
import { relianceTimes } from './0032-reliance-times.ts';
import { storedUse } from './0033-stored-use.ts';
import { cameraOwners } from './0034-camera-owners.ts';
import { expiredShares } from './0035-expired-shares.ts';
import { sealedFields } from './0036-sealed-fields.ts';
import { cameraNetworks } from './0037-camera-networks.ts';
import { unfinishedEventsInTurn } from './0038-unfinished-events-in-turn.ts';
import { unfinishedEventsByReporter } from './0039-unfinished-events-by-reporter.ts';
import { limitedRights } from './0040-limited-rights.ts';
import { wallLayouts } from './0041-wall-layouts.ts';
import { sharePast } from './0042-share-past.ts';
import { takenAlerts } from './0043-taken-alerts.ts';
import { keyEnds } from './0044-key-ends.ts';
import { signingCertificates } from './0045-signing-certificates.ts';
import { recordingHolds } from './0046-recording-holds.ts';
import { creatorsOfKeys } from './0047-creators-of-keys.ts';
import { wallPast } from './0048-wall-past.ts';
import { privacyMasks } from './0049-privacy-masks.ts';
import { viewedCameras } from './0050-viewed-cameras.ts';
import { masksForViewers } from './0051-masks-for-viewers.ts';
import { signInDomains } from './0052-sign-in-domains.ts';
import { shownFootage } from './0053-shown-footage.ts';
import { talkByLink } from './0054-talk-by-link.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  initialSchema,
  resourcesAndEvents,
  oauth,
  declaredDevices,
  relativeSchedules,
  crossings,
  crossingObjects,
  unfinishedEvents,
  resourcesByOrganisation,
  cameraTls,
  mergedViewings,
  auditActionNames,
  recordings,
  recordingPurposes,
  uploads,
  videoWalls,
  cameraClock,
  cameraAudio,
  cameraOnvif,
  people,
  acknowledgedAlertsAndRuns,
  endedViews,
  passkeys,
  providerSignIns,
  shareCdn,
  changeLog,
  clusterLeases,
  leases,
  recordingBlocks,
  loggedEvents,
  nodesOfUploads,
  relianceTimes,
  storedUse,
  cameraOwners,
  expiredShares,
  sealedFields,
  cameraNetworks,
  unfinishedEventsInTurn,
  unfinishedEventsByReporter,
  limitedRights,
  wallLayouts,
  sharePast,
  takenAlerts,
  keyEnds,
  signingCertificates,
  recordingHolds,
  creatorsOfKeys,
  wallPast,
  privacyMasks,
  viewedCameras,
  masksForViewers,
  signInDomains,
  shownFootage,
  talkByLink,
];
