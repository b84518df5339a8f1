/** Saved clips: what recorders and integrations know about footage that they keep. */

import { type Static, Type } from 'typebox';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import type { IngestContext, RowProblem } from '../../ingest/ingest-kind.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import { optionalFields } from '../base/field-groups.ts';
import { deviceFacetUuid, listOf, ruuid } from '../base/field-types.ts';
import { BOUNDING_BOX_FIELDS, givenRecords, SEEK_POINT_FIELDS } from '../event/detection-type.ts';
import {
  CLIP_DETAIL_FIELDS,
  CLIP_FLAG_FIELDS,
  MAX_SAVED_CLIPS,
  reportedClipUuid,
  type SavedClip,
  savedClipsOf,
} from '../event/saved-clip.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { cameraUuidsOf, locationUuidsOf, rowId, timeMs, unknownReference } from './row-fields.ts';

const MAX_CLIP_DEVICES = 100;

const CLIP_ROW = Type.Object({
  id: rowId('The clip.'),
  deviceUuids: listOf(
    deviceFacetUuid('Camera.'),
    `The cameras that it shows, at most ${MAX_CLIP_DEVICES}.`,
    MAX_CLIP_DEVICES,
  ),
  timestampMs: timeMs('When what it shows began.'),
  locationUuid: Type.Optional(ruuid('The location; that of the first camera when absent.')),
  ...optionalFields(CLIP_FLAG_FIELDS),
  ...optionalFields(CLIP_DETAIL_FIELDS),
  boundingBoxes: Type.Optional(givenRecords('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the picture.')),
  seekPoints: Type.Optional(givenRecords('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.')),
});
type ClipRow = Static<typeof CLIP_ROW>;

const FULL: RowProblem = {
  field: 'id',
  reason: `id: the organisation has ${MAX_SAVED_CLIPS.toLocaleString('en')} saved clips; delete some first.`,
};

export const savedClips = defineIngestKind({
  name: 'savedClips',
  summary: 'Reports saved clips.',
  description:
    'Read by `/api/event/getSavedClipsV2`, `/api/event/getSavedClipDetails` and `/api/event/getSavedClipCount`. Rows ' +
    'say what is known about footage that is kept elsewhere; the gateway serves none of it. `id` is unique among the ' +
    `organisation’s clips, of which it keeps at most ${MAX_SAVED_CLIPS.toLocaleString('en')}.`,
  row: CLIP_ROW,
  example: {
    id: 'clip-1',
    deviceUuids: [EXAMPLE_CAMERA_UUID],
    timestampMs: EXAMPLE_TIME_MS,
    durationSec: 30,
    title: 'Delivery at the dock',
    status: 'COMPLETE',
  },
  async problemsOf(context, rows) {
    const { orgUuid, store } = context;
    const cameras = await cameraUuidsOf(context);
    const locations = await locationUuidsOf(context);
    const clips = savedClipsOf(store);
    let room = MAX_SAVED_CLIPS - (await clips.count(orgUuid));
    const problems: (RowProblem | null)[] = [];
    for (const { id, deviceUuids, locationUuid } of rows) {
      const unknown = deviceUuids.findIndex((device) => !cameras.has(parseDeviceFacetUuid(device)!.uuid));
      if (unknown >= 0) {
        problems.push(unknownReference(`deviceUuids[${unknown}]`, 'a camera'));
      } else if (locationUuid !== undefined && !locations.has(locationUuid)) {
        problems.push(unknownReference('locationUuid', 'a location'));
      } else if (room > 0) {
        room -= 1;
        problems.push(null);
      } else {
        const isKnown = (await clips.find(orgUuid, reportedClipUuid(orgUuid, id))) !== null;
        problems.push(isKnown ? null : FULL);
      }
    }
    return problems;
  },
  async store(context, rows) {
    const clips = savedClipsOf(context.store);
    const reported = new Map<Ruuid, SavedClip>();
    for (const clip of await clipsOf(context, rows)) {
      if (!reported.has(clip.uuid)) reported.set(clip.uuid, clip);
    }
    const changes = await clips.changeAll(context.orgUuid, [...reported.keys()], (known, uuid) =>
      known === null ? reported.get(uuid)! : 'unchanged',
    );
    return changes.filter(({ before }) => before === null).length;
  },
});

async function clipsOf(
  { orgUuid, store, nowMs }: IngestContext,
  rows: readonly ClipRow[],
): Promise<SavedClip[]> {
  const locations = new Map(
    (await store.cameras.listRecords(orgUuid)).map((camera) => [camera.uuid, camera.locationUuid]),
  );
  return rows.map(({ id, deviceUuids, timestampMs, locationUuid, ...given }) => {
    const [first] = deviceUuids;
    const cameraUuid = first === undefined ? null : parseDeviceFacetUuid(first)!.uuid;
    const ofCamera = cameraUuid === null ? null : (locations.get(cameraUuid) ?? null);
    const place = { deviceUuids, timestampMs, locationUuid: locationUuid ?? ofCamera };
    return {
      uuid: reportedClipUuid(orgUuid, id),
      orgUuid,
      name: given.title ?? '',
      parentUuid: cameraUuid,
      body: { ...given, ...place, reportedId: id },
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  });
}
