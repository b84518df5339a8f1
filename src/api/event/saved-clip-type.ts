/** Saved clips (events/saved-clips.ts): as reported and as returned. */

import { type Static, Type } from 'typebox';
import { reportedClipUuid, type SavedClip, type SavedClipBody } from '../../events/saved-clips.ts';
import {
  answeredFields,
  answeredFlags,
  type GivenFields,
  nullableFields,
} from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { CLIP_ACCESS_SETTINGS_SCHEMA } from '../types/clip-access-type.ts';
import { ALTER_MAP, FISHEYE_MAP } from '../types/clip-view-type.ts';
import type { GivenBoundingBox, GivenSeekPoint } from '../types/detection-type.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_LOCATOR_LENGTH = 2_048;
const MAX_LIST_ENTRIES = 100;

const STATUSES = [
  'INITIATING',
  'UPLOADING',
  'RENDERING',
  'FAILED',
  'COMPLETE',
  'OFFLINE',
  'DELETED',
  'UNKNOWN',
] as const;
const MOUNTING_DIRECTIONS = ['DOWN', 'UP', 'SIDEWAYS', 'UNKNOWN'] as const;

export const META_DATA_LOCATION_SCHEMA = namedType('MetaDataLocation', {
  region: Type.Optional(text('Region that stores it.')),
});

/** False unless reported otherwise. */
export const CLIP_FLAG_FIELDS = {
  analyzed: flag('Whether it was analyzed.'),
  consoleDelete: flag('Whether it was deleted manually.'),
  isMonitoringClip: flag('Whether it belongs to alarm monitoring.'),
  isVendorClip: flag('Whether it came from a vendor.'),
  sendToSharedStorage: flag('Whether to send it to shared storage.'),
};

/** Everything that a report can say besides identity, devices, time and detections. */
export const CLIP_DETAIL_FIELDS = {
  accessSettings: CLIP_ACCESS_SETTINGS_SCHEMA,
  alterMap: ALTER_MAP,
  byteCount: int64('Its size.', 0),
  clipLocation: META_DATA_LOCATION_SCHEMA,
  clipLocationV2: text('Where it is stored.', MAX_LOCATOR_LENGTH),
  description: text('A description.', MAX_DESCRIPTION_LENGTH),
  devicePresentationOrder: listOf(deviceFacetUuid('Device.'), 'How to show the devices.', MAX_LIST_ENTRIES),
  deviceUuidMap: mapOf(META_DATA_LOCATION_SCHEMA, 'Where the footage of each device is stored.'),
  durationSec: int32('Its length.', 0),
  fisheyeHardware: text('Model of the fisheye camera.'),
  fisheyeMap: FISHEYE_MAP,
  integrationUploadList: listOf(text('Integration.'), 'Integrations that receive it.', MAX_LIST_ENTRIES),
  mountingDirection: oneOf(MOUNTING_DIRECTIONS, 'How the camera is mounted.'),
  sha256Hex: text('SHA-256 of its bytes, in hexadecimal digits.', 64),
  sourceAlertUuid: ruuid('The policy alert that it was saved from.'),
  status: oneOf(STATUSES, 'Its status.'),
  thumbnailLocation: META_DATA_LOCATION_SCHEMA,
  thumbnailLocationV2: text('Where its image is stored.', MAX_LOCATOR_LENGTH),
  title: text('Its title.'),
  userUuid: ruuid('Who saved it.'),
  videoResolution: namedType('Resolution', {
    height: Type.Optional(int32('Height in pixels.', 0)),
    width: Type.Optional(int32('Width in pixels.', 0)),
  }),
};

/** A clip with everything that a report can say about it. */
export type KnownClipBody = SavedClipBody &
  GivenFields<typeof CLIP_FLAG_FIELDS> &
  GivenFields<typeof CLIP_DETAIL_FIELDS> & {
    readonly boundingBoxes?: readonly GivenBoundingBox[];
    readonly seekPoints?: readonly GivenSeekPoint[];
  };

export const SAVED_CLIP_PROPERTIES = {
  uuid: ruuid('The clip.'),
  orgUuid: ruuid('The organization.'),
  externalTransactionId: nullable(plainText('The ID under which it was reported.')),
  createdAtMs: int64('When it was saved, in epoch milliseconds.'),
  timestampMs: int64('When its footage began, in epoch milliseconds.'),
  deviceUuid: nullable(deviceFacetUuid('The first of its devices.')),
  deviceUuids: listOf(deviceFacetUuid('Device.'), 'The devices that it shows.'),
  ...CLIP_FLAG_FIELDS,
  ...nullableFields(CLIP_DETAIL_FIELDS),
};

export const SAVED_CLIP_SCHEMA = namedType('SavedClipV2', SAVED_CLIP_PROPERTIES);

export function savedClipAnswer(clip: SavedClip): Static<typeof SAVED_CLIP_SCHEMA> {
  const body = clip.body as KnownClipBody;
  return {
    uuid: clip.uuid,
    orgUuid: clip.orgUuid,
    externalTransactionId: body.reportedId,
    createdAtMs: clip.createdAtMs,
    timestampMs: body.timestampMs,
    deviceUuid: body.deviceUuids[0] ?? null,
    deviceUuids: [...body.deviceUuids],
    ...answeredFlags(CLIP_FLAG_FIELDS, body),
    ...answeredFields(CLIP_DETAIL_FIELDS, body),
  };
}

const EXAMPLE_BODY: KnownClipBody = {
  reportedId: 'clip-1',
  deviceUuids: [EXAMPLE_CAMERA_UUID],
  locationUuid: EXAMPLE_LOCATION_UUID,
  timestampMs: EXAMPLE_TIME_MS,
  durationSec: 30,
  title: 'Delivery at the dock',
  status: 'COMPLETE',
};

export const EXAMPLE_CLIP: SavedClip = {
  uuid: reportedClipUuid(EXAMPLE_ORG_UUID, 'clip-1'),
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Delivery at the dock',
  parentUuid: EXAMPLE_CAMERA_UUID,
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS + 60_000,
  updatedAtMs: EXAMPLE_TIME_MS + 60_000,
  body: EXAMPLE_BODY,
};
