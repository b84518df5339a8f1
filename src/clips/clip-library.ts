/** Clips that can be delivered. */

import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { alertClipUuid, mayReadClip, SAVED_CLIPS } from '../events/saved-clips.ts';
import type { Resource, ResourceStore } from '../store/resource.ts';
import { CLIP_FILES, type ClipFileBody, clipFileUuid } from './clip-records.ts';
import { TIMELAPSES } from './timelapses.ts';

/** A camera's file of a clip that is complete. */
export interface DeliverableClip {
  readonly file: ClipFileBody;
  readonly title: string;
  /** When it was written, epoch milliseconds. */
  readonly writtenAtMs: number;
}

export class ClipLibrary {
  readonly #resources: ResourceStore;

  constructor(resources: ResourceStore) {
    this.#resources = resources;
  }

  /**
   * `id`: of a saved clip, a timelapse, or a policy alert. null: the clip does not exist, is not complete, or does not show the
   * camera, or the reader may not read it. Rejects like the store.
   */
  async find(
    orgUuid: Ruuid,
    id: Ruuid,
    cameraUuid: Ruuid,
    readerUuid: Ruuid,
  ): Promise<DeliverableClip | null> {
    const files = this.#resources.of(CLIP_FILES);
    const fileOf = (clipUuid: Ruuid) => files.find(orgUuid, clipFileUuid(clipUuid, cameraUuid));
    const clip = await this.#resources.of(SAVED_CLIPS).find(orgUuid, id);
    if (clip !== null) {
      if (!mayReadClip(clip.body, readerUuid)) return null;
      const file = await fileOf(id);
      const isThere = clip.body.status === 'COMPLETE' || file?.body.alertUuid !== undefined;
      return file === null || !isThere ? null : deliverable(file, clip.body.title ?? '');
    }
    const timelapse = await this.#resources.of(TIMELAPSES).find(orgUuid, id);
    if (timelapse !== null) {
      const file = timelapse.body.status === 'COMPLETE' ? await fileOf(id) : null;
      return file === null ? null : deliverable(file, timelapse.body.title ?? '');
    }
    const ofAlert = await fileOf(alertClipUuid(orgUuid, id));
    return ofAlert?.body.alertUuid === id ? deliverable(ofAlert, '') : null;
  }

  /**
   * Whether `id` is a clip or a timelapse of the camera that is being made, or could not be made. Not if the reader may not
   * read it. Rejects like the store.
   */
  async isIncomplete(orgUuid: Ruuid, id: Ruuid, cameraUuid: Ruuid, readerUuid: Ruuid): Promise<boolean> {
    const clip = await this.#resources.of(SAVED_CLIPS).find(orgUuid, id);
    if (clip !== null) {
      const { deviceUuids, status } = clip.body;
      return shows(deviceUuids, cameraUuid) && isUnfinished(status) && mayReadClip(clip.body, readerUuid);
    }
    const timelapse = await this.#resources.of(TIMELAPSES).find(orgUuid, id);
    if (timelapse === null) return false;
    return shows(timelapse.body.devices, cameraUuid) && isUnfinished(timelapse.body.status);
  }

  /** The first camera of the clip, timelapse or alert; null: it has none, or is not known. Rejects like the store. */
  async cameraOf(orgUuid: Ruuid, id: Ruuid): Promise<Ruuid | null> {
    const timelapse = await this.#resources.of(TIMELAPSES).find(orgUuid, id);
    if (timelapse !== null) return timelapse.parentUuid;
    const files = this.#resources.of(CLIP_FILES);
    for (const clipUuid of [id, alertClipUuid(orgUuid, id)]) {
      const [first] = await files.listByParent(orgUuid, clipUuid);
      if (first !== undefined) return first.body.cameraUuid;
    }
    const clip = await this.#resources.of(SAVED_CLIPS).find(orgUuid, id);
    return parseDeviceFacetUuid(clip?.body.deviceUuids[0])?.uuid ?? null;
  }
}

/** `devices`: with their facets. */
function shows(devices: readonly string[], cameraUuid: Ruuid): boolean {
  return devices.some((device) => parseDeviceFacetUuid(device)?.uuid === cameraUuid);
}

/** Clips that were only reported have no status, and no file here. */
function isUnfinished(status: string | undefined): boolean {
  return status !== undefined && status !== 'COMPLETE';
}

function deliverable({ body, createdAtMs }: Resource<ClipFileBody>, title: string): DeliverableClip {
  return { file: body, title, writtenAtMs: createdAtMs };
}
