/** The files of a clip or timelapse that is complete, as the viewers of a shared group see them. */

import type { SharedFile } from '../sharing/shared-group.ts';
import type { Resource } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { CLIP_FILES, type ClipFile } from './clip-records.ts';

type Stored = Pick<Store, 'resources' | 'cameras' | 'locations'>;

/** `devices`: its cameras, as it names them, in whose order the files are. Rejects like the store. */
export async function sharedFilesOf(
  store: Stored,
  { orgUuid, uuid }: Pick<Resource<object>, 'orgUuid' | 'uuid'>,
  devices: readonly string[],
): Promise<SharedFile[]> {
  const all = await store.resources.of(CLIP_FILES).listByParent(orgUuid, uuid);
  const files = all.filter(({ body }) => body.isImageOnly !== true);
  const placeOf = ({ body: { device } }: ClipFile) => devices.indexOf(device);
  files.sort((one, other) => placeOf(one) - placeOf(other));
  return Promise.all(files.map((file) => sharedFile(store, file)));
}

async function sharedFile(
  { cameras, locations }: Stored,
  { orgUuid, body, createdAtMs }: ClipFile,
): Promise<SharedFile> {
  const { cameraUuid, name, byteLength, sha256Hex, image, startEpochMs, endEpochMs } = body;
  const camera = await cameras.find(orgUuid, cameraUuid);
  const siteUuid = camera?.locationUuid ?? null;
  const site = siteUuid === null ? null : await locations.find(orgUuid, siteUuid);
  return {
    uuid: cameraUuid,
    name,
    byteLength,
    sha256Hex,
    image,
    label: camera?.name ?? '',
    cameraName: camera?.name ?? '',
    siteName: site?.name ?? null,
    timeZone: site?.tz ?? 'UTC',
    startMs: startEpochMs,
    endMs: endEpochMs,
    extension: 'mp4',
    writtenAtMs: createdAtMs,
  };
}
