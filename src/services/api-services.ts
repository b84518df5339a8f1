/**
 * Services of endpoint handlers. Business rules live behind these interfaces; handlers validate shapes and map values.
 * Every call names the organization, and things of another organization are not found. Handlers have neither the store nor
 * the clock.
 */

import { type AccountServices, createAccountServices } from '../accounts/account-services.ts';
import {
  type ConsoleServiceParts,
  type ConsoleServices,
  createConsoleServices,
} from '../accounts/console-services.ts';
import { SubjectSignOut } from '../accounts/subject-sign-out.ts';
import { AuditFeed, type AuditReading } from '../audit/audit-feed.ts';
import type { EvidenceServices } from '../cases/evidence-services.ts';
import { ClipGroups } from '../clips/clip-groups.ts';
import type { Clips } from '../clips/clips.ts';
import { TimelapseGroups } from '../clips/timelapse-groups.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Counters } from '../counters/counters.ts';
import { CameraNetworks } from '../devices/camera-networks.ts';
import { CameraStreamStates } from '../devices/camera-stream-states.ts';
import type { DeviceServices } from '../devices/device-services.ts';
import { type CameraStates, DeviceStates } from '../devices/device-states.ts';
import {
  type CameraClocks,
  type CameraRecordings,
  type CameraSignings,
  type CameraSounds,
  FullDeviceStates,
} from '../devices/full-device-states.ts';
import type { OrganizationNetworks } from '../devices/organization-networks.ts';
import { type ReadStreamSamples, StreamSamples } from '../devices/stream-samples.ts';
import type { EmergencyServices } from '../emergency/emergency-services.ts';
import { createEventServices, type EventServices } from '../events/event-services.ts';
import type { DiskRoom } from '../ingest/disk-room.ts';
import { IngestService } from '../ingest/ingest-service.ts';
import type { MailServices } from '../mail/mail-services.ts';
import { AlertInbox } from '../notifications/alert-inbox.ts';
import type { AccessControlServices } from '../platform/integrations/access-control-services.ts';
import { TimelineEvents } from '../platform/reports/timeline-events.ts';
import { createPlatformServices, type PlatformServices } from '../platform/services/platform-services.ts';
import { Footage } from '../playback/footage.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import { RecordedSpans } from '../playback/recorded-spans.ts';
import { UsedSchedules } from '../policies/schedule-uses.ts';
import type { ReadRecorderFootage } from '../recorders/recorder-footage.ts';
import { ManualRecordings } from '../recording/manual-recordings.ts';
import { type ReadRuleInEffect, RecordingSettings } from '../recording/recording-settings.ts';
import { createScimServices, type ScimServices } from '../scim/scim-services.ts';
import { DevicePreviews, type DevicePreviewsOptions } from '../sharing/device-previews.ts';
import { type MediaAddresses, MediaUris } from '../sharing/media-uris.ts';
import type { ShareCatalog } from '../sharing/share-catalog.ts';
import { ShareOverview } from '../sharing/share-overview.ts';
import type { SharingServices } from '../sharing/sharing-services.ts';
import { type ViewerAudit, type ViewerCalls, ViewerService } from '../sharing/viewer-service.ts';
import type { Store } from '../store/store.ts';
import type { SystemService } from '../system/system-service.ts';

/** Services that are created elsewhere. */
interface GivenServices extends DeviceServices, SharingServices {
  readonly accessControl: AccessControlServices;
  readonly clips: Clips;
  readonly mail: MailServices;
  readonly evidence: EvidenceServices;
  readonly emergency: EmergencyServices;
  readonly system: SystemService;
}

export interface ApiServices
  extends GivenServices,
    AccountServices,
    ConsoleServices,
    EventServices,
    PlatformServices {
  readonly usedSchedules: UsedSchedules;
  readonly deviceStates: DeviceStates;
  readonly cameraStreamStates: CameraStreamStates;
  readonly cameraNetworks: CameraNetworks;
  readonly fullDeviceStates: FullDeviceStates;
  readonly auditFeed: AuditFeed;
  readonly viewers: ViewerService;
  readonly shareOverview: ShareOverview;
  readonly ingest: IngestService;
  readonly mediaUris: MediaUris;
  /** People can talk to cameras: this gateway is not a node of a cluster. */
  readonly hasWayToSpeakers: boolean;
  readonly devicePreviews: DevicePreviews;
  readonly cameraRecordings: CameraRecordings;
  readonly footage: Footage;
  readonly recordedSpans: RecordedSpans;
  readonly readRecorderFootage: ReadRecorderFootage;
  readonly recordingSettings: RecordingSettings;
  readonly manualRecordings: ManualRecordings;
  readonly clipGroups: ClipGroups;
  readonly recordedMedia: RecordedMedia;
  readonly timelapseGroups: TimelapseGroups;
  readonly timelineEvents: TimelineEvents;
  readonly alertInbox: AlertInbox;
  readonly scim: ScimServices;
}

/** Parts from which the services are built. */
export interface ApiServiceParts extends GivenServices, ConsoleServiceParts {
  /** As in IngestServiceParts. */
  readonly diskRoom?: Pick<DiskRoom, 'hasRoom'> | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly counters: Pick<Counters, 'shareCounts'>;
  readonly cameraStates: CameraStates;
  readonly cameraSounds: CameraSounds;
  readonly cameraClocks: CameraClocks;
  readonly cameraSignings: CameraSignings;
  readonly cameraRecordings: CameraRecordings;
  readonly audit: AuditReading;
  /** Calls that only the code with the viewers can handle. */
  readonly viewing: ViewerCalls;
  readonly viewerAudit: ViewerAudit;
  readonly shareCatalog: ShareCatalog;
  readonly mediaAddresses: MediaAddresses;
  /** As in ApiServices. */
  readonly hasWayToSpeakers: boolean;
  readonly readStreamSamples: ReadStreamSamples;
  readonly openPreview: DevicePreviewsOptions['openPreview'];
  readonly recordedMedia: RecordedMedia;
  readonly organizationNetworks: OrganizationNetworks;
  readonly readRecordingRule: ReadRuleInEffect;
  readonly readRecorderFootage: ReadRecorderFootage;
  readonly log: Log;
}

/** `requestsPerSec`: the rate limit that is shown with an organization's keys. */
export function createApiServices(parts: ApiServiceParts, requestsPerSec: number): ApiServices {
  const { store, credentialRules, clock } = parts;
  const events = createEventServices(parts);
  const manualRecordings = new ManualRecordings(parts);
  const accounts = createAccountServices({ store, credentialRules, clock, requestsPerSec });
  const people = createConsoleServices({
    ...parts,
    hasRightsOfGroups: (orgUuid, personUuid) => scim.rights.decides(orgUuid, personUuid),
  });
  const subjects = new SubjectSignOut(people.providerSignOut, clock);
  const scim = createScimServices({
    ...parts,
    people: people.people,
    apiTokens: accounts.apiTokens,
    endSubjects: (orgUuid, ended) => subjects.end(orgUuid, ended),
    publicApiUrl: parts.consoleAddresses.publicApiUrl,
  });
  return {
    ...parts,
    ...events,
    ...accounts,
    ...people,
    scim,
    ...createPlatformServices(parts),
    usedSchedules: new UsedSchedules(parts),
    deviceStates: new DeviceStates(parts),
    cameraNetworks: new CameraNetworks({ ...parts, networks: parts.organizationNetworks }),
    cameraStreamStates: new CameraStreamStates({
      store,
      cameraStates: parts.cameraStates,
      cameraSignings: parts.cameraSignings,
      samples: new StreamSamples(parts.readStreamSamples, clock),
    }),
    fullDeviceStates: new FullDeviceStates({ ...parts, health: events.health }),
    auditFeed: new AuditFeed(parts),
    viewers: new ViewerService({ ...parts, catalog: parts.shareCatalog }),
    shareOverview: new ShareOverview({ ...parts, catalog: parts.shareCatalog }),
    ingest: new IngestService(parts),
    mediaUris: new MediaUris(parts.mediaAddresses),
    devicePreviews: new DevicePreviews({
      devices: parts.devices,
      openPreview: parts.openPreview,
      mediaUrl: parts.mediaAddresses.mediaUrl,
    }),
    clipGroups: new ClipGroups({
      groups: parts.sharedGroups,
      savedClips: events.savedClips,
      resources: store.resources,
    }),
    timelapseGroups: new TimelapseGroups({
      groups: parts.sharedGroups,
      timelapses: parts.clips.timelapses,
    }),
    alertInbox: new AlertInbox({ store, settings: accounts.notificationSettings, clock }),
    timelineEvents: new TimelineEvents({
      store,
      savedClips: events.savedClips,
      bookmarks: parts.customSeekPoints,
    }),
    footage: new Footage({ media: parts.recordedMedia, clock }),
    recordedSpans: new RecordedSpans({ media: parts.recordedMedia, clock }),
    readRecorderFootage: parts.readRecorderFootage,
    manualRecordings,
    recordingSettings: new RecordingSettings({
      ...parts,
      readRule: parts.readRecordingRule,
      manualRecordings,
    }),
  };
}
