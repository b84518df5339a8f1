/** The files of a clip or timelapse that is complete, as the viewers of a shared group see them. */

import type { SharedFile } from '../sharing/shared-group.ts';
import { hasMasks } from '../store/removed-masks.ts';
import type { Resource } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { CLIP_FILES, type ClipFile } from './clip-records.ts';

type Stored = Pick<Store, 'resources' | 'cameras' | 'locations'>;

/** The files of a clip or timelapse, for one link. */
export interface ShownFiles {
  readonly files: SharedFile[];
  /** There are others, of cameras whose privacy masks are not known, which the link may not show. */
  readonly isWithheld: boolean;
}

/**
 * `devices`: its cameras, as it names them, in whose order the files are. Without `showsUnmasked`, those of cameras with masks need these
 * masks, and those of cameras that had masks when they were removed are left out. Rejects like the store.
 */
export async function sharedFilesOf(
  store: Stored,
  { orgUuid, uuid }: Pick<Resource<object>, 'orgUuid' | 'uuid'>,
  devices: readonly string[],
  showsUnmasked: boolean,
): Promise<ShownFiles> {
  const all = await store.resources.of(CLIP_FILES).listByParent(orgUuid, uuid);
  const files = all.filter(({ body }) => body.isImageOnly !== true);
  const placeOf = ({ body: { device } }: ClipFile) => devices.indexOf(device);
  files.sort((one, other) => placeOf(one) - placeOf(other));
  const shown = await Promise.all(files.map((file) => sharedFile(store, file, showsUnmasked)));
  return { files: shown.filter((file) => file !== null), isWithheld: shown.includes(null) };
}

/** null: it is withheld. */
async function sharedFile(
  store: Stored,
  { orgUuid, body, createdAtMs }: ClipFile,
  showsUnmasked: boolean,
): Promise<SharedFile | null> {
  const { cameraUuid, name, byteLength, sha256Hex, durationMs, startEpochMs, endEpochMs } = body;
  const camera = await store.cameras.find(orgUuid, cameraUuid);
  const isMasked = !showsUnmasked && (await hasMasks(store, orgUuid, cameraUuid, camera));
  if (isMasked && camera === null) return null;
  const masks = isMasked ? camera!.masks : null;
  const siteUuid = camera?.locationUuid ?? null;
  const site = siteUuid === null ? null : await store.locations.find(orgUuid, siteUuid);
  return {
    uuid: cameraUuid,
    name,
    byteLength,
    sha256Hex,
    durationMs,
    masks,
    // Stored images have no masks.
    image: masks === null ? body.image : null,
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
